"""Threads of BLAS: none are started, since a check uses one (see `numeric.blas`) and starting them takes 20 ms."""

from __future__ import annotations

import os
import sys

_VARIABLES = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""Where OpenBLAS, which NumPy comes with, looks for the number in turn."""


def start_no_blas_threads() -> None:
    """Let the BLAS of NumPy, which must not be loaded yet, start with one thread, unless the user says how many."""
    if "numpy" not in sys.modules and not any(name in os.environ for name in _VARIABLES):
        os.environ[_VARIABLES[0]] = "1"
