"""Who watches a check: hears of every evaluation, and of a check that will take long."""

from __future__ import annotations


class Watcher:
    """Hears nothing in particular; a progress bar or a deadline overrides what it wants to hear."""

    def evaluation(self, count: int = 1) -> None:
        """Hear that the function is evaluated `count` times more."""

    def plan(self, text: str) -> None:
        """Hear what of a case is checked where everything would take too long, before that starts."""

    def expect(self, evaluations: int, seconds: float) -> None:
        """Hear how many evaluations a check will take at least, and for how long, before it starts."""
