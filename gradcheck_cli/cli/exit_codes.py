"""Exit codes of every command."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    FAILED = 1
    COULD_NOT_CHECK = 2
    INTERNAL_ERROR = 3
    NOTHING_SELECTED = 5
    INTERRUPTED = 130
