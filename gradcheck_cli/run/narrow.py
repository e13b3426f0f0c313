"""Narrow what was selected: to what failed last, to one shard."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.last_failed import LastFailed
from gradcheck_cli.run.options import Options


def narrowed(selected: Sequence[Selected], options: Options) -> tuple[list[Selected], list[str]]:
    """Return what is left of the selected cases, and notes for the user about it.

    Where nothing failed last everything is left, as with pytest: then what is wrong now is what is new.
    """
    left, notes = list(selected), []
    if options.last_failed:
        failed = LastFailed(options.settings).among(left)
        some = f"{len(failed)} of {len(left)} cases failed last: only those are checked"
        notes.append(some if failed else "none of the cases failed last: all of them are checked")
        left = failed or left
    if options.shard:
        left = options.shard.of(left)
        if not left:
            notes.append(f"nothing to check in part {options.shard.number} of {options.shard.count}")
    return left, notes
