"""Sizes of an operator's inputs, so that shapes can be varied one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw
from gradcheck_cli.core.operator import Input, Operator
from gradcheck_cli.light_dataclass import dataclass

Shape: TypeAlias = tuple[int, ...]

Shared: TypeAlias = Literal["common", "leading"]
"""What inputs may share: the shape of those that declare none, and the axes that `...` stands for."""

_DIFFERENT = (3, 4, 5)

_SMALL = (3, 2, 4)
"""Sizes for many words: an array of four axes should still have few elements."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of shape words, and the shapes that inputs share; `own` holds another one for a position."""

    words: Mapping[str, int]
    shared: Mapping[Shared, Shape]
    own: Mapping[int, Shape] = field(default_factory=dict)

    @classmethod
    def drawn(cls, operator: Operator, rng: np.random.Generator) -> Sizes:
        """Draw sizes, different ones so that a transposed gradient shows, where few words leave it possible.

        They begin at 3: over two elements a normalisation is 1 and -1, and its gradient rounding.
        """
        words = shape_words(operator)
        sizes = _DIFFERENT if len(words) <= len(_DIFFERENT) else (_SMALL * len(words))[: len(words)]
        drawn = dict(zip(words, map(int, rng.permutation(sizes)), strict=False))
        common = [int(size) for size in rng.permutation(_DIFFERENT)]
        return cls(drawn, {"common": (common[0], common[1]), "leading": (common[2],)})

    def with_shared(self, kind: Shared, shape: Shape) -> Sizes:
        """Return sizes with another common or leading shape."""
        return replace(self, shared={**self.shared, kind: shape})

    def with_word(self, word: str, size: int) -> Sizes:
        """Return sizes with another size of a shape word."""
        return replace(self, words={**self.words, word: size})

    def with_own(self, shapes: Mapping[int, Shape]) -> Sizes:
        """Return sizes in which some positions don't have the shape that they would share."""
        return replace(self, own={**self.own, **shapes})

    def shape(self, slot: int, domain: Domain) -> Shape:
        """Return the shape of the array at a position."""
        if domain.words is None:
            return self.own.get(slot, self.shared["common"])
        leading = domain.words[:1] == ("...",)
        rest = tuple(self._size(word) for word in domain.words[leading:])
        return (*self.own.get(slot, self.shared["leading"]), *rest) if leading else rest

    def below(self, domain: Domain) -> int | None:
        """Return the bound of integers; None for the domain's own."""
        return self._size(domain.below) if isinstance(domain.below, str) else None

    def _size(self, word: str) -> int:
        return int(word) if word.isdecimal() else self.words[word]


def slots(operator: Operator) -> list[tuple[int, Input]]:
    """List the positions of the arrays of a call with their declarations; a variadic input takes two."""
    return list(enumerate(item for item in operator.inputs for _ in range(2 if item.variadic else 1)))


def shape_words(operator: Operator) -> list[str]:
    """List the names of sizes in the shapes of an operator's inputs, each once."""
    words = [word for item in operator.inputs for word in item.domain.words or ()]
    return [word for word in dict.fromkeys(words) if word != "..." and not word.isdecimal()]


def sharing(operator: Operator, kind: Shared) -> list[int]:
    """List the positions of the arrays that share the common shape, or that have leading axes."""
    words = [(slot, item.domain.words) for slot, item in slots(operator) if item.name not in operator.own]
    if kind == "common":
        return [slot for slot, declared in words if declared is None]
    return [slot for slot, declared in words if declared is not None and declared[:1] == ("...",)]


def draw_arrays(operator: Operator, sizes: Sizes, rng: np.random.Generator) -> list[Any]:
    """Draw the arrays of a call in these sizes. Raises ValueError where a domain leaves nothing to draw."""
    drawn = []
    for slot, item in slots(operator):
        own = operator.own.get(item.name)
        drawn.append(own if own is not None else _drawn(item.domain, sizes.shape(slot, item.domain), sizes, rng))
    return [checkable(operator, slot, array) for slot, array in enumerate(drawn)]


def checkable(operator: Operator, slot: int, array: Any) -> Any:
    """Return an array of floating-point numbers where a gradient is taken; others may be whole numbers."""
    if not isinstance(array, np.ndarray) or not operator.input_at(slot).domain.differentiable:
        return array
    return array if array.dtype in (np.float64, np.float32) else array.astype(np.float64)


def _drawn(domain: Domain, shape: Shape, sizes: Sizes, rng: np.random.Generator) -> Array:
    if domain.kind == "int" and 0 in shape:  # whatever the bound is
        return np.zeros(shape, dtype=np.int64)
    return draw(domain, shape, rng, sizes.below(domain))
