"""Deadlines: end a case that takes longer than its timeout."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_LONGEST = 1e8
"""Seconds that a timer can be set to everywhere; three years."""


class TimeRanOut(BaseException):
    """A case took longer than its timeout. No Exception, so that an operator's `except` can't swallow it."""


class Deadline:
    """Raises TimeRanOut once `seconds` have passed (None: never), when `check` is called."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def check(self) -> None:
        """Raise TimeRanOut if the time is over."""
        if self._end is not None and time.monotonic() > self._end:
            raise TimeRanOut


@contextmanager
def deadline(seconds: float | None) -> Iterator[Deadline]:
    """Limit the `with` block to `seconds`.

    In the main thread of a system with SIGALRM an operator that hangs is interrupted; elsewhere
    the time is looked at between evaluations.
    """
    alarm = seconds is not None and hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    if not alarm or seconds is None:
        yield Deadline(seconds)
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TimeRanOut

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST))
    try:
        yield Deadline(seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
