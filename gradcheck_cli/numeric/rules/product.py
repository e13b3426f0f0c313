"""Matrix products: an element moves a row or a column, a row or a column moves a matrix of rank one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Axes, Moved, flat_index, free_axes
from gradcheck_cli.numeric.rules.applied import Applied, MisfitError, Operands, shaped
from gradcheck_cli.numeric.rules.elementwise import common_axes

Shape = tuple[int, ...]


class _ByChange(NamedTuple):
    """How the change of a slab that is fixed along the axis of the sum changes the product, which then has no sum.

    `sources` tells which index of the slab each fixed axis of the output has, `taken` those of the operand that stays,
    fixed along `still`. `met` is this operand as a table in the shape of the output's free axes, 1 where it is
    stretched; so is `shape` of the slab. `in_place` says that the product has no axis that the former hasn't.
    """

    axes: Axes
    sources: tuple[int, ...]
    still: Axes
    taken: tuple[int, ...]
    met: Array
    shape: Shape
    in_place: bool


def fits_product(applied: Applied) -> bool:
    """Tell whether both operands are arrays of one floating type and the output has the shape of their product."""
    x, y = applied.arrays
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray) or min(x.ndim, y.ndim) < 1:
        return False
    try:
        np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        return False
    inner = y.shape[-2] if y.ndim > 1 else y.shape[0]
    ndim = max(x.ndim, y.ndim) - (x.ndim == 1) - (y.ndim == 1) if min(x.ndim, y.ndim) == 1 else max(x.ndim, y.ndim)
    return x.shape[-1] == inner and x.dtype == y.dtype == applied.out.dtype and applied.out.ndim == ndim


def product(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Push each operand through the product of what the other one is."""
    left, right = moved
    if left is not None and right is not None:
        crossing = _crossing(applied, left, right)
        return (_stacked(applied, moved) if crossing is None else crossing,)
    position, each = (0, left) if right is None else (1, right)
    assert each is not None
    return (_stacked(applied, moved) if (made := _alone(applied, position, each)) is None else made,)


def _alone(applied: Applied, position: int, each: Moved) -> Moved | None:
    """Push one operand; None where only stacks with K in front will do."""
    z = applied.arrays[position]
    if each.axes and not _finite(applied):
        return None
    if _inner(position, z.ndim) in each.axes:
        return _by_change(applied, position, each)
    if each.axes and each.axes[0] < z.ndim - 2:  # one of a stack
        return None
    return _whole(applied, position, each)


def _inner(position: int, ndim: int) -> int:
    """Return the axis of an operand over which the product sums."""
    return max(ndim - 2, 0) if position else ndim - 1


def _whole(applied: Applied, position: int, each: Moved) -> Moved:
    """Multiply rows, columns or everything, the perturbations being so many more columns."""
    x, y = applied.arrays
    if position:
        columns = y.shape[-1:] if y.ndim > 1 and not each.axes else ()
        flat = x @ (each.values.reshape(*y.shape[:-1], -1) if columns else each.values)
        axes, values = (applied.out.ndim - 1,), flat.reshape(*flat.shape[:-1], *columns, each.count)
    else:
        still = y if y.ndim == 1 else np.swapaxes(y, -1, -2)
        if still.ndim > 2 and x.ndim > 1 and not each.axes:  # for each row of the other
            still = still[..., None, :, :]
        axes, values = (applied.out.ndim - 1 - (y.ndim > 1),), np.matmul(still, each.values)
    return Moved(axes if each.axes else (), each.at, values)


def _by_change(applied: Applied, position: int, each: Moved) -> Moved:
    """Multiply the change with the row or column that it meets."""
    bases, still = applied.bases, applied.operands[1 - position]
    key = "by change", position, each.axes
    how: _ByChange | None = applied.cache.get(key)
    if how is None:
        how = applied.cache[key] = _find_by_change(applied, position, each.axes)
    indices = [each.at[source] for source in how.taken]
    met = how.met.take(flat_index(bases[still].shape, how.still, indices), axis=-1)
    change = bases.change(applied.operands[position], each)
    if change.ndim <= len(how.shape):  # else it has the output's free axes already
        change = change.reshape(*how.shape, each.count)
    values = np.multiply(met, change, out=met if how.in_place else None)
    at = tuple([each.at[source] for source in how.sources])
    values += bases.gather(applied.outputs[0], how.axes, at)
    return Moved(how.axes, at, values)


