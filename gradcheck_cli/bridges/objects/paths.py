"""Dotted paths into an object, `layers.0.W`: through attributes, the keys of mappings and the positions of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradcheck_cli.errors import near


class NoSuchPath(LookupError):
    """A path leads nowhere; the message says where it ends."""

    def __init__(self, message: str, holder: Any = None, key: str = "") -> None:
        super().__init__(message)
        self._holder = holder
        self._key = key

    @property
    def hint(self) -> str:
        """What is there instead."""
        there = names_at(self._holder)
        return near(self._key, there) or (f"there are: {', '.join(there)}" if there else "")


def value_at(root: Any, path: str) -> Any:
    """Return what stands at a path. Raises NoSuchPath."""
    holder, key = _last_step(root, path)
    return _get(holder, key, path)


def put_at(root: Any, path: str, value: Any) -> None:
    """Put a value at a path whose holder exists. Raises NoSuchPath where it can't stand there."""
    holder, key = _last_step(root, path)
    try:
        if isinstance(holder, Mapping | list | tuple):
            holder[key] = value  # type: ignore[index] # a tuple refuses, and that is said
        else:
            setattr(holder, key, value)
    except (TypeError, AttributeError, IndexError) as error:
        raise NoSuchPath(f"'{path}' can't be set: {error}") from error


def names_at(value: Any) -> list[str]:
    """List what a path can go on with: keys, positions, or public attributes."""
    if isinstance(value, Mapping):
        return [str(key) for key in value]
    if isinstance(value, list | tuple):
        return [str(position) for position in range(len(value))]
    return [name for name in getattr(value, "__dict__", {}) if not name.startswith("_")]


def _last_step(root: Any, path: str) -> tuple[Any, Any]:
    """Walk to the holder of the last step; return it with that step's key."""
    holder, parts = root, path.split(".")
    while True:
        key, parts = _step(holder, parts)
        if not parts:
            return holder, key
        holder = _get(holder, key, path)


def _step(holder: Any, parts: list[str]) -> tuple[Any, list[str]]:
    """Split off the key of one step; the keys of a mapping may have dots in them."""
    if isinstance(holder, Mapping):
        for count in range(len(parts), 0, -1):
            key = ".".join(parts[:count])
            if key in holder:
                return key, parts[count:]
            if key.isdecimal() and int(key) in holder:
                return int(key), parts[count:]
    if isinstance(holder, list | tuple) and parts[0].removeprefix("-").isdecimal():
        return int(parts[0]), parts[1:]
    return parts[0], parts[1:]


def _get(holder: Any, key: Any, path: str) -> Any:
    try:
        return holder[key] if isinstance(holder, Mapping | list | tuple) else getattr(holder, key)
    except (LookupError, TypeError, AttributeError) as error:
        kind = "" if isinstance(holder, Mapping | list | tuple) else f"{type(holder).__name__} "
        whole = f" (on the way to '{path}')" if path != str(key) else ""
        raise NoSuchPath(f"{kind}has no '{key}'{whole}".strip(), holder, str(key)) from error
