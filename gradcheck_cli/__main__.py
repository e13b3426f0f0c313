"""The program as a process of its own: the script `gradcheck`, and `python -m gradcheck_cli`."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130  # written out: nothing is imported before Ctrl-C is heard


def start() -> NoReturn:
    """Run the command line and end the process; Ctrl-C gives no traceback, however early or late it comes."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, _leave)
    from gradcheck_cli.cli.main import main

    try:
        if heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        main()
    except KeyboardInterrupt:
        _leave()
    finally:
        if heard:
            signal.signal(signal.SIGINT, _leave)


def _leave(_number: int = signal.SIGINT, _frame: FrameType | None = None) -> NoReturn:
    """End the process at once: there is nothing to lose yet, or any more."""
    if sys.stderr is not None:
        os.write(2, b"interrupted\n")
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    start()
