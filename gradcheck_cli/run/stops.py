"""What ends a run before its time."""

from __future__ import annotations

from gradcheck_cli.records import CaseResult

INTERRUPTED = "interrupted"


class Stops:
    """Knows whether a run goes on: `reason` says why not, and is empty while it does.

    It ends after `max_failures` cases that are not as expected (None: never).
    """

    def __init__(self, max_failures: int | None) -> None:
        self._most = max_failures
        self._failures = 0
        self.reason = ""

    def hear(self, result: CaseResult) -> None:
        """Take note of a result."""
        self._failures += not result.ok
        if self.reason or self._failures != self._most:
            return
        what = f"{result.name} was not as expected (-x)"
        if self._most != 1:
            what = f"{self._most} cases were not as expected (--max-failures)"
        self.reason = f"not run: {what}"

    def interrupt(self) -> None:
        """Take note that the user stopped the run."""
        self.reason = INTERRUPTED
