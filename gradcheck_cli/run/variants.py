"""Which variants of its inputs an operator is tried on, beside what it declares.

Each changes one thing: memory layout, repeated indices, inputs left out, shapes that the operator doesn't
rule out, broadcasting, axes of size 1 and 0. All stay inside the declared domains of values. An operator with a
sample function is tried on what that returns, in other memory layouts too, but in no other shapes: a
sample function is there for what domains can't say (rows that sum to 1), which a change of shape could break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.run.arguments import argument_names
from gradcheck_cli.run.base_arguments import Arguments, base_arguments
from gradcheck_cli.run.layouts import FORTRAN, PLAIN, STRIDED
from gradcheck_cli.run.sizes import Shape, Shared, Sizes, draw_arrays, shape_words, sharing, slots

Change: TypeAlias = Callable[[Sizes], Sizes]

_MOST_WORDS = 6
"""Shape words that are varied one by one."""

_MOST_BROADCAST = 3
"""Inputs that are broadcast one by one against the others."""

_MOST_LEFT_OUT = 3
"""Optional inputs that are left out one by one."""


@dataclass(frozen=True, eq=False)
class Variant:
    """One way to change the inputs of an operator.

    `make` draws the arguments, and returns None where the operator has no such variant: no array to
    change, or nothing to draw. `layout` is how the arrays lie in memory, `laid_out` the positions of those that do.
    """

    kind: Kind
    words: str
    make: Callable[[np.random.Generator], Arguments | None]
    layout: str = PLAIN
    laid_out: tuple[int, ...] | None = None


def variants_of(operator: Operator) -> Iterator[Variant]:
    """List the variants of an operator's inputs beside the base draws, plain ones first."""
    yield from _layouts(operator)
    if operator.sampler is None:
        yield from _repeated(operator)
        yield from _left_out(operator)
        yield from _axes(operator)
        yield from _broadcast(operator)
        yield from _resized(operator, Kind.SIZE_ONE, 1)
        yield from _resized(operator, Kind.EMPTY, 0)


def _layouts(operator: Operator) -> Iterator[Variant]:
    """Lay all arrays out in another way, then one alone: an operator may rely on its inputs lying alike."""
    names = [name for name, _ in argument_names(operator)]
    yield _laid_out(operator, "in Fortran order", FORTRAN)
    if len(names) > 1:
        yield _laid_out(operator, f"{names[0]} in Fortran order", FORTRAN, (0,))
    yield _laid_out(operator, "not contiguous", STRIDED)


def _laid_out(operator: Operator, words: str, layout: str, positions: tuple[int, ...] | None = None) -> Variant:
    """Leave the numbers of a base draw alone; None where no array has axes enough to lie in another way."""

    def make(rng: np.random.Generator) -> Arguments | None:
        arrays, attributes = base_arguments(operator, rng)
        changed = arrays if positions is None else [arrays[slot] for slot in positions]
        axes = 2 if layout == FORTRAN else 1
        fit = any(isinstance(array, np.ndarray) and array.ndim >= axes for array in changed)
        return (arrays, attributes) if fit else None

    return Variant(Kind.LAYOUT, words, make, layout, positions)


def _repeated(operator: Operator) -> Iterator[Variant]:
    """Repeat indices: a gradient that is assigned instead of added loses all of them but one."""
    for slot, item in slots(operator):
        if item.domain.kind != "int":
            continue

        def make(rng: np.random.Generator, slot: int = slot) -> Arguments | None:
            arrays, attributes = base_arguments(operator, rng)
            if arrays[slot].size < 2:
                return None
            repeated = np.array(arrays[slot])
            repeated.flat[1] = repeated.flat[0]
            return [repeated if at == slot else array for at, array in enumerate(arrays)], attributes

        yield Variant(Kind.REPEATED, f"{item.name} repeats an index", make)


def _left_out(operator: Operator) -> Iterator[Variant]:
    """Leave optional inputs out, one by one."""
    optional = [(slot, item) for slot, item in slots(operator) if item.optional and item.name not in operator.own]
    for slot, item in optional[:_MOST_LEFT_OUT]:

        def make(rng: np.random.Generator, slot: int = slot) -> Arguments | None:
            arrays, attributes = base_arguments(operator, rng)
            return [None if at == slot else array for at, array in enumerate(arrays)], attributes

        yield Variant(Kind.LEFT_OUT, f"without {item.name}", make)


