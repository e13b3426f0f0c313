"""Options whose values are already what they should be: left out, or plain text.

Typer builds a validator for every option that a command has, also those that nobody gave, and imports pydantic for
it, which takes longer than a small check. Here it builds one only for a value that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainValuesCommand(TyperCommand):
    """A command whose options are read without a validator where none is needed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options, `--help` included."""
        return _read_plainly(super().get_params(ctx))


class PlainValuesGroup(TyperGroup):
    """The program itself, whose options are read in the same way."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options, those of shell completion included."""
        return _read_plainly(super().get_params(ctx))


def _read_plainly(params: Sequence[Any]) -> list[Any]:
    for each in params:
        build = getattr(each, "get_runtime_param", None)  # other versions of typer build no validators
        if build is not None and not isinstance(build, _Reader):
            each.get_runtime_param = _Reader(build)
    return list(params)


def _is_looked_up(param: Any) -> bool:
    """Tell whether a path has to be there, or is made another one."""
    info = param.type_descriptor.parameter_info
    return any(getattr(info, key, None) for key in ("exists", "resolve_path", "allow_dash", "path_type"))


class _Reader:
    """Stands in for typer's validator of one option; `build` makes that."""

    def __init__(self, build: Any) -> None:
        self._build = build

    def __call__(self) -> _Reader:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return what typer makes of the value of an option. Raises BadParameter for a wrong one."""
        several = param.multiple or param.nargs == -1
        wanted = param.type_descriptor.annotation
        if value is None:
            return () if several else None
        if wanted is str and type(value) is str:
            return value
        if wanted == list[str] and type(value) in (list, tuple) and all(type(item) is str for item in value):
            return list(value)
        if isinstance(wanted, type) and type(value) is wanted and not several:  # a default: an enum's member
            return value
        if wanted == list[Path] and type(value) in (list, tuple) and not _is_looked_up(param):
            return [Path(item) for item in value]
        return self._build().coerce(value, param=param, ctx=ctx)