def _find_by_change(applied: Applied, position: int, axes: Axes) -> _ByChange:
    z, still, out = applied.arrays[position], applied.arrays[1 - position], applied.out
    mine, theirs = _places(applied, position), _places(applied, 1 - position)
    inner, other_inner = _inner(position, z.ndim), _inner(1 - position, still.ndim)
    fixed = {
        mine[axis]: source
        for source, axis in enumerate(axes)
        if axis != inner and z.shape[axis] == out.shape[mine[axis]]
    }
    kept = [axis for axis in theirs if theirs[axis] in fixed and still.shape[axis] == out.shape[theirs[axis]]]
    taken = {axis: fixed[theirs[axis]] for axis in kept} | {other_inner: axes.index(inner)}
    free = free_axes(out.ndim, tuple(fixed))
    shapes = []
    for array, places in ((still, theirs), (z, mine)):
        axis_at = {place: axis for axis, place in places.items()}
        shapes.append(tuple(array.shape[axis_at[place]] if place in axis_at else 1 for place in free))
    kept_axes = tuple(sorted(taken))
    table = applied.bases.table(applied.operands[1 - position], kept_axes)
    return _ByChange(
        tuple(sorted(fixed)),
        tuple(fixed[axis] for axis in sorted(fixed)),
        kept_axes,
        tuple(taken[axis] for axis in kept_axes),
        table.reshape(*shapes[0], table.shape[-1]),
        shapes[1],
        all(one >= other for one, other in zip(*shapes, strict=True)),
    )


def _places(applied: Applied, position: int) -> dict[int, int]:
    """Return which axis of the output each axis of an operand is, but the one that is summed over."""
    x, y = applied.arrays
    z, ndim = (y if position else x), applied.out.ndim
    stack = ndim - (x.ndim > 1) - (y.ndim > 1)
    places = {axis: axis + stack - (z.ndim - 2) for axis in range(z.ndim - 2)}
    if z.ndim > 1:
        places[z.ndim - 1 if position else z.ndim - 2] = ndim - 1 if position else ndim - 1 - (y.ndim > 1)
    return places


def _crossing(applied: Applied, left: Moved, right: Moved) -> Moved | None:
    """Change a row of a matrix and a column of another: a row and a column of their product; None for other slabs."""
    x, y = applied.arrays
    if not x.ndim == y.ndim == 2 or 0 not in left.axes or 1 not in right.axes or not _finite(applied):
        return None
    bases, (slot, other), out = applied.bases, applied.operands, applied.out
    row, column = _alone(applied, 0, left), _alone(applied, 1, right)
    assert row is not None
    assert column is not None
    if len(left.axes) == len(right.axes) == 2:  # elements: they meet where one's column is the other's row
        met = bases.change(slot, left) * bases.change(other, right) * (left.at[1] == right.at[0])
    else:
        rows, columns = bases.expand(slot, left, (0,)), bases.expand(other, right, (1,))
        met = np.sum(bases.change(slot, rows) * bases.change(other, columns), axis=0)
    each = np.arange(left.count)
    values = np.empty((*out.shape, left.count), out.dtype)
    values[...] = out[..., None]
    values[:, right.at[-1], each] = column.values
    values[left.at[0], :, each] += bases.change(applied.outputs[0], row).T
    values[left.at[0], right.at[-1], each] += met
    return Moved((), (), values)


def _finite(applied: Applied) -> bool:
    """Tell whether changes can be added: not to an infinite value."""
    if "finite" not in applied.cache:
        applied.cache["finite"] = all(np.isfinite(array).all() for array in (*applied.arrays, applied.out))
    return bool(applied.cache["finite"])


def _stacked(applied: Applied, moved: Operands) -> Moved:
    """Multiply stacks of matrices with K in front; what is fixed in the axes of the stacks stays fixed."""
    out = applied.out
    vectors = [array.ndim == 1 for array in applied.arrays]
    common = {} if any(vectors) else common_axes(applied, moved, out.ndim, last=2)
    at = tuple(moved[slot].at[where] for slot, where in common.values())  # type: ignore[union-attr] # it moves
    fronts = []
    for position, (slot, each) in enumerate(zip(applied.operands, moved, strict=True)):
        x = applied.bases[slot]
        shift = out.ndim - x.ndim
        mine = tuple(a - shift for a in common if a >= shift and x.shape[a - shift] == out.shape[a])
        if each is not None:
            values = applied.bases.expand(slot, each, mine).values
        else:
            values = applied.bases.gather(slot, mine, [at[list(common).index(a + shift)] for a in mine])
        kept = [x.shape[a] for a in range(x.ndim) if a not in mine and a + shift not in common]
        front = np.moveaxis(values.reshape(*kept, values.shape[-1]), -1, 0)
        if vectors[position]:
            front = front[..., None] if position else front[..., None, :]
        fronts.append(front)
    rank = max(front.ndim for front in fronts)
    padded = [front.reshape(len(front), *(1,) * (rank - front.ndim), *front.shape[1:]) for front in fronts]
    result = np.matmul(*padded)
    for position, axis in ((0, -2), (1, -1)):
        result = result.squeeze(axis) if vectors[position] else result
    fixed = tuple(common)
    shape = [size for axis, size in enumerate(out.shape) if axis not in fixed]
    if result.dtype != out.dtype:
        raise MisfitError("a product of another type")
    count = next(each.count for each in moved if each is not None)
    return Moved(fixed, at, np.ascontiguousarray(shaped(np.moveaxis(result, 0, -1), (*shape, count))))
