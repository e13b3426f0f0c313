"""Normalisations, as in torch.nn.functional: subtract a mean, divide by a standard deviation, then scale and shift.

The variance is that of all elements, divided by their number. A mean of the gradient, and a mean of its product
with the normalised values, take account of how each element moves mean and variance: S. Ioffe and C. Szegedy, Batch
normalization, ICML 2015.
"""

import math

import numpy as np

from gradcheck_cli import arr, keep, op, unbroadcast

_EPS = [1e-5, 0.1]
_SCALE = {"weight": arr("c"), "bias": arr("c")}
_STATISTICS = {"running_mean": arr("c", nondiff=True), "running_var": arr("c", low=0.1, nondiff=True)}


@op(x=arr("... n"), weight=arr("n"), bias=arr("n"), eps=_EPS, batch="leading", linear="weight bias")
def layer_norm(x, weight=None, bias=None, *, normalized_shape=None, eps=1e-5):
    """(x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over the trailing axes of normalized_shape.

    normalized_shape is a size or several, by default that of the last axis; weight and bias have that shape.
    """
    axes = _trailing(x, normalized_shape, weight, bias)
    normalised, inverse = _standardised(np.asarray(x), axes, eps)
    return keep(_scaled(normalised, weight, bias), normalised=normalised, inverse=inverse)


@layer_norm.backward("x")
def _(g, weight, normalised, inverse, normalized_shape):
    axes = _trailing(normalised, normalized_shape)
    return _through(g if weight is None else g * weight, normalised, inverse, axes)


@layer_norm.backward("weight")
def _(g, normalised, weight):
    return unbroadcast(g * normalised, weight.shape)


@layer_norm.backward("bias")
def _(g, bias):
    return unbroadcast(g, bias.shape)


@op(x=arr("... n"), weight=arr("n"), eps=[None, 0.1], batch="leading", linear="weight")
def rms_norm(x, weight=None, *, normalized_shape=None, eps=None):
    """x / sqrt(mean(x ** 2) + eps) * weight, over the trailing axes of normalized_shape.

    normalized_shape is a size or several, by default that of the last axis; weight has that shape. eps is the spacing
    of numbers at 1 where it is None.
    """
    x = np.asarray(x)
    axes = _trailing(x, normalized_shape, weight)
    eps = np.finfo(x.dtype if x.dtype.kind == "f" else float).eps if eps is None else eps
    inverse = 1 / np.sqrt(_mean(np.square(x), axes) + eps)
    normalised = x * inverse
    return keep(_scaled(normalised, weight), normalised=normalised, inverse=inverse)


@rms_norm.backward("x")
def _(g, weight, normalised, inverse, normalized_shape):
    g = g if weight is None else g * weight
    return inverse * (g - normalised * _mean(g * normalised, _trailing(normalised, normalized_shape)))


@rms_norm.backward("weight")
def _(g, normalised, weight):
    return unbroadcast(g * normalised, weight.shape)


@op(x=arr("n c"), **_SCALE, num_groups=[1, 2, 4], eps=_EPS, batch="n", linear="weight bias")
def group_norm(x, weight=None, bias=None, *, num_groups, eps=1e-5):
    """(x - mean(x)) / sqrt(var(x) + eps) * weight + bias, over each group of channels and the axes behind them.

    x is (n, channels, ...), weight and bias (channels,); num_groups divides the channels.
    """
    _check_channels(x, weight, bias)
    normalised, inverse = _standardised(_in_groups(np.asarray(x), num_groups), (2,), eps)
    normalised = normalised.reshape(np.shape(x))
    return keep(_scaled(normalised, *_at_channels(x, weight, bias)), normalised=normalised, inverse=inverse)


@group_norm.backward("x")
def _(g, weight, normalised, inverse, num_groups):
    g = g if weight is None else g * _at_channels(g, weight)[0]
    parts = _in_groups(g, num_groups), _in_groups(normalised, num_groups)
    return _through(*parts, inverse, (2,)).reshape(g.shape)


