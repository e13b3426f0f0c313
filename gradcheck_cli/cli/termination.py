"""SIGTERM, with which machines end what takes too long, does what Ctrl-C does: nothing that was finished is lost."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Termination:
    """Hears of SIGTERM, and hands it to whoever hears of Ctrl-C at that moment."""

    def __init__(self) -> None:
        self.heard = False
        self._process = os.getpid()

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Handle SIGTERM."""
        if os.getpid() != self._process:  # a copy that an operator forked, and wants to end
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self.heard = True
        of_ctrl_c = signal.getsignal(signal.SIGINT)
        if not callable(of_ctrl_c):  # Ctrl-C is ignored, as in the background
            raise KeyboardInterrupt
        of_ctrl_c(number, frame)


@contextmanager
def terminations() -> Iterator[Termination]:
    """Hear of SIGTERM in the `with` block, unless somebody does so already."""
    termination = Termination()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield termination
        return
    signal.signal(signal.SIGTERM, termination.hear)
    try:
        yield termination
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
