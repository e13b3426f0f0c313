"""What an object holds, however deep, and how it is copied with all of it."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array

_ATOMS = (str, bytes, int, float, complex, bool, type(None), type, np.dtype, np.generic)


@dataclass(eq=False)
class Contents:
    """The parts of an object that matter for a copy, each once.

    `closures` are functions with variables of an outer function, which may be the object itself.
    `lookups` are objects that compute missing attributes, `modules` can't be copied, and `others` are
    objects of which nothing is known.
    """

    arrays: list[Array] = field(default_factory=list)
    closures: list[FunctionType] = field(default_factory=list)
    lookups: list[Any] = field(default_factory=list)
    modules: list[ModuleType] = field(default_factory=list)
    others: list[Any] = field(default_factory=list)


def contents_of(value: Any) -> Contents:
    """Look through containers, the attributes of objects, and what functions have closed over."""
    found = Contents()
    seen: dict[int, Any] = {}  # the values, too: an id is another's once its object is gone
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _ATOMS) or id(part) in seen:
            continue
        seen[id(part)] = part
        if isinstance(part, np.ndarray) and part.dtype != object:
            found.arrays.append(part)
        elif isinstance(part, ModuleType):
            found.modules.append(part)
        elif isinstance(part, FunctionType):
            if part.__closure__:
                found.closures.append(part)
                waiting.extend(filled.cell_contents for filled in part.__closure__ if _is_filled(filled))
        else:
            inside = list(_parts(part))
            waiting.extend(inside)
            if _is_lookup(part):
                found.lookups.append(part)
            if not inside:
                found.others.append(part)
    return found


def duplicate(
    value: Any, replaced: Mapping[int, Any] | None = None, contents: Contents | None = None
) -> tuple[Any, dict[int, Any]]:
    """Copy an object with everything in it; return the copy, and the copy of each part by the id of the part.

    `replaced` has what stands in the place of parts, by id: it isn't copied. `contents` saves looking
    through the object again. What can't be copied (a module, a lock) is shared. Raises TypeError for
    an object that refuses to be copied.
    """
    contents = contents_of(value) if contents is None else contents
    memo = _prepared(contents, replaced or {})
    try:
        return _copied(value, contents, memo), memo
    except TypeError:
        memo = _prepared(contents, replaced or {})
        memo.update((id(part), part) for part in contents.others if not _can_be_copied(part))
        return _copied(value, contents, memo), memo


def _parts(value: Any) -> Iterator[Any]:
    """Yield what an object is made of."""
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple | set | frozenset | deque):
        yield from value
    elif isinstance(value, np.ndarray):
        yield from value.flat
    elif isinstance(value, MethodType):
        yield value.__self__
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict):
        yield from attributes.values()
    for name in _slots(type(value)):
        yield getattr(value, name, None)


def _slots(kind: type) -> list[str]:
    """List the slots of a class and its bases that hold values."""
    found: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        found += [slots] if isinstance(slots, str) else slots
    return [name for name in found if name not in ("__dict__", "__weakref__")]


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # the outer function has not come to it yet
        return False


def _is_lookup(value: Any) -> bool:
    """Tell whether an object has a `__getattr__`, which many write so that it fails on a copy that is still empty."""
    kind = type(value)
    own_ways = any(hasattr(kind, name) for name in ("__deepcopy__", "__setstate__", "__getnewargs_ex__"))
    inherited = all(getattr(kind, name) is getattr(object, name) for name in ("__new__", "__reduce_ex__"))
    return hasattr(kind, "__getattr__") and inherited and not own_ways and not _slots(kind)


def _prepared(contents: Contents, replaced: Mapping[int, Any]) -> dict[int, Any]:
    """Return what `deepcopy` is to take as copied: replaced parts, and shells that `_copied` fills."""
    memo: dict[int, Any] = {id(module): module for module in contents.modules}
    cells: dict[int, CellType] = {}
    for function in contents.closures:
        closure = tuple(cells.setdefault(id(cell), CellType()) for cell in function.__closure__ or ())
        twin = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, closure)
        twin.__kwdefaults__ = function.__kwdefaults__
        twin.__dict__.update(function.__dict__)
        memo[id(function)] = twin
    memo.update((id(value), object.__new__(type(value))) for value in contents.lookups)
    memo.update(replaced)
    return memo


def _copied(value: Any, contents: Contents, memo: dict[int, Any]) -> Any:
    """Copy an object, and fill the shells in it: a lambda on an object would see the original without."""
    copied = deepcopy(value, memo)
    for lookup in contents.lookups:
        memo[id(lookup)].__dict__.update(deepcopy(lookup.__dict__, memo))
    for function in contents.closures:
        twin = memo[id(function)]
        for old, new in zip(function.__closure__ or (), twin.__closure__ or (), strict=True):
            if _is_filled(old) and not _is_filled(new):
                new.cell_contents = deepcopy(old.cell_contents, memo)
    return copied


def _can_be_copied(part: Any) -> bool:
    try:
        deepcopy(part)
    except Exception:
        return False
    return True
