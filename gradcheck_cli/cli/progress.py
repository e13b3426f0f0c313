"""A progress bar on a terminal, for runs that take longer than a second."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from gradcheck_cli.cli.choices import Color
from gradcheck_cli.cli.streams import say
from gradcheck_cli.errors import printable
from gradcheck_cli.run.progress import Progress
from gradcheck_cli.verdict.budget import time_text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_DELAY = 1.0
"""Seconds until the bar is shown."""

_LONG = 10.0
"""Seconds from which a check is announced."""

_PAUSE = 0.2
"""Seconds between two changes of it."""


class ProgressBar(Progress):
    """Shows on standard error which of `total` cases runs. Off a terminal it never writes anything."""

    def __init__(self, total: int, color: Color = Color.AUTO) -> None:
        self._total = total
        self._color = color
        self._wanted = _is_screen()
        self._bar: Bar | None = None
        self._shown = False
        self._started = time.monotonic()
        self._due = self._started + _DELAY
        self._cases = -1
        self._evaluations = 0
        self._name = ""

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.hide()

    def case(self, name: str) -> None:
        """Hear that a case starts."""
        self._cases += 1
        self._evaluations = 0
        self._name = name

    def about(self, name: str) -> None:
        """Hear which case the next news are of."""
        self._name = name

    def evaluation(self, count: int = 1) -> None:
        """Hear that the case is evaluated `count` times more."""
        self._evaluations += count
        if self._wanted and time.monotonic() > self._due:
            self._due = time.monotonic() + _PAUSE
            self._show()

    def plan(self, text: str) -> None:
        """Say what is checked in place of everything."""
        self.hide()
        say(printable(f"note: {self._name}: {text}"))

    def expect(self, evaluations: int, seconds: float) -> None:
        """Say how long a check will take, and what would be quicker, before it starts."""
        if seconds > _LONG:
            self.hide()
            time_left = time_text(seconds)
            say(
                printable(f"note: {self._name}: at least {evaluations} evaluations, about {time_left}. Quicker: ")
                + "--budget SECONDS, which leaves elements out"
            )

    def hide(self) -> None:
        """Take the bar off the screen, so that something else can be written there; it comes back by itself."""
        if self._shown and self._bar:
            self._bar.stop()
            self._due = time.monotonic() + _PAUSE
        self._shown = False

    def _show(self) -> None:
        self._bar = self._bar or _make(self._total, self._started, self._color)
        task = self._bar.tasks[0].id
        name = printable(self._name)
        self._bar.update(task, completed=self._cases, description=name, evaluations=self._evaluations)
        if not self._shown:
            self._shown = True
            self._bar.start()


def _is_screen() -> bool:
    """Tell whether a bar can be drawn: variables that force colour into a file don't make it a terminal."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def _make(total: int, started: float, color: Color) -> Bar:
    from rich.console import Console  # only for who sees it: rich takes a while to import
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from gradcheck_cli.cli.console import is_colored

    progress = Bar(
        TextColumn("{task.completed}/{task.total}"),
        BarColumn(bar_width=20),
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[evaluations]} evaluations"),
        TimeElapsedColumn(),
        console=Console(stderr=True, force_terminal=True, no_color=not is_colored(sys.stderr, color)),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    progress.add_task("", total=total, evaluations=0)
    progress.tasks[0].start_time = started
    return progress