def _axes(operator: Operator) -> Iterator[Variant]:
    """Take other numbers of axes for the common shape, and for `...`."""
    if group := sharing(operator, "common"):
        of = _subject(operator, group)
        yield _sized(operator, Kind.SCALAR, f"{of}0-d", _shared("common", ()))
        yield _sized(operator, Kind.SHAPE, f"{of}one axis", _shared("common", (3,)))
        yield _sized(operator, Kind.SHAPE, f"{of}three axes", _shared("common", (3, 4, 3)))
    if group := sharing(operator, "leading"):
        of = _subject(operator, group)
        bare = any(operator.input_at(slot).domain.words == ("...",) for slot in group)
        kind, words = (Kind.SCALAR, "0-d") if bare else (Kind.SHAPE, "no leading axis")
        yield _sized(operator, kind, f"{of}{words}", _shared("leading", ()))
        yield _sized(operator, Kind.SHAPE, f"{of}two leading axes", _shared("leading", (3, 3)))


def _broadcast(operator: Operator) -> Iterator[Variant]:
    """Broadcast inputs that share a shape: each of them to the others, then two to one another."""
    names = [name for name, _ in argument_names(operator)]
    for shared, ways in _SMALLER.items():
        group = sharing(operator, shared)
        if len(group) < 2:
            continue
        for slot in group[:_MOST_BROADCAST]:
            for words, smaller in ways:
                yield _sized(operator, Kind.BROADCAST, f"{names[slot]} {words}", _alone(slot, shared, smaller))
        first, second = group[:2]
        words = f"{names[first]} and {names[second]} broadcast to one another"
        yield _sized(operator, Kind.BROADCAST, words, _apart({first: (4, 1), second: (1, 3)}))


_SMALLER: Mapping[Shared, Sequence[tuple[str, Callable[[Shape], Shape]]]] = {
    "common": (
        ("has an axis fewer", lambda shape: shape[1:]),
        ("is 0-d", lambda _: ()),
        ("has a first axis of size 1", lambda shape: (1, *shape[1:])),
        ("has a last axis of size 1", lambda shape: (*shape[:-1], 1)),
    ),
    "leading": (
        ("has no leading axis", lambda _: ()),
        ("has a leading axis of size 1", lambda _: (1,)),
    ),
}
"""How a shape is made smaller so that it still broadcasts to what it was."""


def _resized(operator: Operator, kind: Kind, size: int) -> Iterator[Variant]:
    """Give one axis after the other the size 1 or 0."""
    if group := sharing(operator, "common"):
        of = _subject(operator, group)
        yield _sized(operator, kind, f"{of}first axis of size {size}", _shared("common", (size, 3)))
        yield _sized(operator, kind, f"{of}last axis of size {size}", _shared("common", (3, size)))
    if group := sharing(operator, "leading"):
        words = f"{_subject(operator, group)}leading axis of size {size}"
        yield _sized(operator, kind, words, _shared("leading", (size,)))
    for word in shape_words(operator)[:_MOST_WORDS]:
        yield _sized(operator, kind, f"{word} = {size}", _word(word, size))


def _sized(operator: Operator, kind: Kind, words: str, change: Change) -> Variant:
    """Draw the arrays in sizes that are changed."""

    def make(rng: np.random.Generator) -> Arguments | None:
        try:
            return draw_arrays(operator, change(Sizes.drawn(operator, rng)), rng), {}
        except ValueError:  # a positive definite matrix that isn't square, integers below 0
            return None

    return Variant(kind, words, make)


def _shared(shared: Shared, shape: Shape) -> Change:
    return lambda sizes: sizes.with_shared(shared, shape)


def _word(word: str, size: int) -> Change:
    return lambda sizes: sizes.with_word(word, size)


def _apart(shapes: Mapping[int, Shape]) -> Change:
    return lambda sizes: sizes.with_own(shapes)


def _alone(slot: int, shared: Shared, smaller: Callable[[Shape], Shape]) -> Change:
    return lambda sizes: sizes.with_own({slot: smaller(sizes.shared[shared])})


def _subject(operator: Operator, group: Sequence[int]) -> str:
    """Name the inputs of a group where there are others: `x: `."""
    names = [name for name, _ in argument_names(operator)]
    return f"{', '.join(names[slot] for slot in group)}: " if len(group) < len(names) else ""
