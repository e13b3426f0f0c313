"""Small helpers on NumPy arrays that the whole core shares."""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import copy
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[Any]]


def read_only(array: Array) -> Array:
    """Return a view of `array` that can't be written through."""
    view = array.view()
    view.setflags(write=False)
    return view


_DEEPEST = 8
"""Objects inside objects that are looked into."""

_Around: TypeAlias = tuple[int, ...]
"""The ids of the values that hold a value: some hold themselves, or one another in a circle."""


def map_arrays(value: Any, change: Callable[[Array], Array], depth: int = _DEEPEST, around: _Around = ()) -> Any:
    """Return `value` with every array in it put through `change`.

    Looks into tuples, lists, dicts, and the attributes of plain objects, of which it makes new ones.
    """
    if isinstance(value, np.ndarray):
        return change(value)
    if id(value) in around:
        return value
    inside = (*around, id(value))
    if isinstance(value, tuple):
        parts = [map_arrays(part, change, depth, inside) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if type(value) is list:
        return [map_arrays(part, change, depth, inside) for part in value]
    if isinstance(value, dict):
        new = {} if type(value) is dict else copy(value)  # a defaultdict stays one
        new.update({key: map_arrays(part, change, depth, inside) for key, part in value.items()})
        return new
    if depth and (held := _held(value)) and _holds_arrays(value, depth):
        other = copy(value)
        other.__dict__.update({key: map_arrays(part, change, depth - 1, inside) for key, part in held.items()})
        return other
    return value


def same_bytes(before: Any, after: Any) -> bool:
    """Tell whether the arrays in two values are equal to the last bit; NaN equals itself."""
    return changed_part(before, after) is None


def changed_part(before: Any, after: Any, depth: int = _DEEPEST, around: _Around = ()) -> str | None:
    """Say where the arrays in two values first differ, as Python writes it: `[0]`, `['x'].scale`.

    Empty where the values themselves do, None if they are equal to the last bit.
    """
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        alike = before.dtype == after.dtype and before.shape == after.shape and before.tobytes() == after.tobytes()
        return None if alike else ""
    if before is after or id(before) in around or type(before) is not type(after):
        return None
    if isinstance(before, tuple | list | dict):
        if len(before) != len(after) or (isinstance(before, dict) and before.keys() != after.keys()):
            return ""
        keys = before.keys() if isinstance(before, dict) else range(len(before))
        pairs = [(f"[{key!r}]", before[key], after[key]) for key in keys]
    elif depth and _holds_arrays(before, depth):
        old, new = _held(before), _held(after)
        if old.keys() != new.keys():
            return ""
        pairs, depth = [(f".{key}", old[key], new[key]) for key in old], depth - 1
    else:
        return None
    inside = (*around, id(before))
    found = ((name, changed_part(old, new, depth, inside)) for name, old, new in pairs)
    return next((f"{name}{rest}" for name, rest in found if rest is not None), None)


def byte_count(value: Any, around: _Around = ()) -> int:
    """Count the bytes of the arrays in a value (also inside tuples, lists, dicts and plain objects)."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if id(value) in around or not _holds_arrays(value):
        return 0
    return sum(byte_count(part, (*around, id(value))) for part in _parts(value))


def _parts(value: Any) -> Collection[Any]:
    """Return what a value is made of: items, or the attributes of a plain object."""
    if isinstance(value, tuple | list):
        return value
    return value.values() if isinstance(value, dict) else _held(value).values()


def _held(value: Any) -> dict[str, Any]:
    """Return the attributes of a plain object: none for a module, a class, or a function with attributes."""
    attributes = getattr(value, "__dict__", None)
    return attributes if type(attributes) is dict and not callable(value) and not isinstance(value, ModuleType) else {}


def _holds_arrays(value: Any, depth: int = _DEEPEST, around: _Around = ()) -> bool:
    if isinstance(value, np.ndarray):
        return True
    if not depth or id(value) in around:
        return False
    inside = (*around, id(value))
    return any(_holds_arrays(part, depth - 1, inside) for part in _parts(value))


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


def memory_of(array: Array) -> Array:
    """Return the array whose memory a view shows; itself if it is no view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
