"""Whether operators record nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

on = True
"""Whether they do at the moment; `no_grad` changes it."""


@contextmanager
def no_grad() -> Iterator[None]:
    """Record nothing inside the `with` block: results are constants."""
    global on  # noqa: PLW0603 (one switch for the process, as in PyTorch)
    before, on = on, False
    try:
        yield
    finally:
        on = before


def is_recording() -> bool:
    """Tell whether operators record nodes at the moment."""
    return on
