"""Guess what undeclared code accepts: try a few kinds of inputs, and keep those that forward and backward agree on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcheck_cli.bridges.argument_names import CHOOSING
from gradcheck_cli.bridges.guess_words import domain_line, names_gradients
from gradcheck_cli.bridges.trial_call import declared_operand, raw_gradients
from gradcheck_cli.core.arguments import REQUIRED, Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.returned import MISSING
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.light_dataclass import dataclass

NEEDS_DOMAIN = "needs-domain"
"""The code of the problem that nothing could be guessed."""

_SIZES = {"n": 3, "d": 4, "k": 2, "m": 5, "p": 6}
_OTHER_SIZES = {"n": 5, "d": 2, "k": 3, "m": 4, "p": 7}
_CHAIN = tuple(_SIZES)
_COMMON = ("n", "d")
_KINDS = (_COMMON, ("n", "n"), ("n",), ())
_BIAS = re.compile(r"b\d?|b_?[a-z]|beta\d?|bias\w*")
# One letter says little, but whole numbers are tried only where nothing else fits.
_LABELS = CHOOSING | {"y", "t"}


@dataclass(frozen=True)
class _Guess:
    """Shape words of an input; `below` names the size that integers are below, `constant` says: no gradient.

    A `summed` one is known to be a vector, whatever the shape of its gradient.
    """

    words: tuple[str, ...]
    below: str = ""
    constant: bool = False
    summed: bool = False

    @property
    def whole(self) -> bool:
        return bool(self.below)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.shape_in(_SIZES)

    def shape_in(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(sizes[word] for word in self.words)

    @property
    def domain(self) -> Domain:
        return self.domain_in(fixed=False)

    def domain_in(self, fixed: bool) -> Domain:
        shape = " ".join(str(_SIZES[word]) if fixed else word for word in self.words)
        if self.whole:
            return Domain("int", shape, below=_SIZES[self.below] if fixed else self.below)
        return Domain(shape=shape, nondiff=self.constant)


def guess_domains(operator: Operator, rng: np.random.Generator) -> Operator:
    """Return `operator` with a domain for every loose input; itself if it has none.

    Tried are inputs of one common shape, factors of a product, square matrices, vectors and numbers, whole numbers
    for what is named like labels, and for each input the shape that its gradient has. What the code has no
    gradient for counts as given. Raises OperatorError, with the line to write, where nothing fits, and
    `Skipped` for code that isn't written yet.
    """
    loose = [item for item in operator.inputs if item.loose]
    if not loose:
        return _without_missing(operator, rng)
    if any(attribute.default is REQUIRED and not attribute.values for attribute in operator.attributes):
        raise _needs_domain(operator)
    for guesses in _candidates(loose):
        fitting = _fit(operator, loose, guesses, rng)
        if fitting is not None:
            other = _gradient_shapes(operator, loose, fitting, rng, _OTHER_SIZES)
            return _declared(operator, loose, fitting, fixed=other is None)
    raise _needs_domain(operator)


def _candidates(loose: Sequence[Input]) -> Iterator[list[_Guess]]:
    labelled = [item.name.lower() in _LABELS for item in loose]
    biases = [bool(_BIAS.fullmatch(item.name)) for item in loose]
    for words in _KINDS:
        if words == ("n", "n"):
            yield from _products(biases)
        if words == ("n", "n") and any(biases):
            # As a matrix it would hide that its gradient isn't summed.
            yield [_Guess(words[1:], summed=True) if is_bias else _Guess(words) for is_bias in biases]
        yield [_Guess(words) for _ in loose]
    if not any(labelled):
        return
    for words in _KINDS:
        # Labels choose among the columns of scores, indices among the rows of a table.
        for below in dict.fromkeys((*words[-1:], *words[:1])):
            yield [_Guess(words[:1], below) if is_label else _Guess(words) for is_label in labelled]
    # The scores of one example, with its label.
    yield [_Guess((), "n") if is_label else _Guess(("n",)) for is_label in labelled]


def _products(biases: Sequence[bool]) -> Iterator[list[_Guess]]:
    """Yield the factors of a product: sizes that differ show what square matrices hide, a transpose above all.

    All factors after the first may lie the other way; a bias is as long as the product before it is wide.
    """
    if not 2 <= list(biases).count(False) < len(_CHAIN):
        return
    for turned in (False, True):
        guesses, width = [], 0
        for is_bias in biases:
            if is_bias:
                guesses.append(_Guess(_CHAIN[max(width, 1) : max(width, 1) + 1], summed=True))
                continue
            words = _CHAIN[width : width + 2]
            guesses.append(_Guess(words[::-1] if turned and width else words))
            width += 1
        yield guesses


def _fit(
    operator: Operator, loose: Sequence[Input], guesses: list[_Guess], rng: np.random.Generator
) -> list[_Guess] | None:
    """Return guesses with which every gradient has the shape of its input; None if there are none.

    An input whose gradient comes in another shape is tried in that shape, once: a bias was guessed as large
    as what it is added to. A gradient that is larger than its input is a mistake, not a guess.
    """
    for _ in range(2):
        found = _gradient_shapes(operator, loose, guesses, rng)
        if found is None:
            return None
        better = [_improved(guess, shape) for guess, shape in zip(guesses, found, strict=True)]
        if None in better:
            return None
        if better == guesses:
            return guesses
        guesses = [guess for guess in better if guess]
    return None


def _improved(guess: _Guess, shape: tuple[int, ...] | None) -> _Guess | None:
    """Return the guess that fits the shape of a gradient; None if none does."""
    if guess.whole:
        return guess
    if shape is None:
        return replace(guess, constant=True)
    if shape == guess.shape or guess.summed:
        return guess
    words = [word for size in shape for word, known in _SIZES.items() if known == size and word in guess.words]
    smaller = len(words) == len(shape) and np.prod(shape) < np.prod(guess.shape)
    return replace(guess, words=tuple(words)) if smaller else None


def _gradient_shapes(
    operator: Operator,
    loose: Sequence[Input],
    guesses: Sequence[_Guess],
    rng: np.random.Generator,
    known: Mapping[str, int] = MappingProxyType(_SIZES),
) -> list[tuple[int, ...] | None] | None:
    """Run forward and backward once and return the shape of each loose input's gradient, None where there is none.

    Returns None alone if the code refuses such inputs. `known` are the sizes of the words.
    """
    made = dict(zip((item.name for item in loose), guesses, strict=True))
    sizes = dict(known)
    operands: list[Any] = []
    for item in operator.inputs:
        if item.name in made:
            guess = made[item.name]
            array = draw(guess.domain, guess.shape_in(known), rng, known[guess.below] if guess.whole else None)
            if guess.whole:
                array = _with_largest(array, known[guess.below])
            operands.append(Variable(array, requires_grad=not guess.whole and not guess.constant))
        elif item.name in operator.own:
            operands.append(Variable(operator.own[item.name]))
        else:
            operands.append(None if item.optional else declared_operand(item, sizes, rng))
    returned = raw_gradients(operator, operands)
    if not isinstance(returned, tuple):
        return [guess.shape_in(known) for guess in guesses] if returned == "input-modified" else None
    slots = [slot for slot, item in enumerate(operator.inputs) if item.domain.differentiable]
    shapes = dict(zip(slots, (None if g is None or g is MISSING else np.shape(g) for g in returned), strict=False))
    return [shapes.get(slot) for slot, item in enumerate(operator.inputs) if item.loose]


def _without_missing(operator: Operator, rng: np.random.Generator) -> Operator:
    """Return the operator with those inputs as given for which a backward that names its gradients has none."""
    if not names_gradients(operator):
        return operator
    sizes: dict[str, int] = {}
    own = operator.own
    try:
        operands = [
            Variable(own[item.name]) if item.name in own else declared_operand(item, sizes, rng)
            for item in operator.inputs
        ]
        returned = raw_gradients(operator, operands)
    except (ValueError, OperatorError):
        return operator  # said where it is drawn from
    if not isinstance(returned, tuple):
        return operator
    differentiable = [item for item in operator.inputs if item.domain.differentiable]
    missing = {item.name for item, g in zip(differentiable, returned, strict=False) if g is MISSING}
    return _declared_as(operator, {name: replace(_domain_of(operator, name), nondiff=True) for name in missing})


def _domain_of(operator: Operator, name: str) -> Domain:
    return next(item.domain for item in operator.inputs if item.name == name)


def _with_largest(labels: Array, below: int) -> Array:
    """Put the largest label among those drawn, so that code which takes no label so large refuses them for sure."""
    labels = np.array(labels)
    labels.flat[-1] = below - 1
    return labels


def _declared(operator: Operator, loose: Sequence[Input], guesses: Sequence[_Guess], fixed: bool) -> Operator:
    """Return the operator with the guesses as domains: the default one where all share a shape of any size.

    `fixed` says that it takes no other sizes than those that were tried: its own weights have them.
    """
    common = not fixed and all(guess.words == _COMMON and not guess.constant for guess in guesses)
    pairs = zip(loose, guesses, strict=True)
    return _declared_as(operator, {item.name: Domain() if common else guess.domain_in(fixed) for item, guess in pairs})


def _declared_as(operator: Operator, domains: Mapping[str, Domain]) -> Operator:
    """Return the operator with other domains of some inputs, none of which is loose any more."""
    inputs = tuple(
        replace(item, loose=False, domain=domains[item.name]) if item.name in domains else item
        for item in operator.inputs
    )
    served = tuple(item.name for item in inputs if item.domain.differentiable)
    kept = [
        new.domain.differentiable for old, new in zip(operator.inputs, inputs, strict=True) if old.domain.differentiable
    ]
    rules = tuple(replace(rule, inputs=served, function=_only(rule.function, kept)) for rule in operator.rules)
    return replace(operator, inputs=inputs, rules=rules)


def _only(function: Callable[..., Any], kept: Sequence[bool]) -> Callable[..., Any]:
    """Return a backward without the gradients of inputs that were found to have none."""
    if all(kept):
        return function
    return lambda *asked: tuple(g for g, wanted in zip(function(*asked), kept, strict=True) if wanted)


def _needs_domain(operator: Operator) -> OperatorError:
    hint = f"say what it accepts: {domain_line(operator)}"
    return OperatorError(Problem("no inputs could be guessed that it accepts", operator.location, NEEDS_DOMAIN, hint))
