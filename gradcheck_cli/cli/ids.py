"""Ids of standard input, `-::case`, on a command line: they look like options and are none."""

from __future__ import annotations

from typing import Any

from gradcheck_cli.cli.plain_values import PlainValuesCommand


class CommandWithIds(PlainValuesCommand):
    """A command whose arguments may be ids of standard input."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put such ids behind `--`, where nothing is an option."""
        end = args.index("--") if "--" in args else len(args)
        valued = {name for each in self.params if not getattr(each, "is_flag", True) for name in each.opts}
        before = ["", *args]
        ids = [at for at in range(end) if args[at].startswith("-::") and before[at] not in valued]
        if ids:
            others = [args[at] for at in range(end) if at not in ids]
            args = [*others, "--", *(args[at] for at in ids), *args[end + 1 :]]
        return super().parse_args(ctx, args)
