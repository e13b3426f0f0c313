"""Layers of networks."""

import math

import numpy as np

from gradcheck_cli import arr, keep, op

from .checks import whole_numbers


@op(x=arr("... n"), weight=arr("m n"), bias=arr("m"), batch="... m", linear="x weight bias")
def linear(x, weight, bias=None):
    """x @ weight.T + bias, as in torch.nn.functional.

    weight is (out, in) and bias (out,); with a weight of (in,) and a bias that is a number, one number comes out.
    """
    x_shape, shape = np.shape(x), np.shape(weight)
    if len(shape) not in (1, 2) or (bias is not None and np.shape(bias) != shape[:-1]):
        raise ValueError(f"weight should be (out, in) and bias (out,), not {shape} and {np.shape(bias)}")
    if not x_shape or x_shape[-1] != shape[-1]:
        raise ValueError(f"x should be (..., {shape[-1]}) beside a weight of shape {shape}, not {x_shape}")
    product = np.matmul(x, np.transpose(weight))
    return product if bias is None else product + bias


@linear.backward("x")
def _(g, weight):
    return g @ weight if weight.ndim == 2 else g[..., None] * weight


@linear.backward("weight")
def _(g, x):
    leading = list(range(x.ndim - 1))
    return np.tensordot(g, x, axes=(leading, leading))


@linear.backward("bias")
def _(g, bias_shape):
    return g.sum(axis=tuple(range(g.ndim - len(bias_shape))))


@op(p=[0.5, 0.2], seed=[0, 1], training=[True, False], batch="scaled", linear=True)
def dropout(x, *, p=0.5, seed=0, training=True):
    """x * kept / (1 - p), where each element is kept with probability 1 - p, drawn from seed; x if not training."""
    if not 0 <= p <= 1:
        raise ValueError(f"p should be a probability between 0 and 1, not {p!r}")
    x = np.multiply(x, 1.0)  # a copy, and integers become numbers that can be scaled
    scale = _scale(x.shape, x.dtype, p, seed, training)
    return keep(x * scale, scale=scale)


def _scale(shape, dtype, p, seed, training):
    if not training:
        return np.ones((), dtype)
    kept = np.random.default_rng(seed).random(shape) >= p
    return np.asarray(kept / (1 - p if p < 1 else 1), dtype=dtype)


@dropout.backward
def _(g, scale):
    return g * scale


_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}


