"""Reductions over axes. Python's own sum, max and min are hidden in this module."""

import math

import numpy as np

from gradcheck_cli import arr, op

_AXES = [None, 0, -1, (0, 1)]
_KEEPDIMS = [False, True]


def _unreduced(values, axis, keepdims, ndim):
    """Give a reduced array its reduced axes back, with size 1."""
    if keepdims or ndim == 0:  # NumPy reduces a single number over axis 0 and -1, though it has none
        return values
    return np.expand_dims(values, tuple(range(ndim)) if axis is None else axis)


@op(axis=_AXES, keepdims=_KEEPDIMS, batch="axis", linear=True)
def sum(x, *, axis=None, keepdims=False):
    """Sum of x over axis (None: over all axes)."""
    return np.sum(x, axis=axis, keepdims=keepdims)


@sum.backward
def _(g, x_shape, axis, keepdims):
    return np.broadcast_to(_unreduced(g, axis, keepdims, len(x_shape)), x_shape)


@op(axis=_AXES, keepdims=_KEEPDIMS, batch="axis", linear=True)
def mean(x, *, axis=None, keepdims=False):
    """Sum of x over axis, divided by the number of elements summed."""
    return np.mean(x, axis=axis, keepdims=keepdims)


@mean.backward
def _(g, x_shape, axis, keepdims):
    count = math.prod(x_shape) // (g.size or 1)
    return np.broadcast_to(_unreduced(g, axis, keepdims, len(x_shape)), x_shape) / count


@op(x=arr(distinct=True), axis=_AXES, keepdims=_KEEPDIMS, batch="axis")
def max(x, *, axis=None, keepdims=False):
    """Largest element of x over axis; elements that tie share the gradient equally, a valid subgradient."""
    return np.max(x, axis=axis, keepdims=keepdims)


@max.backward
def _(g, x, out, axis, keepdims):
    return _shared_among_ties(g, x, out, axis, keepdims)


@op(x=arr(distinct=True), axis=_AXES, keepdims=_KEEPDIMS, batch="axis")
def min(x, *, axis=None, keepdims=False):
    """Smallest element of x over axis; elements that tie share the gradient equally, a valid subgradient."""
    return np.min(x, axis=axis, keepdims=keepdims)


@min.backward
def _(g, x, out, axis, keepdims):
    return _shared_among_ties(g, x, out, axis, keepdims)


def _shared_among_ties(g, x, out, axis, keepdims):
    ties = (x == _unreduced(out, axis, keepdims, x.ndim)) | np.isnan(x)  # a NaN makes the result NaN
    g = _unreduced(g, axis, keepdims, x.ndim)
    return np.where(ties, g / np.sum(ties, axis=axis, keepdims=True, dtype=g.dtype), 0)


@op(axis=_AXES, keepdims=_KEEPDIMS, batch="axis")
def logsumexp(x, *, axis=None, keepdims=False):
    """log(sum(exp(x))) over axis; -inf where all elements are -inf."""
    peak = _finite(np.max(x, axis=axis, keepdims=True)) if np.size(x) else 0.0
    with np.errstate(divide="ignore"):  # a sum of nothing or of exp(-inf) is 0, and its logarithm -inf
        out = peak + np.log(np.sum(np.exp(x - peak), axis=axis, keepdims=True))
    return out if keepdims else np.squeeze(out, axis=axis)


@logsumexp.backward
def _(g, x, out, axis, keepdims):
    return _unreduced(g, axis, keepdims, x.ndim) * np.exp(x - _finite(_unreduced(out, axis, keepdims, x.ndim)))


def _finite(values):
    """Put 0 for infinite values, since inf - inf is NaN."""
    return np.where(np.isfinite(values), values, 0)
