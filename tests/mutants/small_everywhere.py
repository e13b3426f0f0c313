"""GC208: the two passes don't quite compute the same."""

import numpy as np

from gradcheck_cli import arr, op


@op(x=arr("n m"))
def unit_rows(x):
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True) + 1e-3)


@unit_rows.backward
def _(g, x):
    norm = np.sqrt((x * x).sum(axis=1, keepdims=True) + 1e-3)
    return g / norm - x * (g * x).sum(axis=1, keepdims=True) / norm**3


@op(x=arr("n m"))
def unit_rows_wrong(x):
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True) + 1e-3)


@unit_rows_wrong.backward
def _(g, x):
    norm = np.sqrt((x * x).sum(axis=1, keepdims=True))
    return g / norm - x * (g * x).sum(axis=1, keepdims=True) / norm**3


def _matrix(size):
    place = np.arange(size)
    return 3 * np.eye(size) + np.cos(np.outer(place, place + 1)) / size


def _root(a, b, steps):
    """Approach the solution of a y = b by Jacobi's iteration."""
    y = np.zeros_like(b)
    for _ in range(steps):
        y = (b - (a - np.diag(np.diag(a))) @ y) / np.diag(a)
    return y


@op(b=arr("m"))
def solved(b):
    a = _matrix(len(b))
    return _root(a, b, 80)


@solved.backward
def _(g, b):
    a = _matrix(len(b))
    return _root(a.T, g, 80)


@op(b=arr("m"))
def solved_wrong(b):
    a = _matrix(len(b))
    return _root(a, b, 80)


@solved_wrong.backward
def _(g, b):
    a = _matrix(len(b))
    return _root(a.T, g, 4)


@op(x=arr(low=0.5, high=2))
def inverse_root(x):
    return 1 / np.sqrt(x)


@inverse_root.backward
def _(g, x):
    return -0.5 * g * x**-1.5


@op(x=arr(low=0.5, high=2))
def inverse_root_wrong(x):
    return 1 / np.sqrt(x)


@inverse_root_wrong.backward
def _(g, x):
    return -0.5 * g * np.float16(x).astype(float) ** -1.5


@op
def decayed(x, *, rate=0.999):
    return rate * np.sin(x)


@decayed.backward
def _(g, x, rate):
    return rate * g * np.cos(x)


@op
def decayed_wrong(x):
    return 0.9987 * np.sin(x)


@decayed_wrong.backward
def _(g, x):
    return g * np.cos(x)
