"""Elementwise operators of any arity: what is one element stays one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Axes, Bases, Moved, flat_index, free_axes
from gradcheck_cli.numeric.rules.applied import Applied, MisfitError, Operands, count_of, moving, shaped

Ready = Callable[[Operands], Any]
"""Makes an operand of the batched call."""


class _Kernel(NamedTuple):
    """What is to be done for one pattern of fixed axes: the axes that stay fixed, where their indices are, operands."""

    axes: Axes
    sources: tuple[tuple[int, int], ...]
    operands: tuple[Ready, ...]
    free: tuple[int, ...]


def fits_elementwise(applied: Applied) -> bool:
    """Tell whether all outputs have the shape to which the operands broadcast, and no losses are reduced to one."""
    if applied.attribute("reduction") in ("mean", "sum"):
        return False
    shapes = [array.shape for array in applied.arrays if isinstance(array, np.ndarray)]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return all(applied.bases[slot].shape == shape for slot in applied.outputs)


def elementwise(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Align the axes from the right, keep fixed those that all moving operands fix alike, and call the forward."""
    key = pattern(moved)
    kernel = applied.cache.get(key)
    if kernel is None:
        kernel = applied.cache[key] = _kernel(applied, moved)
    arrays = [ready(moved) for ready in kernel.operands]
    at = tuple([moved[slot].at[where] for slot, where in kernel.sources])  # type: ignore[union-attr] # it moves
    shape = (*kernel.free, count_of(moved))
    made = applied.forward(arrays)
    if len(made) == 1 and made[0].shape == shape:
        return (Moved(kernel.axes, at, made[0]),)
    for values in made:
        if values.shape[-1:] != shape[-1:]:  # a reduction has taken the perturbations together
            raise MisfitError("a batch that lost its perturbations")
    return tuple([Moved(kernel.axes, at, shaped(values, shape)) for values in made])


def pattern(moved: Operands) -> tuple[Any, ...]:
    """Return what a kernel depends on: which axes are fixed, and which operands share an index array."""
    if len(moved) == 1:  # with itself alone it shares nothing
        (each,) = moved
        return () if each is None else each.axes
    if len(moved) == 2:
        one, other = moved
        if one is None or other is None:
            return None if one is None else one.axes, None if other is None else other.axes
    seen: dict[int, int] = {}
    return tuple(
        [
            None if each is None else (each.axes, tuple([seen.setdefault(id(at), len(seen)) for at in each.at]))
            for each in moved
        ]
    )


def common_axes(applied: Applied, moved: Operands, ndim: int, last: int = 0) -> dict[int, tuple[int, int]]:
    """Return the output axes that every moving operand fixes at the same indices, and where these are.

    Axes are aligned from the right, `last` axes of each operand not counting: these are never common. An axis of
    size 1 that is stretched isn't fixed.
    """
    out = applied.out
    common: dict[int, tuple[int, int]] | None = None
    indices: dict[int, Array] = {}
    for slot in moving(moved):
        x, each = applied.arrays[slot], moved[slot]
        assert each is not None
        shift = ndim - x.ndim
        aligned = {
            axis + shift: (slot, where)
            for where, axis in enumerate(each.axes)
            if axis < x.ndim - last and x.shape[axis] == out.shape[axis + shift]
        }
        mine = {axis: each.at[where] for axis, (_, where) in aligned.items()}
        if common is None:
            common, indices = aligned, mine
        else:
            common = {axis: source for axis, source in common.items() if mine.get(axis) is indices[axis]}
    return dict(sorted((common or {}).items()))


def _kernel(applied: Applied, moved: Operands) -> _Kernel:
    out = applied.out
    common = common_axes(applied, moved, out.ndim)
    operands = tuple(_ready(applied, position, moved[position], common) for position in range(len(moved)))
    free = tuple(out.shape[axis] for axis in free_axes(out.ndim, tuple(common)))
    return _Kernel(tuple(common), tuple(common.values()), operands, free)


def _ready(applied: Applied, position: int, each: Moved | None, common: dict[int, tuple[int, int]]) -> Ready:
    """Return what makes an operand that is fixed along the `common` axes of the output: (*free axes, K or 1)."""
    bases, slot, shape = applied.bases, applied.operands[position], applied.out.shape
    x = bases[slot]
    if not isinstance(x, np.ndarray):
        return lambda _: x
    shift = len(shape) - x.ndim
    mine = tuple(axis - shift for axis in common if axis >= shift and x.shape[axis - shift] == shape[axis])
    free = free_axes(x.ndim, mine)
    # Axes of size 1 that are stretched along a fixed axis go.
    kept = tuple(x.shape[axis] for axis in free if axis + shift not in common)
    if each is not None:
        return _ready_moved(bases, slot, position, mine, None if len(kept) == len(free) else kept)
    if not mine:
        still = x.reshape(()) if x.size == 1 else x.reshape(*kept, 1)
        return lambda _: still
    table = bases.table(slot, mine)
    table = table.reshape(*kept, table.shape[-1])
    sources = [common[axis + shift] for axis in mine]

    def gathered(moved: Operands) -> Array:
        at = [moved[operand].at[index] for operand, index in sources]  # type: ignore[union-attr] # it moves
        return table.take(flat_index(x.shape, mine, at), axis=-1)

    return gathered


def _ready_moved(bases: Bases, slot: int, position: int, keep: Axes, shape: Sequence[int] | None) -> Ready:
    def expanded(moved: Operands) -> Array:
        each = moved[position]
        assert each is not None
        values = each.values if each.axes == keep else bases.expand(slot, each, keep).values
        return values if shape is None else values.reshape(*shape, each.count)

    return expanded
