"""Perturbed values in compact form: the base value, and what differs from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array

Axes = tuple[int, ...]


class Moved(NamedTuple):
    """Many perturbations of one array, each equal to its base but in one slab.

    Perturbation k differs from the base where the index along each fixed axis `axes[i]` (ascending) is
    `at[i][k]`, at most; there it is `values[..., k]`. `values` has the shape (*free axes, K): with all axes fixed it
    is one element each, with none everything. The K axis is last, so that NumPy aligns the others from the right.
    Two values that share an index array (the same object) move together along that axis.
    """

    axes: Axes
    at: tuple[Array, ...]
    values: Array

    @property
    def count(self) -> int:  # type: ignore[override] # nobody counts the fields
        """The number of perturbations, K."""
        return int(self.values.shape[-1])


def free_axes(ndim: int, axes: Axes) -> list[int]:
    """List the axes that aren't fixed."""
    return [axis for axis in range(ndim) if axis not in axes]


class Bases:
    """The values at the point by slot, and parts of them laid out for gathering.

    A slot holds an array; one of an operand that is no array holds what it is.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self._tables: dict[tuple[int, Axes], Array] = {}
        self.widest = 0

    def __getitem__(self, slot: int) -> Any:
        return self.values[slot]

    def table(self, slot: int, axes: Axes) -> Array:
        """Return the base as (*free axes, product of the fixed ones), read-only; made once."""
        key = slot, axes
        if key not in self._tables:
            x = self.values[slot]
            free = free_axes(x.ndim, axes)
            fixed = math.prod(x.shape[axis] for axis in axes)
            laid = np.ascontiguousarray(x.transpose(*free, *axes)).reshape(*(x.shape[axis] for axis in free), fixed)
            laid.setflags(write=False)
            self._tables[key] = laid
        return self._tables[key]

    def gather(self, slot: int, axes: Axes, at: Sequence[Array]) -> Array:
        """Return the base where the fixed axes are at `at`: (*free axes, K), or (*free axes, 1) if none is fixed."""
        x = self.values[slot]
        if not axes:
            return np.asarray(x[..., None])
        return self.table(slot, axes).take(flat_index(x.shape, axes, at), axis=-1)

    def expand(self, slot: int, moved: Moved, keep: Axes) -> Moved:
        """Fix only those axes of `moved` that are in `keep`: the others become free."""
        if moved.axes == keep or all(axis in keep for axis in moved.axes):
            return moved
        position = dict(zip(moved.axes, moved.at, strict=True))
        fixed = tuple(axis for axis in moved.axes if axis in keep)
        at = tuple(position[axis] for axis in fixed)
        base = self.gather(slot, fixed, at)
        full = np.empty((*base.shape[:-1], moved.count), base.dtype)
        full[...] = base
        self.widest = max(self.widest, full.nbytes)
        free = free_axes(self.values[slot].ndim, fixed)
        loosened = [i for i, axis in enumerate(free) if axis in position]
        others = [i for i in range(len(free)) if i not in loosened]
        # The loosened axes and K in front, so that one assignment fills them.
        view = full.transpose(*loosened, full.ndim - 1, *others)
        view[(*(position[free[i]] for i in loosened), np.arange(moved.count))] = np.moveaxis(moved.values, -1, 0)
        return Moved(fixed, at, full)

    def dense(self, slot: int, moved: Moved) -> Array:
        """Return all of every perturbed value, shape (*axes, K)."""
        return self.expand(slot, moved, ()).values

    def one(self, slot: int, moved: Moved, k: int) -> Array:
        """Return perturbed value `k` alone, contiguous and of its own."""
        out = np.array(self.values[slot], order="C")
        index: list[Any] = [slice(None)] * out.ndim
        for axis, at in zip(moved.axes, moved.at, strict=True):
            index[axis] = at[k]
        out[tuple(index)] = moved.values[..., k]
        return out

    def change(self, slot: int, moved: Moved) -> Array:
        """Return by how much the slab differs from the base, shape (*free axes, K)."""
        return np.asarray(moved.values - self.gather(slot, moved.axes, moved.at))


def flat_index(shape: Sequence[int], axes: Axes, at: Sequence[Array]) -> Array:
    """Return one index for several fixed axes, counted in C order over these."""
    index = at[0]
    for axis, more in zip(axes[1:], at[1:], strict=True):
        index = index * shape[axis] + more
    return index
