"""Small helpers on NumPy arrays that the whole core shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


def read_only(array: Array) -> Array:
    """Return a view of `array` that can't be written through."""
    view = array.view()
    view.setflags(write=False)
    return view


def map_arrays(value: Any, change: Callable[[Array], Array]) -> Any:
    """Return `value` with every array in it (also inside tuples, lists and dicts) put through `change`."""
    if isinstance(value, np.ndarray):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(map_arrays(part, change) for part in value)
    if type(value) is dict:
        return {key: map_arrays(part, change) for key, part in value.items()}
    return value


def same_bytes(before: Any, after: Any) -> bool:
    """Tell whether the arrays in two values are equal to the last bit; NaN equals itself."""
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        return before.dtype == after.dtype and before.shape == after.shape and before.tobytes() == after.tobytes()
    if type(before) in (tuple, list) and type(after) is type(before):
        return len(before) == len(after) and all(map(same_bytes, before, after))
    if type(before) is dict and type(after) is dict:
        return before.keys() == after.keys() and all(same_bytes(before[key], after[key]) for key in before)
    return True


def byte_count(value: Any) -> int:
    """Count the bytes of the arrays in a value (also inside tuples, lists and dicts)."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if type(value) is dict:
        value = tuple(value.values())
    return sum(map(byte_count, value)) if type(value) in (tuple, list) else 0


def unbroadcast(g: Array, shape: tuple[int, ...]) -> Array:
    """Sum `g` over the axes that broadcasting added or stretched, so that it has `shape` again.

    The adjoint of `np.broadcast_to(x, g.shape)` for an `x` of `shape`. A `g` that no broadcast of
    `shape` could have (a transposed one) is returned as it is: the check of shapes names that
    mistake better than a failed sum.
    """
    g = np.asarray(g)
    added = g.ndim - len(shape)
    if g.shape == shape or added < 0:
        return g
    pairs = list(zip(g.shape[added:], shape, strict=True))
    if any(got != size != 1 for got, size in pairs):
        return g
    stretched = [added + axis for axis, (got, size) in enumerate(pairs) if got != size]
    return np.asarray(g.sum(axis=(*range(added), *stretched))).reshape(shape)
