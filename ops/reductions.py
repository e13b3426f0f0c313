"""Reductions over axes, norms, and the trace. Python's own sum, max and min are hidden in this module."""

import math

import numpy as np

from gradcheck_cli import arr, op

from .axes import behind
from .shares import shares

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


@op(axis=_AXES, ddof=[0, 1], keepdims=_KEEPDIMS, batch="axis")
def var(x, *, axis=None, ddof=0, keepdims=False):
    """sum((x - mean(x)) ** 2) / (n - ddof) over axis, n the number of elements summed."""
    return np.var(x, axis=axis, ddof=ddof, keepdims=keepdims)


@var.backward
def _(g, x, axis, ddof, keepdims):
    return 2 * _unreduced(g, axis, keepdims, x.ndim) * _deviations(x, g, axis, ddof)


@op(axis=_AXES, ddof=[0, 1], keepdims=_KEEPDIMS, batch="axis")
def std(x, *, axis=None, ddof=0, keepdims=False):
    """sqrt(var(x)) over axis; where all elements are equal its gradient is taken as 0."""
    return np.std(x, axis=axis, ddof=ddof, keepdims=keepdims)


@std.backward
def _(g, x, out, axis, ddof, keepdims):
    slope = _unreduced(g / np.where(out == 0, 1, out), axis, keepdims, x.ndim)
    return slope * np.where(_all_equal(x, axis), 0, _deviations(x, g, axis, ddof))


def _all_equal(x, axis):
    """Tell where elements are equal, though their mean may be rounded to another number: that of three times 0.1."""
    least, largest = np.min(x, axis, keepdims=True, initial=np.inf), np.max(x, axis, keepdims=True, initial=-np.inf)
    return least == largest


def _deviations(x, g, axis, ddof):
    count = math.prod(x.shape) // (g.size or 1)
    return (x - np.mean(x, axis=axis, keepdims=True)) / (count - ddof if count > ddof else 0)


@op(axis=_AXES, keepdims=_KEEPDIMS, batch="axis")
def prod(x, *, axis=None, keepdims=False):
    """Product of x over axis; elements may be zero."""
    return np.prod(x, axis=axis, keepdims=keepdims)


@prod.backward
def _(g, x, axis, keepdims):
    return _unreduced(g, axis, keepdims, x.ndim) * _product_of_the_others(x, axis)


def _product_of_the_others(x, axis):
    """Multiply what stands before each element with what stands behind it: a division would fail at zeros."""
    if x.ndim == 0:
        return np.ones_like(x)
    axes = np.lib.array_utils.normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    last = tuple(range(-len(axes), 0))
    moved = np.moveaxis(x, axes, last)
    rows = moved.reshape(*moved.shape[: x.ndim - len(axes)], math.prod(moved.shape[x.ndim - len(axes) :]))
    others = np.ones_like(rows)
    others[..., 1:] = np.cumprod(rows[..., :-1], axis=-1)
    others[..., :-1] *= np.cumprod(rows[..., :0:-1], axis=-1)[..., ::-1]
    return np.moveaxis(others.reshape(moved.shape), last, axes)


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
def _(g, x, axis, keepdims):
    # Not exp(x - out): out is rounded, by 1e-6 where it is 1e10.
    return _unreduced(g, axis, keepdims, x.ndim) * shares(x, axis)


def _finite(values):
    """Put 0 for infinite values, since inf - inf is NaN."""
    return np.where(np.isfinite(values), values, 0)


# In an order in which the combinations that are tried have all norms of matrices, and the common ones of vectors.
@op(ord=[None, -1, 3, "fro", -2, -math.inf, "nuc", 1, math.inf, 2], axis=[None, (1, 0), -1], keepdims=_KEEPDIMS)
def norm(x, *, ord=None, axis=None, keepdims=False):
    """sum(|x| ** ord) ** (1 / ord) over one axis; None is the root of the sum of squares over axis, or of all of x.

    Over two axes it is the norm of matrices, as in numpy.linalg: "fro", "nuc", 1, 2, inf, and the least instead of
    the largest for -1, -2, -inf. At zero, and at zero elements for ord=1, its gradient is taken as 0; elements that
    tie for inf, and rows, columns or singular values that do, share it equally. All are valid subgradients.
    """
    if ord == 0:
        raise ValueError("ord=0 counts elements, and has no gradient")
    return scaled_norm(x, ord, axis, keepdims)


