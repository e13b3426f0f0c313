"""The commands by name: each is imported and built when it is asked for, since building them all takes 15 ms."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from gradcheck_cli.cli.ids import CommandWithIds
from gradcheck_cli.cli.plain_values import PlainValuesCommand

# In the order of `--help`. A command is the function of its name, in the module of its name; None is for a group.
_KINDS: dict[str, type[PlainValuesCommand] | None] = {
    "run": CommandWithIds,
    "check-ops": PlainValuesCommand,
    "graph": CommandWithIds,
    "list-ops": PlainValuesCommand,
    "show-op": PlainValuesCommand,
    "explain": PlainValuesCommand,
    "new": None,
    "schema": PlainValuesCommand,
}


class Commands(Mapping[str, Any]):
    """All commands; looking one up makes it."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _make(name, _KINDS[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_KINDS)

    def __len__(self) -> int:
        return len(_KINDS)


def _make(name: str, kind: type[PlainValuesCommand] | None) -> Any:
    home = name.replace("-", "_")
    found = getattr(importlib.import_module(f"gradcheck_cli.cli.{home}"), home)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    if kind is None:
        app.add_typer(found, name=name)
        return typer.main.get_group(app).commands[name]
    app.command(name, cls=kind)(found)
    return typer.main.get_command(app)
