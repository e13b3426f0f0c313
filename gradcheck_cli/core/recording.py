"""Whether operators record nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

on = True
"""Whether they do at the moment; `no_grad` changes it."""


def no_grad() -> AbstractContextManager[None]:
    """Record nothing inside the `with` block: results are constants."""
    return _switched(False)


def grad() -> AbstractContextManager[None]:
    """Record nodes inside the `with` block, also within one of `no_grad`."""
    return _switched(True)


@contextmanager
def _switched(wanted: bool) -> Iterator[None]:
    global on  # noqa: PLW0603 (one switch for the process, as in PyTorch)
    before, on = on, wanted
    try:
        yield
    finally:
        on = before


def is_recording() -> bool:
    """Tell whether operators record nodes at the moment."""
    return on
