"""The program itself: a group of commands that knows what a person meant who left the command out."""

from __future__ import annotations

import os
import sys
from typing import Any

from gradcheck_cli.cli import shells
from gradcheck_cli.cli.commands import Commands
from gradcheck_cli.cli.plain_values import PlainValuesGroup
from gradcheck_cli.errors import printable

_SPECS = (".yaml", ".yml")


class Program(PlainValuesGroup):
    """All commands; a spec in the place of a command is answered with the command that checks it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": Commands()})

    def _main_shell_completion(self, *args: Any, **kwargs: Any) -> None:
        """Answer a shell that asks for completions, if one does; never with a traceback, whatever was typed."""
        if not any(name.endswith("_COMPLETE") for name in os.environ):
            return
        shells.register()
        try:
            super()._main_shell_completion(*args, **kwargs)
        except Exception:  # a shell would show it in the middle of what a person types
            sys.exit(1)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named first. Raises UsageError where there is none."""
        given = args[0] if args else ""
        path = given.partition("::")[0]
        if (
            not ctx.resilient_parsing
            and self.get_command(ctx, given) is None
            and (path.lower().endswith(_SPECS) or os.path.isdir(path))
        ):
            ctx.fail(printable(f"No such command '{given}'. To check it: gradcheck run {given}"))
        return super().resolve_command(ctx, args)
