"""Who wants to know how far a run is."""

from __future__ import annotations

from gradcheck_cli.verdict.watcher import Watcher


class Progress(Watcher):
    """Hears nothing in particular unless overridden."""

    def case(self, name: str) -> None:
        """Hear that a case starts."""

    def about(self, name: str) -> None:
        """Hear which case the next news are of, where several are checked at a time."""
