"""Ctrl-C during a run: stop the case that is being checked, and lose nothing that was finished."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_DEFAULT: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
"""What Python does about a signal, where that isn't the system's own default."""


class Interrupts:
    """Hears of Ctrl-C, which may come at any moment.

    Inside `stopping` it raises KeyboardInterrupt; elsewhere (while a result is being written) the
    first only sets `pressed`, so that what is in hand gets done. Who presses again wants out: `at_once`
    is called, and KeyboardInterrupt raised wherever the program is. One more ends the process, whatever
    user code does about exceptions. Nothing of that with `patient`: others decide when the process ends.
    """

    def __init__(self, patient: bool = False) -> None:
        self.pressed = False
        self.at_once: Callable[[], None] = lambda: None
        self._patient = patient
        self._again = False
        self._process = os.getpid()
        self._heard: int | None = None
        self._stopping = False

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Let Ctrl-C raise KeyboardInterrupt inside the `with` block, also one that came before it."""
        self._stopping = True
        try:
            self.check()
            yield
        finally:
            self._stopping = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C came and user code swallowed it."""
        if self.pressed:
            raise KeyboardInterrupt

    def blamed(self) -> bool:
        """Tell whether a KeyboardInterrupt is the user's; where Ctrl-C can't be heard, any is."""
        return self.pressed or self._heard is None

    def hear(self, number: int = signal.SIGINT) -> None:
        """Take Ctrl-C over, or another signal. Where it is ignored (`nohup`, a job in the background), it stays so."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(number) is _DEFAULT.get(number, signal.SIG_DFL):
            signal.signal(number, self._press)
            self._heard = number

    def leave(self) -> None:
        """Give the signal back."""
        if self._heard is not None:
            signal.signal(self._heard, _DEFAULT.get(self._heard, signal.SIG_DFL))

    def _press(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGTERM and os.getpid() != self._process:
            end_by(number)
            return
        again, self.pressed = self.pressed, True
        if again and not self._patient:
            self._leave_at_once(number)
        if self._stopping:
            raise KeyboardInterrupt

    def _leave_at_once(self, number: int) -> None:
        third, self._again = self._again, True
        self.at_once()
        if third:
            _show_cursor()
            os._exit(128 + number)
        raise KeyboardInterrupt


def _show_cursor() -> None:
    """Show the cursor of a terminal again, which a progress bar hides."""
    if os.isatty(2) and os.environ.get("TERM") not in ("dumb", "unknown"):
        os.write(2, b"\x1b[?25h\n")


def end_by(number: int) -> None:
    """End this process by a signal as if it heard nothing of it: a copy that an operator forked, and wants to end."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


@contextmanager
def hearing() -> Iterator[Interrupts]:
    """Hear of Ctrl-C inside the `with` block."""
    interrupts = Interrupts()
    interrupts.hear()
    try:
        yield interrupts
    finally:
        interrupts.leave()
