"""Where elements are: borders, rows, signs, ties - what wrong elements may have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.measure import Mismatch

_RIGHT = 0.05
"""Share of the elements that have to be right for a threshold: near its zero any mistake is next to nothing."""

_NAMED = 4
"""Places that are named one by one."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """What some elements have in common: words, a flag for each, and how many such patterns an array has.

    `units` groups the elements that are in it together or not at all; None where each is by itself.
    """

    text: str
    held: Array
    ways: int = 1
    units: Array | None = None


def patterns(mismatch: Mismatch, arguments: Mapping[str, Any]) -> Iterator[Pattern]:
    """Yield patterns among the compared elements, plain ones first.

    `arguments` are the arrays around by name; what is known of the values of the gradient's own argument and of those
    that fit its shape is looked at, too.
    """
    yield from _by_value(mismatch, arguments)
    yield from _by_place(mismatch)
    yield from _by_threshold(mismatch, arguments)


def _by_value(mismatch: Mismatch, arguments: Mapping[str, Any]) -> Iterator[Pattern]:
    """Yield signs, ties and extremes of the values, those of the argument itself first."""
    for name, array in _fitting(mismatch, arguments):
        v = mismatch.taken(array)
        if array.dtype.kind == "b":
            yield Pattern(f"where {name} is true", v)
            yield Pattern(f"where {name} is false", ~v)
            continue
        yield Pattern(f"where {name} < 0", v < 0)
        yield Pattern(f"where {name} > 0", v > 0)
        yield Pattern(f"where {name} is 0", v == 0)
        if name != mismatch.name and mismatch.name in arguments:
            own = mismatch.taken(arguments[mismatch.name])
            yield Pattern(f"where {mismatch.name} < {name}", own < v)
            yield Pattern(f"where {mismatch.name} > {name}", own > v)
            yield Pattern(f"where {mismatch.name} equals {name}", own == v)
            continue
        for axis in [*range(array.ndim)] if array.ndim > 1 else [None]:
            along = "" if axis is None else f" along axis {axis}"
            whole = np.broadcast_to(array, mismatch.shape)
            yield Pattern(f"where {name} has the same value twice (a tie){along}", mismatch.taken(_tied(whole, axis)))
            yield Pattern(f"at the largest {name}{along}", mismatch.taken(whole == whole.max(axis=axis, keepdims=True)))
            yield Pattern(
                f"at the smallest {name}{along}", mismatch.taken(whole == whole.min(axis=axis, keepdims=True))
            )


def _by_place(mismatch: Mismatch) -> Iterator[Pattern]:
    """Yield borders, rows, stretches, every second element, diagonals."""
    shape = mismatch.shape
    places = np.unravel_index(mismatch.elements, shape)
    edge = np.zeros(mismatch.elements.size, dtype=bool)
    for axis, (size, index) in enumerate(zip(shape, places, strict=True)):
        if size < 2:
            continue
        of = f"along axis {axis}" if len(shape) > 1 else "of the array"
        edge |= (index == 0) | (index == size - 1)
        yield Pattern(f"in the first place {of}", index == 0)
        yield Pattern(f"in the last place {of}", index == size - 1)
        yield Pattern(f"at the border {of}: its first and last place", (index == 0) | (index == size - 1))
        for place in range(1, size - 1):
            yield Pattern(f"at index {place} {of}", index == place, ways=size)
        for parity, word in ((0, "even"), (1, "odd")):
            yield Pattern(f"in every second place {of}, the {word} ones", index % 2 == parity, units=index)
        for place in range(2, size - 1):
            yield Pattern(f"from index {place} on {of}", index >= place, size, index)
            yield Pattern(f"before index {place} {of}", index < place, size, index)
        if len(shape) > 1:
            chosen = np.unique(index[mismatch.wrong])
            names = ", ".join(map(str, chosen[:_NAMED])) + ", ..." * (chosen.size > _NAMED)
            yield Pattern(f"at the indices {names} {of}", np.isin(index, chosen), comb(size, chosen.size))
    if len(shape) > 1:
        yield Pattern("at the border of the array", edge)
        row, column = places[-2], places[-1]
        yield Pattern("on the diagonal", row == column)
        yield Pattern("beside the diagonal", row != column)
        yield Pattern("above the diagonal", row < column)
        yield Pattern("below the diagonal", row > column)
        yield Pattern("on the diagonal and above", row <= column)
        yield Pattern("on the diagonal and below", row >= column)


def _by_threshold(mismatch: Mismatch, arguments: Mapping[str, Any]) -> Iterator[Pattern]:
    """Yield the threshold that parts the wrong elements from the right ones by value or size, if there is one."""
    told = mismatch.wrong | mismatch.moved
    for name, array in _fitting(mismatch, arguments):
        if array.dtype.kind != "f":
            continue
        for text, v in ((name, mismatch.taken(array)), (f"|{name}|", np.abs(mismatch.taken(array)))):
            wrong, right = v[mismatch.wrong], v[told & ~mismatch.wrong]
            if not wrong.size or right.size <= _RIGHT * int(told.sum()):
                continue
            if wrong.min() > right.max():
                t = _round_between(float(right.max()), float(wrong.min()))
                yield Pattern(f"where {text} > {t:.6g}", v > right.max(), ways=int(told.sum()))
            if wrong.max() < right.min():
                t = _round_between(float(wrong.max()), float(right.min()))
                yield Pattern(f"where {text} < {t:.6g}", v < right.min(), ways=int(told.sum()))


def _fitting(mismatch: Mismatch, arguments: Mapping[str, Any]) -> list[tuple[str, Array]]:
    """Return the arrays that have a value for every element, the argument itself first."""
    found = []
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and value.dtype.kind in "fb" and value.shape == mismatch.shape:
            found.append((name, value))
    return sorted(found, key=lambda each: each[0] != mismatch.name)


def _tied(array: Array, axis: int | None) -> Array:
    """Flag the elements that have an equal along an axis (None: anywhere)."""
    if axis is None:
        flat = array.reshape(-1)
        _, inverse, counts = np.unique(flat, return_inverse=True, return_counts=True)
        return np.asarray((counts[inverse] > 1).reshape(array.shape))
    return np.apply_along_axis(lambda line: _tied(line, None), axis, array)


def _round_between(low: float, high: float) -> float:
    """Return the roundest number between two: what a person would have written."""
    for digits in range(-3, 12):
        rounded = round((low + high) / 2, digits)
        if low <= rounded <= high:
            return rounded
    return (low + high) / 2
