"""The console that a report for people is written to."""

from __future__ import annotations

import os
from typing import TextIO

from rich.console import Console

from gradcheck_cli.cli.choices import Color


def make_console(stream: TextIO, color: Color) -> Console:
    """Return a console on `stream`; `auto` follows NO_COLOR, FORCE_COLOR and whether it is a terminal."""
    colored = is_colored(stream, color)
    return Console(
        file=stream,
        # Both are said outright, since rich reads the variables in another way.
        no_color=not colored,
        color_system="standard" if colored else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def is_colored(stream: TextIO, color: Color) -> bool:
    """Tell whether `stream` gets colour: the option decides, then NO_COLOR, then FORCE_COLOR, then the stream."""
    if color is not Color.AUTO:
        return color is Color.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced != "0"
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")
