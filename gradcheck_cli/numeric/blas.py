"""One thread for BLAS during a check, since many small products lose more by sharing them out than they gain."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SMALL = 32
"""Elements below which a check is over before threads could matter: then nothing is imported for it."""


@contextmanager
def one_blas_thread(elements: int) -> Iterator[None]:
    """Let the BLAS libraries that are loaded use one thread in the `with` block, if so many elements are checked.

    Beside another busy process a product that waits for a second thread takes several times as long. What was set
    before is restored, also after an exception. Libraries that are loaded inside the block keep their own setting.
    """
    if elements < _SMALL:
        yield
        return
    with _controller(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@functools.lru_cache(maxsize=1)
def _controller(modules: int) -> Any:
    """Find the libraries; again once `modules` have changed in number, which may have loaded others."""
    del modules
    from threadpoolctl import ThreadpoolController  # small checks don't need it

    return ThreadpoolController()
