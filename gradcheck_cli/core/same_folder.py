"""The current folder, which code of the user may change: relative paths would go astray after it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def same_folder() -> Iterator[None]:
    """Put the current folder back after the `with` block, where code in it changed it."""
    before = _current()
    try:
        yield
    finally:
        if before is not None and _current() != before:
            with suppress(OSError):  # it was removed meanwhile
                os.chdir(before)


def _current() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None
