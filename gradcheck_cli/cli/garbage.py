"""When garbage is collected: while cases are checked, not while hundreds of modules load and while the process ends.

Loading leaves hardly any, and looking for it is a tenth of the time that a small run takes.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting() -> Iterator[None]:
    """Collect garbage inside the `with` block."""
    gc.enable()
    try:
        yield
    finally:
        gc.disable()
