"""Ctrl-C during a run: stop the case that is being checked, and lose nothing that was finished."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_DEFAULT: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
"""What Python does about a signal, where that isn't the system's own default."""


class Interrupts:
    """Hears of Ctrl-C, which may come at any moment.

    Inside `stopping` it raises KeyboardInterrupt; elsewhere (while a result is being written) the
    first only sets `pressed`, so that what is in hand gets done.
    """

    def __init__(self) -> None:
        self.pressed = False
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

    def _press(self, _number: int, _frame: FrameType | None) -> None:
        again, self.pressed = self.pressed, True
        if self._stopping or again:
            raise KeyboardInterrupt


@contextmanager
def hearing() -> Iterator[Interrupts]:
    """Hear of Ctrl-C inside the `with` block."""
    interrupts = Interrupts()
    interrupts.hear()
    try:
        yield interrupts
    finally:
        interrupts.leave()
