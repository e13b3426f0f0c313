"""Exit codes of every command."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    FAILED = 1
    COULD_NOT_CHECK = 2
    INTERNAL_ERROR = 3
    NOTHING_SELECTED = 5
    INTERRUPTED = 130
    TERMINATED = 143

    def masked(self) -> ExitCode:
        """Return this code for a caller to whom failures don't count."""
        return ExitCode.OK if self is ExitCode.FAILED else self


def ended(interrupted: bool, could_not_check: bool, ok: bool) -> ExitCode:
    """Return how a check ends the process: where several codes apply, 130, 2, 1."""
    if interrupted:
        return ExitCode.INTERRUPTED
    if could_not_check:
        return ExitCode.COULD_NOT_CHECK
    return ExitCode.OK if ok else ExitCode.FAILED
