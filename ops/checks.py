"""What arguments have to be, in words that say which argument, what was given, and what is wanted."""

import numpy as np


def whole_numbers(values, name):
    """Return `values` as an array. Raises ValueError where they aren't integers."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} should hold whole numbers, not {array.dtype}")
    return array


def check_axis(axis, shape):
    """Raise ValueError where x of `shape` has no such axis."""
    axes = len(shape)
    if not axes or not -axes <= axis < axes:
        has = f"x has the axes {-axes} to {axes - 1}" if axes else "x is a single number, without axes"
        raise ValueError(f"{has}, so axis can't be {axis}")


def check_square(a):
    """Raise ValueError where `a` isn't square matrices."""
    shape = np.shape(a)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"a should be a square matrix or a stack of them, (..., n, n), not {shape}")


def check_positive(value, name):
    """Raise ValueError where a number isn't above 0."""
    if not value > 0:
        raise ValueError(f"{name} should be above 0, not {value!r}")
