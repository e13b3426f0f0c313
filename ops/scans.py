"""Running sums and products along an axis. None, and a single number, are flattened, as NumPy does."""

import math

import numpy as np

from gradcheck_cli import op

from .shares import difference

_AXES = [0, -1, None]


@op(axis=_AXES, batch="axis", linear=True)
def cumsum(x, *, axis=None):
    """Sum of x[0] to x[i], for every i along axis."""
    return np.cumsum(x, axis=axis)


@cumsum.backward
def _(g, x_shape, axis):
    axis = _line(x_shape, axis)[1]
    return np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis).reshape(x_shape)


@op(axis=_AXES, batch="axis")
def cumprod(x, *, axis=None):
    """Product of x[0] to x[i], for every i along axis; elements may be zero."""
    return np.cumprod(x, axis=axis)


@cumprod.backward
def _(g, x, axis):
    shape, axis = _line(x.shape, axis)
    rows = np.moveaxis(x.reshape(shape), axis, 0)
    # Each element multiplies all later ones; no division, which would fail at zeros.
    before = np.cumprod(np.concatenate([np.ones_like(rows[:1]), rows[:-1]]), axis=0)
    gradient = before * _carried(np.moveaxis(g, axis, 0), rows[1:])
    return np.moveaxis(gradient, 0, axis).reshape(x.shape)


@op(axis=_AXES, batch="axis")
def logcumsumexp(x, *, axis=None):
    """log(exp(x[0]) + ... + exp(x[i])), for every i along axis; -inf where all of these are -inf."""
    shape, axis = _line(np.shape(x), axis)
    return np.logaddexp.accumulate(np.reshape(x, shape), axis=axis)


@logcumsumexp.backward
def _(g, x, axis):
    shape, axis = _line(x.shape, axis)
    rows = np.moveaxis(x.reshape(shape), axis, 0)
    # Each sum is exp(peak) * total, peak the largest element so far: exp(x - out) would lose the digits of a large out.
    peak = np.maximum.accumulate(rows, axis=0)
    powers = np.where(np.isneginf(peak), 0, np.exp(difference(rows, peak)))
    steps = np.exp(difference(peak[:-1], peak[1:]))
    total = _carried(powers[::-1], steps[::-1])[::-1]
    gradient = powers * _carried(np.moveaxis(g, axis, 0) / np.where(total == 0, 1, total), steps)
    return np.moveaxis(gradient, 0, axis).reshape(x.shape)


def _line(shape, axis):
    """Return the shape and the axis along which a scan runs."""
    return ((math.prod(shape),), 0) if axis is None or not shape else (shape, axis)


def _carried(g, factors):
    """Return s with s[i] = g[i] + factors[i] * s[i + 1]: what arrives at each place from all later ones."""
    sums = np.array(g)
    for i in reversed(range(len(factors))):
        sums[i] += factors[i] * sums[i + 1]
    return sums