def scaled_norm(x, ord, axis, keepdims=False):
    """Return the norm of x; where powers of very large or small elements would be inf or 0, that of x divided first."""
    x = np.asarray(x)
    x, axes = x if x.dtype.kind == "f" else x.astype(float), _norm_axes(x.ndim, axis)
    peak = np.max(np.abs(x), axis=axes, keepdims=True, initial=0)
    exponent = np.frexp(peak)[1]
    far = np.isfinite(peak) & (np.abs(exponent) > np.finfo(x.dtype).maxexp // 8)
    scale = np.ldexp(np.ones_like(peak), np.where(far, exponent - 1, 0))  # a power of 2, which rounds nothing
    with np.errstate(divide="ignore"):  # of a zero, a negative power is inf, and the norm 0
        scaled = np.linalg.norm(x / scale, ord, axis, keepdims)
    return scaled * (scale if keepdims else np.squeeze(scale, axes))


@norm.batch
def _(moved, x, *, ord=None, axis=None, keepdims=False):  # noqa: ARG001 (the form of such a function)
    if axis is None and ord is None:
        rows = x.reshape(len(x), math.prod(x.shape[1:]))
        return scaled_norm(rows, None, 1).reshape(len(x), *(1,) * (x.ndim - 1 if keepdims else 0))
    axes = tuple(map(behind, _norm_axes(x.ndim - 1, axis)))
    return scaled_norm(x, ord, axes, keepdims)


@norm.backward
def _(g, x, out, ord, axis, keepdims):
    axes = _norm_axes(x.ndim, axis)
    g, out = (_unreduced(each, axes, keepdims, x.ndim) for each in (g, out))
    squares = ord in (None, "fro", "f")
    if not x.size:
        return np.zeros_like(x)
    if squares or len(axes) == 1:
        return norm_slopes(g, x, out, 2 if squares else ord, axes)
    return (_by_singular_values if ord in ("nuc", 2, -2) else _by_sums)(g, x, ord, axes)


def _norm_axes(ndim, axis):
    return tuple(range(ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def norm_slopes(g, x, out, ord, axes):
    """Pass g to the largest (inf) or least (-inf) elements, or to each as much as its share of a power sum."""
    if np.isinf(ord):
        return np.sign(x) * _shared_among_ties(g, np.abs(x), out, axes, True)
    ratios = np.abs(x) / np.where(out == 0, 1, out)
    ratios = np.where((x == 0) | (out == 0), 1, ratios)  # no power of these is needed
    return np.where(out == 0, 0, g) * np.sign(x) * ratios ** (ord - 1)


def _by_sums(g, x, ord, axes):
    """Pass g to the columns (ord 1, -1) or rows whose sum of magnitudes is the largest, or the least."""
    over, among = axes if abs(ord) == 1 else axes[::-1]
    sums = np.sum(np.abs(x), axis=over, keepdims=True)
    best = (np.max if ord > 0 else np.min)(sums, axis=among, keepdims=True)
    return np.sign(x) * _shared_among_ties(g, sums, best, among, True)


def _by_singular_values(g, x, ord, axes):
    """Multiply g with u @ v of the singular values that count: all of them, the largest, or the least."""
    u, values, v = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
    if ord != "nuc":
        best = values[..., :1] if ord == 2 else values[..., -1:]
        u = u * _shared_among_ties(np.ones_like(best), values, best, -1, True)[..., None, :]
    return g * np.moveaxis(u @ v, (-2, -1), axes)


@norm.sample
def _(rng):
    """Draw a matrix whose elements have different magnitudes."""
    return (rng.permutation(12) + rng.uniform(0.75, 1.25, 12)).reshape(3, 4) * rng.choice([-0.25, 0.25], (3, 4))


@op(x=arr("m n"), offset=[0, 1, -1], linear=True)
def trace(x, *, offset=0, axis1=0, axis2=1):
    """Sum of x[i, i + offset] over i, with the indices at axis1 and axis2."""
    return np.trace(x, offset, axis1, axis2)


@trace.batch
def _(moved, x, *, offset=0, axis1=0, axis2=1):  # noqa: ARG001 (the form of such a function)
    return np.trace(x, offset, behind(axis1), behind(axis2))


@trace.backward
def _(g, x_shape, offset, axis1, axis2):
    on_diagonal = np.eye(x_shape[axis1], x_shape[axis2], offset, dtype=g.dtype)
    return np.moveaxis(g[..., None, None] * on_diagonal, (-2, -1), (axis1, axis2))
