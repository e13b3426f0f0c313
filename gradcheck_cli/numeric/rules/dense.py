"""Rules that make more of an operand than what moves: in blocks that fit a cache, one by one where it is large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.rules.applied import Applied, MisfitError, Operands, count_of, moving

_Rule = Callable[[Applied, Operands], tuple[Moved, ...]]

LARGE = 2**13
"""Elements of an operand from which on one call each, on one array, is faster than a call with copies of it."""

_BLOCK = 2 << 20
"""Bytes of the largest operand of a call, near the size of a cache: whoever asks for more counts outputs only."""


def in_blocks(rule: _Rule, applied: Applied, moved: Operands, elements: int) -> tuple[Moved, ...]:
    """Call a rule that makes arrays of so many elements for each perturbation, with as many as fit a block."""
    count = count_of(moved)
    many = max(1, _BLOCK // max(1, 8 * elements))
    if count <= many:
        return rule(applied, moved)
    pieces = [_piece(moved, slice(low, low + many)) for low in range(0, count, many)]
    made = [rule(applied, piece) for piece in pieces]
    return tuple([_joined(outputs, pieces[0], moved) for outputs in zip(*made, strict=True)])


def _piece(moved: Operands, part: slice) -> Operands:
    shared: dict[int, Array] = {}

    def cut(index: Array) -> Array:
        return shared.setdefault(id(index), index[part])

    return [
        None if each is None else Moved(each.axes, tuple([cut(index) for index in each.at]), each.values[..., part])
        for each in moved
    ]


def _joined(parts: Sequence[Moved], piece: Operands, moved: Operands) -> Moved:
    """Join what the pieces made; an index array that was handed through stays the one that it was."""
    whole = {
        id(cut): index
        for short, each in zip(piece, moved, strict=True)
        if short is not None and each is not None
        for cut, index in zip(short.at, each.at, strict=True)
    }
    first = parts[0]
    at = [
        whole[id(cut)] if id(cut) in whole else np.concatenate([part.at[where] for part in parts])
        for where, cut in enumerate(first.at)
    ]
    return Moved(first.axes, tuple(at), np.concatenate([part.values for part in parts], axis=-1))


def is_large(applied: Applied, moved: Operands) -> bool:
    """Tell whether slabs of large operands move, of an operator that is known to leave its operands alone."""
    slabs = [(applied.arrays[slot], moved[slot]) for slot in moving(moved)]
    return applied.operator.trusted and all(x.size >= LARGE and each.axes for x, each in slabs if each is not None)


def one_by_one(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Call the forward for each perturbation on the same arrays, in which only the slabs are written, and restored."""
    count, arrays = count_of(moved), applied.arrays
    slots = moving(moved)
    for slot in slots:
        arrays[slot] = np.array(arrays[slot], order="C")
    results = [np.empty((*applied.bases[slot].shape, count), applied.bases[slot].dtype) for slot in applied.outputs]
    for k in range(count):
        for slot in slots:
            _put(arrays[slot], moved[slot], k)
        for result, out in zip(results, applied.forward(arrays), strict=True):
            if out.shape != result.shape[:-1]:
                raise MisfitError("outputs of another layout")
            result[..., k] = out
        for slot in slots:
            _restore(arrays[slot], applied.bases[applied.operands[slot]], moved[slot], k)
    return tuple([Moved((), (), result) for result in results])


def _key(each: Moved, ndim: int, k: int) -> tuple[Any, ...]:
    index: list[Any] = [slice(None)] * ndim
    for axis, at in zip(each.axes, each.at, strict=True):
        index[axis] = at[k]
    return tuple(index)


def _put(array: Array, each: Moved | None, k: int) -> None:
    assert each is not None
    array[_key(each, array.ndim, k)] = each.values[..., k]


def _restore(array: Array, base: Array, each: Moved | None, k: int) -> None:
    assert each is not None
    key = _key(each, array.ndim, k)
    array[key] = base[key]