@op(x=arr("n c"), mode=["nearest", "nearest-exact", *_LINEAR], align_corners=[None, True], batch="n c", linear=True)
def interpolate(x, *, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """x at other places along its axes, copied from the nearest element or mixed from two, in proportion to distance.

    x is (n, channels, ...), and what stands behind these is brought to size (a number, or one for each axis), or
    multiplied by scale_factor and rounded down. Place i of the output lies at s * (i + 1/2) - 1/2 in x, s the ratio
    of the sizes (or 1 / scale_factor); with align_corners, the first and last elements meet. "nearest" takes element
    floor(s * i), "nearest-exact" floor(s * (i + 1/2)), "linear", "bilinear" and "trilinear" are one mode for 1, 2 and
    3 axes.
    """
    x = np.asarray(x)
    for axis, (low, high, share) in _places(x.shape, size, scale_factor, mode, align_corners):
        near = np.take(x, low, axis)
        if share is not None:
            part = share.reshape(-1, *(1,) * (x.ndim - 1 - axis)).astype(x.dtype if x.dtype.kind == "f" else float)
            near = near * (1 - part) + np.take(x, high, axis) * part
        x = near
    return x


@interpolate.backward
def _(g, x_shape, size, scale_factor, mode, align_corners):
    for axis, (low, high, share) in _places(x_shape, size, scale_factor, mode, align_corners):
        taken, places = np.zeros((low.size, x_shape[axis])), np.arange(low.size)
        taken[places, low] = 1 if share is None else 1 - share
        if share is not None:
            taken[places, high] += share
        g = np.moveaxis(np.moveaxis(g, axis, -1) @ taken.astype(g.dtype), -1, axis)
    return g


def _places(x_shape, size, scale_factor, mode, align_corners):
    """Return, for each axis, the elements to take, those to mix in, and their share (None: nothing is mixed)."""
    inner = x_shape[2:]
    axes = len(inner)
    if mode not in ("nearest", "nearest-exact") and _LINEAR.get(mode) != axes:
        fitting = [name for name, count in _LINEAR.items() if count == axes]
        wanted = ", ".join(["nearest", "nearest-exact", *fitting])
        raise ValueError(f"mode should be one of {wanted} for x of {axes + 2} axes, not {mode!r}")
    if align_corners is not None and mode not in _LINEAR:
        raise ValueError(f"align_corners is for linear modes, not {mode!r}")
    sizes, ratios = _sizes_and_ratios(inner, size, scale_factor)
    return [
        (axis, _along(length, count, ratio, mode, align_corners))
        for axis, (length, count, ratio) in enumerate(zip(inner, sizes, ratios, strict=True), start=2)
    ]


def _sizes_and_ratios(inner, size, scale_factor):
    if (size is None) == (scale_factor is None) or not inner or 0 in inner:
        raise ValueError("x should be (n, channels, ...), with something behind these, and have size or scale_factor")
    given = size if scale_factor is None else scale_factor
    each = tuple(given) if np.ndim(given) else (given,) * len(inner)
    if len(each) != len(inner):
        raise ValueError(f"size or scale_factor should be a number, or one for each of {len(inner)} axes, not {given}")
    if scale_factor is None:
        whole_numbers(each, "size")
    sizes = each if scale_factor is None else [math.floor(length * f) for length, f in zip(inner, each, strict=True)]
    if min(sizes) < 1:
        raise ValueError(f"the output would have the sizes {tuple(sizes)}: all should be 1 or more")
    if scale_factor is None:
        return sizes, [None] * len(inner)
    return sizes, [1 / factor for factor in each]


def _along(length, count, ratio, mode, align_corners):
    """Return what `_places` does for one axis; the ratio is None where sizes give it."""
    places, half = np.arange(count), mode == "nearest-exact"
    if mode in ("nearest", "nearest-exact"):
        if ratio is None:  # in whole numbers: a rounded ratio takes the neighbours of some elements
            return (2 * places + half) * length // (2 * count), None, None
        return np.minimum(np.floor(ratio * (places + half / 2)).astype(int), length - 1), None, None
    if align_corners:
        at = places * ((length - 1) / (count - 1) if count > 1 else 0.0)
    elif ratio is None or count == length:  # as in torch, where an axis keeps its size its elements stay
        at = np.maximum(length / count * (places + 0.5) - 0.5, 0)
    else:
        at = np.maximum(ratio * (places + 0.5) - 0.5, 0)
    low = np.minimum(np.floor(at).astype(int), length - 1)
    return low, np.minimum(low + 1, length - 1), np.minimum(at - low, 1)


@interpolate.sample
def _(rng):
    """Draw x with one to three axes behind its channels, the mode that belongs to them, and a size or a factor."""
    axes = int(rng.integers(1, 4))
    x = rng.standard_normal((2, 3, *map(int, rng.permutation([3, 4, 5])[:axes])))
    mode = ["nearest", "nearest-exact", "linear", "linear"][rng.integers(4)]
    attributes = {"mode": mode if mode != "linear" else list(_LINEAR)[axes - 1], "align_corners": None}
    if mode == "linear":
        attributes["align_corners"] = [None, True][rng.integers(2)]
    if rng.random() < 0.5:
        return x, {**attributes, "scale_factor": [2, 0.7, 1.5][rng.integers(3)]}
    return x, {**attributes, "size": int(rng.integers(1, 8)) if rng.random() < 0.5 else (5, 2, 6)[:axes]}
