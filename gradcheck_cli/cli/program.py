"""The program itself: a group of commands that knows what a person meant who left the command out."""

from __future__ import annotations

import os
from typing import Any

from gradcheck_cli.cli.commands import Commands
from gradcheck_cli.cli.plain_values import PlainValuesGroup
from gradcheck_cli.errors import printable

_SPECS = (".yaml", ".yml")


class Program(PlainValuesGroup):
    """All commands; a spec in the place of a command is answered with the command that checks it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": Commands()})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named first. Raises UsageError where there is none."""
        given = args[0] if args else ""
        path = given.partition("::")[0]
        if self.get_command(ctx, given) is None and (path.lower().endswith(_SPECS) or os.path.isdir(path)):
            ctx.fail(printable(f"No such command '{given}'. To check it: gradcheck run {given}"))
        return super().resolve_command(ctx, args)
