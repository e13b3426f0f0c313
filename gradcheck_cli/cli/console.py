"""Consoles: standard output for the chosen format, standard error for everything else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from gradcheck_cli.cli.choices import Color

_DELAY = 1.0


def make_console(stream: TextIO, color: Color) -> Console:
    """Return a console on `stream`; `auto` follows NO_COLOR, FORCE_COLOR and whether it is a terminal."""
    forced = color is Color.ALWAYS or (color is Color.AUTO and os.environ.get("FORCE_COLOR", "") not in ("", "0"))
    never = color is Color.NEVER or (color is Color.AUTO and bool(os.environ.get("NO_COLOR")))
    return Console(
        file=stream,
        force_terminal=True if forced and not never else None,
        no_color=never,
        color_system="standard" if forced and not never else None if never else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )


@contextmanager
def user_output_to_stderr() -> Iterator[TextIO]:
    """Send what user code prints to standard error; yield the real standard output."""
    with redirect_stdout(sys.stderr):
        yield sys.__stdout__ or sys.stdout


class ProgressBar:
    """Shows on a terminal which case runs, once it takes longer than a second."""

    def __init__(self, total: int) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.completed}/{task.total}"),
            BarColumn(bar_width=20),
            TextColumn("{task.description}", markup=False),
            TextColumn("{task.fields[evaluations]} evaluations"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=total, evaluations=0)
        self._evaluations = 0
        self._started = False
        self._cases = -1

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        # Stopping one that never started would write an empty line off a terminal.
        if self._started and self._console.is_terminal:
            self._progress.stop()

    def case(self, name: str) -> None:
        """Show that a case starts."""
        self._cases += 1
        self._evaluations = 0
        self._progress.update(self._task, completed=self._cases, description=name, evaluations=0)

    def evaluation(self) -> None:
        """Count an evaluation."""
        self._evaluations += 1
        if not self._started and self._progress.get_time() - self._start_time() > _DELAY:
            self._started = True
            if self._console.is_terminal:
                self._progress.start()
        if self._started and self._evaluations % 64 == 0:
            self._progress.update(self._task, evaluations=self._evaluations)

    def _start_time(self) -> float:
        start = self._progress.tasks[0].start_time
        return self._progress.get_time() if start is None else start
