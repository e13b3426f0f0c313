"""Matrix products: an element moves a row or a column, a row or a column moves a matrix of rank one."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.rules.applied import Applied, MisfitError, Operands, shaped
from gradcheck_cli.numeric.rules.elementwise import common_axes


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
    if left is None or right is None:
        side, each = (_side(applied, _Left, 0), left) if right is None else (_side(applied, _Right, 1), right)
        assert each is not None
        if side is not None and (not each.axes or _finite(applied)):
            return (side.push(each),)
    return (_stacked(applied, moved),)


def _side(applied: Applied, kind: type[_Left] | type[_Right], slot: int) -> _Left | _Right | None:
    """Return what pushes one operand of two matrices, made once; None for stacks and vectors."""
    key = "side", slot
    if key not in applied.cache:
        x, y = applied.arrays
        applied.cache[key] = kind(applied) if x.ndim == y.ndim == 2 else None
    side: _Left | _Right | None = applied.cache[key]
    return side


class _Right:
    """The right operand Y of X @ Y moves; X stays."""

    def __init__(self, applied: Applied) -> None:
        self.applied = applied
        self.bases = applied.bases
        self.still, self.slot = applied.operands
        self.out = applied.outputs[0]

    def push(self, each: Moved) -> Moved:
        """Return what the product does."""
        x = self.bases[self.still]
        if each.axes == (0, 1):  # an element: a column, by its change
            column = self.bases.table(self.still, (1,)).take(each.at[0], axis=-1)
            column *= self.bases.change(self.slot, each)
            column += self.bases.table(self.out, (1,)).take(each.at[1], axis=-1)
            return Moved((1,), each.at[1:], column)
        if each.axes == (1,):  # a column stays one
            return Moved((1,), each.at, x @ each.values)
        if each.axes == (0,):  # a row: a change of rank one
            column = self.bases.table(self.still, (1,)).take(each.at[0], axis=-1)
            return Moved((), (), _rank_one(column, self.bases.change(self.slot, each), self.bases[self.out]))
        inner, columns, count = each.values.shape
        flat = x @ each.values.reshape(inner, columns * count)
        return Moved((), (), flat.reshape(len(x), columns, count))


class _Left:
    """The left operand X of X @ Y moves; Y stays."""

    def __init__(self, applied: Applied) -> None:
        self.applied = applied
        self.bases = applied.bases
        self.slot, self.still = applied.operands
        self.out = applied.outputs[0]

    def push(self, each: Moved) -> Moved:
        """Return what the product does."""
        y = self.bases[self.still]
        if each.axes == (0, 1):  # an element: a row, by its change
            row = self.bases.table(self.still, (0,)).take(each.at[1], axis=-1)
            row *= self.bases.change(self.slot, each)
            row += self.bases.table(self.out, (0,)).take(each.at[0], axis=-1)
            return Moved((0,), each.at[:1], row)
        if each.axes == (0,):  # a row stays one
            return Moved((0,), each.at, y.T @ each.values)
        if each.axes == (1,):  # a column: a change of rank one
            row = self.bases.table(self.still, (0,)).take(each.at[0], axis=-1)
            return Moved((), (), _rank_one(self.bases.change(self.slot, each), row, self.bases[self.out]))
        return Moved((), (), np.matmul(y.T, each.values))


def _rank_one(column: Array, row: Array, base: Array) -> Array:
    product = column[:, None] * row
    product += base[..., None]
    return product


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
