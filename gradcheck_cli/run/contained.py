"""What code of the user does to the process that runs it, and what is undone of that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from gradcheck_cli.core.same_folder import same_folder


@contextmanager
def contained() -> Iterator[None]:
    """Run code of the user in the `with` block, or in the function that this decorates.

    Afterwards the current folder is the one that it was. A copy of the process that the code forked, and that comes
    back from it, ends: it would go on with the run, and report everything twice.
    """
    process = os.getpid()
    try:
        with same_folder():
            yield
    finally:
        if os.getpid() != process:
            os._exit(0)
