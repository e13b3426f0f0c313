"""Ctrl-C during a run: stop the case that is being checked, and lose nothing that was finished."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Hears of Ctrl-C, which may come at any moment.

    Inside `stopping` it raises KeyboardInterrupt; elsewhere (while a result is being written) the
    first only sets `pressed`, so that what is in hand gets done.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._heard = False
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
        return self.pressed or not self._heard

    def hear(self) -> None:
        """Take Ctrl-C over. Where it is ignored (`nohup`, a job in the background), it stays so."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._press)
            self._heard = True

    def leave(self) -> None:
        """Give Ctrl-C back."""
        if self._heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)

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
