"""Options whose values are already what they should be: left out, or plain text.

Typer builds a validator for every option that a command has, also those that nobody gave, and imports pydantic for
it, which takes longer than a small check. Here it builds one only for a value that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from gradcheck_cli.errors import near, printable


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
        _name_plainly(each)
    return list(params)


def _name_plainly(param: Any) -> None:
    """Have help say what a person writes (`N`, "1 or more") in place of types and formulas (`<int range>`, "x>=1")."""
    if hasattr(param, "_get_number_range_help_str"):  # other versions of typer have other words
        param._get_number_range_help_str = lambda: _limits(param.min, param.max)
    if param.param_type_name == "argument" and hasattr(param, "display_type_rich"):
        param.display_type_rich = lambda ctx: ""  # noqa: ARG005 (as typer calls it)


def _is_looked_up(param: Any) -> bool:
    """Tell whether a path has to be there, or is made another one."""
    info = param.type_descriptor.parameter_info
    return any(getattr(info, key, None) for key in ("exists", "resolve_path", "allow_dash", "path_type"))


def _chosen(text: str, choices: type[Enum], param: Any, ctx: Any) -> Enum:
    """Return the choice of that name. Raises BadParameter, with what a person may have meant."""
    values = [str(each.value) for each in choices]
    if text in values:
        return choices(text)
    meant = getattr(choices, "meant", None)
    hint = (meant(text) if meant else "") or near(text, values)
    message = f"'{text}' is not one of {', '.join(values)}.{f' {hint}' if hint else ''}"
    raise typer.BadParameter(printable(message), ctx=ctx, param=param)


def _number(text: str, kind: type, param: Any, ctx: Any) -> Any:
    """Return a number within the limits of an option. Raises BadParameter."""
    try:
        number = kind(text)
    except ValueError:
        words = "a whole number" if kind is int else "a number"
        raise typer.BadParameter(printable(f"'{text}' should be {words}"), ctx=ctx, param=param) from None
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    if (low is not None and number < low) or (high is not None and number > high):
        raise typer.BadParameter(printable(f"'{text}' should be {_limits(low, high)}"), ctx=ctx, param=param)
    return number


def _limits(low: Any, high: Any) -> str:
    """Say between which numbers an option lies; empty if it has no limits."""
    return " and ".join([f"{low} or more"] * (low is not None) + [f"{high} or less"] * (high is not None))


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
        if not several and type(value) is str and isinstance(wanted, type):
            if issubclass(wanted, Enum):
                return _chosen(value, wanted, param, ctx)
            if wanted in (int, float):
                return _number(value, wanted, param, ctx)
        if wanted == list[Path] and type(value) in (list, tuple) and not _is_looked_up(param):
            return [Path(item) for item in value]
        return self._build().coerce(value, param=param, ctx=ctx)
