"""Who hears of the arrays that are read out of Variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gradcheck_cli.core.arrays import Array

seen: Callable[[Array], None] | None = None
"""Called with every array that is read out of a Variable; None where nobody listens."""


@contextmanager
def watching(heard: Callable[[Array], None]) -> Iterator[None]:
    """Call `heard` with every array that is read out of a Variable inside the `with` block.

    What a person's function computes from such a value isn't made by operators.
    """
    global seen  # noqa: PLW0603 (one for the process: the checker is single-threaded)
    before, seen = seen, heard
    try:
        yield
    finally:
        seen = before
