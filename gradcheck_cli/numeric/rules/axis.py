"""Operators that work along their attribute `axis`: reductions, softmax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Axes, Moved, free_axes
from gradcheck_cli.numeric.rules.applied import Applied, MisfitError, Operands, shaped
from gradcheck_cli.numeric.rules.dense import in_blocks, is_large, one_by_one
from gradcheck_cli.numeric.rules.uniform import uniform_factor

_LONG = 64
"""Elements along an axis from which on the order of summation matters."""


def fits_axis(applied: Applied) -> bool:
    """Tell whether the outputs keep all axes, or lose those that the operator works along or keep them with size 1."""
    (x,) = applied.arrays
    try:
        over = _over(applied)
    except (TypeError, ValueError, np.exceptions.AxisError):
        return False
    shapes = (
        x.shape,
        tuple(size for axis, size in enumerate(x.shape) if axis not in over),
        tuple(1 if axis in over else size for axis, size in enumerate(x.shape)),
    )
    return x.ndim > 0 and all(applied.bases[slot].shape in shapes for slot in applied.outputs)


def along_axis(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Free the axes that the operator works along, and call the forward with these counted among the free ones."""
    (slot,), (each,) = applied.operands, moved
    assert each is not None
    x, over = applied.bases[slot], _over(applied)
    if any(axis in over for axis in each.axes) and (factor := _factor(applied, over)) is not None:
        return (_by_change(applied, each, over, factor),)
    kept = tuple(axis for axis in each.axes if axis not in over)
    if not kept and is_large(applied, moved):
        return one_by_one(applied, moved)
    return in_blocks(_freed, applied, moved, x.size // math.prod(x.shape[axis] for axis in kept))


def _freed(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    (slot,), (each,) = applied.operands, moved
    assert each is not None
    x, over = applied.bases[slot], _over(applied)
    each = applied.bases.expand(slot, each, tuple(axis for axis in each.axes if axis not in over))
    free = free_axes(x.ndim, each.axes)
    axes = tuple(position for position, axis in enumerate(free) if axis in over)
    values = each.values
    front = math.prod(x.shape[axis] for axis in over) >= _LONG
    if front:  # NumPy sums in pairs, more exactly, along the last axis only
        values, axes = np.ascontiguousarray(np.moveaxis(values, -1, 0)), tuple(axis + 1 for axis in axes)
    made = []
    for out_slot, out in zip(applied.outputs, applied.forward([values], axis=_like(applied, axes)), strict=True):
        kept = _kept(x.ndim, over, applied.bases[out_slot].ndim)
        fixed = tuple(kept.index(axis) for axis in each.axes)
        shape = [n for axis, n in enumerate(applied.bases[out_slot].shape) if axis not in fixed]
        result = np.moveaxis(out, 0, -1) if front and out.ndim else out
        made.append(Moved(fixed, each.at, shaped(result, (*shape, each.count))))
    return tuple(made)


def _over(applied: Applied) -> Axes:
    """Return the axes that the operator works along, counted from the front."""
    ndim = applied.arrays[0].ndim
    axis = applied.attribute("axis")
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(sorted(np.lib.array_utils.normalize_axis_index(int(each), ndim) for each in axes))


def _like(applied: Applied, axes: Axes) -> Any:
    """Return axes in the form of the attribute: one number where that is one."""
    several = isinstance(applied.attribute("axis"), tuple | list)
    return axes if several or len(axes) != 1 else axes[0]


def _kept(ndim: int, over: Axes, out_ndim: int) -> list[int]:
    """List which axis of the operand each axis of an output is."""
    return list(range(ndim)) if out_ndim == ndim else free_axes(ndim, over)


def _factor(applied: Applied, over: Axes) -> Array | None:
    """Return what a unit change of any element changes in a linear reduction; None where there is no such number."""
    if "factor" not in applied.cache:
        x = applied.arrays[0]
        reduces = len(applied.outputs) == 1 and applied.out.size * math.prod(x.shape[axis] for axis in over) == x.size
        usable = reduces and applied.is_linear([0]) and np.isfinite(x).all() and x.size > 0
        applied.cache["factor"] = uniform_factor(applied, 0) if usable else None
    factor: Array | None = applied.cache["factor"]
    return factor


def _by_change(applied: Applied, each: Moved, over: Axes, factor: Array) -> Moved:
    """Add the change of a slab to a linear reduction of all, so that the cost doesn't grow with what stays."""
    (slot,), x, out = applied.operands, applied.arrays[0], applied.out
    change = applied.bases.change(slot, each)
    free = free_axes(x.ndim, each.axes)
    lost = tuple(position for position, axis in enumerate(free) if axis in over)
    change = np.sum(change, axis=lost) if lost else change
    kept = _kept(x.ndim, over, out.ndim)
    pairs = [(kept.index(axis), at) for axis, at in zip(each.axes, each.at, strict=True) if axis not in over]
    fixed, at = tuple(axis for axis, _ in pairs), tuple(index for _, index in pairs)
    base = applied.bases.gather(applied.outputs[0], fixed, at)
    if change.size != base.size and base.size * each.count != change.size * base.shape[-1]:
        raise MisfitError("a reduction of another shape")
    total = base + factor * change.reshape(*base.shape[:-1], each.count)
    return Moved(fixed, at, total.astype(out.dtype, copy=False))