@op(x=arr("n c"), **_STATISTICS, **_SCALE, training=[False, True], eps=_EPS, batch="_ c", linear="weight bias")
def batch_norm(x, running_mean=None, running_var=None, weight=None, bias=None, *, training=False, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias, mean and var those of each channel of x, or running ones.

    x is (n, channels, ...), the others (channels,). With training, mean and variance are those of the batch; without,
    running_mean and running_var, which have no gradient, are taken as they are given. Nothing updates them, so there is
    no momentum.
    """
    statistics = None if training else (running_mean, running_var)
    out, normalised, inverse = _normalised_channels(x, _batch_axes(x), statistics, (weight, bias), eps)
    return keep(out, normalised=normalised, inverse=inverse)


@batch_norm.backward("x")
def _(g, weight, normalised, inverse, training):
    g = g if weight is None else g * _at_channels(g, weight)[0]
    return _through(g, normalised, inverse, _batch_axes(g)) if training else g * inverse


@op(x=arr("n c l"), **_STATISTICS, **_SCALE, use_input_stats=[True, False], eps=_EPS, batch="n c", linear="weight bias")
def instance_norm(x, running_mean=None, running_var=None, weight=None, bias=None, *, use_input_stats=True, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias, mean and var those of each channel of each element of a batch.

    x is (n, channels, ...), the others (channels,). Without use_input_stats, running_mean and running_var, which have
    no gradient, are taken as they are given. Nothing updates them, so there is no momentum.
    """
    statistics = None if use_input_stats else (running_mean, running_var)
    out, normalised, inverse = _normalised_channels(x, _inner_axes(x), statistics, (weight, bias), eps)
    return keep(out, normalised=normalised, inverse=inverse)


@instance_norm.backward("x")
def _(g, weight, normalised, inverse, use_input_stats):
    g = g if weight is None else g * _at_channels(g, weight)[0]
    return _through(g, normalised, inverse, _inner_axes(g)) if use_input_stats else g * inverse


def _gradient_of_weight(g, normalised):
    return (g * normalised).sum(axis=_batch_axes(g))


def _gradient_of_bias(g):
    return g.sum(axis=_batch_axes(g))


for _operator in (group_norm, batch_norm, instance_norm):
    _operator.backward("weight")(_gradient_of_weight)
    _operator.backward("bias")(_gradient_of_bias)


def _standardised(x, axes, eps):
    """Return x without its mean and divided by its standard deviation over `axes`, and the inverse of the latter."""
    centred = x - _mean(x, axes)
    inverse = 1 / np.sqrt(_mean(np.square(centred), axes) + eps)
    return centred * inverse, inverse


def _normalised_channels(x, axes, statistics, scale, eps):
    """Normalise over `axes`, or by `statistics`; return the scaled values, those before, and the inverse deviation."""
    _check_channels(x, *scale, *(statistics or ()))
    if statistics is None:
        normalised, inverse = _standardised(np.asarray(x), axes, eps)
    else:
        if any(values is None for values in statistics):
            raise ValueError("without statistics of its own, x needs running_mean and running_var")
        mean, variance = _at_channels(x, *statistics)
        inverse = 1 / np.sqrt(variance + eps)
        normalised = (x - mean) * inverse
    return _scaled(normalised, *_at_channels(x, *scale)), normalised, inverse


def _through(g, normalised, inverse, axes):
    """Return the gradient of what `_standardised` took, for that of what it made."""
    return inverse * (g - _mean(g, axes) - normalised * _mean(g * normalised, axes))


def _mean(x, axes):
    count = math.prod(x.shape[axis] for axis in axes)
    return np.sum(x, axis=axes, keepdims=True) / max(count, 1)  # that of nothing is never used


def _scaled(normalised, weight=None, bias=None):
    scaled = normalised if weight is None else normalised * weight
    return scaled if bias is None else scaled + bias


def _trailing(x, normalized_shape, *arrays):
    """Return the axes to normalise over. Raises ValueError where they, or weight and bias, have other sizes."""
    given = np.shape(x)[-1:] if normalized_shape is None else normalized_shape
    sizes = tuple(given) if np.ndim(given) else (given,)
    axes = tuple(range(-len(sizes), 0))
    if not sizes or np.shape(x)[-len(sizes) :] != sizes:
        raise ValueError(f"x should end with the axes of normalized_shape, {sizes}, not {np.shape(x)}")
    for array in arrays:
        if array is not None and np.shape(array) != sizes:
            raise ValueError(f"weight and bias should have the shape {sizes}, not {np.shape(array)}")
    return axes


def _check_channels(x, *arrays):
    if np.ndim(x) < 2:
        raise ValueError(f"x should be (n, channels, ...), not {np.shape(x)}")
    for array in arrays:
        if array is not None and np.shape(array) != np.shape(x)[1:2]:
            raise ValueError(f"each channel should have one number, so ({np.shape(x)[1]},), not {np.shape(array)}")


def _at_channels(x, *arrays):
    """Give arrays over the channels of x the axes that follow these."""
    return [None if array is None else np.reshape(array, (-1, *(1,) * (np.ndim(x) - 2))) for array in arrays]


def _in_groups(x, num_groups):
    n, channels = x.shape[:2]
    if num_groups < 1 or channels % num_groups:
        raise ValueError(f"num_groups should divide the channels: {channels} by {num_groups}")
    return x.reshape(n, num_groups, math.prod(x.shape[1:]) // num_groups)


def _batch_axes(x):
    return (0, *range(2, np.ndim(x)))


def _inner_axes(x):
    return tuple(range(2, np.ndim(x)))


def _sample_channels(rng, running, most):
    """Draw x with 4 channels, the statistics to use in place of its own, weight and bias."""
    x = rng.standard_normal((3, 4, *[(5,), (2, 3), ()][rng.integers(most)]))
    statistics = [rng.standard_normal(4), rng.uniform(0.5, 2, 4)] if running else []
    scale = [rng.standard_normal(4) if rng.random() < 0.8 else None for _ in range(2)]
    return 3 * x + 1, *statistics, *scale


@group_norm.sample
def _(rng):
    """Draw x with 4 channels and axes behind them, in 1, 2 or 4 groups."""
    x, *scale = _sample_channels(rng, running=False, most=2)
    return x, *scale, {"num_groups": [1, 2, 4][rng.integers(3)]}


@batch_norm.sample
def _(rng):
    """Draw x with 4 channels, with axes behind them or without, statistics, and weight and bias or neither."""
    return _sample_channels(rng, running=True, most=3)


@instance_norm.sample
def _(rng):
    """Draw x with 4 channels and axes behind them, statistics, and weight and bias or neither."""
    return _sample_channels(rng, running=True, most=2)
