"""Arrays that are views of one memory, copied so that they still are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array, memory_of


class Buffer:
    """Arrays of an object that share memory: a vector of all weights, and the weights as parts of it."""

    def __init__(self, root: Array, views: Sequence[Array]) -> None:
        self._root = root
        self._views = list(views)
        self.floating = root.dtype.kind == "f"
        self.ids = frozenset(map(id, self._views))

    def copies(self, dtype: np.dtype[Any] | None = None) -> dict[int, Array]:
        """Return a copy of each array by the id of the array; they share memory as the arrays do.

        `dtype` is that of the copies, by default the arrays' own.
        """
        root = np.array(self._root, dtype, order="K")
        memory = root.ravel(order="K")
        start = self._root.__array_interface__["data"][0]
        old, new = self._root.itemsize, root.itemsize
        copied: dict[int, Array] = {}
        for view in self._views:
            offset = (view.__array_interface__["data"][0] - start) // old * new
            strides = [stride // old * new for stride in view.strides]
            copied[id(view)] = np.ndarray(view.shape, root.dtype, memory, offset, strides)
        return copied


def buffers_of(arrays: Sequence[Array]) -> tuple[list[Buffer], list[Array]]:
    """Sort arrays into those that share memory with one another, and those that stand alone.

    Views of another dtype than their memory's, and of memory with gaps, count as standing alone.
    """
    groups: dict[int, list[Array]] = {}
    roots: dict[int, Array] = {}
    for array in arrays:
        root = memory_of(array)
        roots[id(root)] = root
        groups.setdefault(id(root), []).append(array)
    shared: list[Buffer] = []
    alone: list[Array] = []
    for key, group in groups.items():
        root = roots[key]
        plain = all(type(array) is np.ndarray and array.dtype == root.dtype for array in group)
        if len(group) > 1 and plain and (root.flags.c_contiguous or root.flags.f_contiguous):
            shared.append(Buffer(root, group))
        else:
            alone.extend(group)
    return shared, alone


def zeros_like(array: Array) -> Array:
    """Return zeros in the layout of `array` that cost no memory before they are written to."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return np.zeros(array.shape, array.dtype, order="F" if fortran else "C")
