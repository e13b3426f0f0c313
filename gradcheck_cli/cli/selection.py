"""Options that say what is run where: shards and processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from gradcheck_cli.errors import printable

if TYPE_CHECKING:
    from gradcheck_cli.run.shard import Shard

ShardOption = Annotated[
    str | None,
    typer.Option("--shard", help="Only part I of N of the cases, for one of N machines.", metavar="I/N"),
]
JobsOption = Annotated[
    str,
    typer.Option(
        "-j",
        "--jobs",
        help="Check so many cases at once, each in a process of its own; auto: one for each core.",
        metavar="N|auto",
        envvar="GRADCHECK_JOBS",
    ),
]


_MOST_DIGITS = 9
_MOST_SHOWN = 20


def read_jobs(text: str) -> int:
    """Return how many processes check cases. Raises BadParameter."""
    if text == "auto":
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    # Python reads no number of some thousand digits, and no machine has so many processes.
    jobs = int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0
    if jobs < 1:
        shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
        raise typer.BadParameter(printable(f"-j should be a whole number, 1 or more, or auto, not '{shown}'"))
    return jobs


def read_shard_option(text: str | None) -> Shard | None:
    """Return the part of the cases to check, None for all. Raises BadParameter."""
    if text is None:
        return None
    from gradcheck_cli.run.shard import read_shard  # here, since few runs are divided

    try:
        return read_shard(text)
    except ValueError as error:
        raise typer.BadParameter(f"--shard: {error}") from None
