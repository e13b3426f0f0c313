"""Load what a command needs, quickly."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Collect no garbage inside the `with` block, where modules are loaded.

    Hundreds of modules leave hardly any, and looking for it is a twentieth of the time that they take.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
