"""An operator file for `gradcheck check-ops`: what it checks, and what takes nothing drawn."""

from __future__ import annotations

OPERATORS = '''
import numpy as np
from gradcheck_cli import arr, ints, keep, op

@op
def cube(x):
    """x ** 3."""
    return x**3

@cube.backward
def _(g, x):
    return 3 * g * x**2

@op(x=arr("n k"), shift=arr("k"))
def moved(x, shift):
    """x + shift, the gradient of shift not summed."""
    return x + shift

@moved.backward
def _(g):
    return g, {shift}

@op(index=ints(below=3))
def counted(index):
    """index + 1."""
    return index + 1
'''

RIGHT, WRONG = "g.sum(axis=0)", "g"
