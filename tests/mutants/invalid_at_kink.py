"""GC213: at a kink, a gradient that no side has."""

import numpy as np

from gradcheck_cli import op


@op
def rectified(x):
    return np.maximum(x, 0)


@rectified.backward
def _(g, x):
    return g * (x > 0)


@op
def rectified_wrong(x):
    return np.maximum(x, 0)


@rectified_wrong.backward
def _(g, x):
    return g * np.where(x == 0, 2.0, x > 0)


@op
def magnitude(x):
    return np.abs(x)


@magnitude.backward
def _(g, x):
    return g * np.sign(x)


@op
def magnitude_wrong(x):
    return np.abs(x)


@magnitude_wrong.backward
def _(g, x):
    return g * np.where(x == 0, -3.0, np.sign(x))


@op
def larger(x, y):
    return np.maximum(x, y)


@larger.backward
def _(g, x, y):
    half = 0.5 * (x == y)
    return g * ((x > y) + half), g * ((x < y) + half)


@op
def larger_wrong(x, y):
    return np.maximum(x, y)


@larger_wrong.backward
def _(g, x, y):
    half = 1.5 * (x == y)
    return g * ((x > y) + half), g * ((x < y) + 0.5 * (x == y))
