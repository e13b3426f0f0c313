"""Small helpers on NumPy arrays that the whole core shares."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


def read_only(array: Array) -> Array:
    """Return a view of `array` that can't be written through."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def unbroadcast(g: Array, shape: tuple[int, ...]) -> Array:
    """Sum `g` over the axes that broadcasting added or stretched, so that it has `shape` again.

    The adjoint of `np.broadcast_to(x, g.shape)` for an `x` of `shape`.
    """
    g = np.asarray(g)
    if g.shape == shape:
        return g
    added = g.ndim - len(shape)
    stretched = [added + axis for axis, size in enumerate(shape) if size == 1 and g.shape[added + axis] != 1]
    return np.asarray(g.sum(axis=(*range(added), *stretched)).reshape(shape))
