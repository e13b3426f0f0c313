"""Layers of networks."""

import numpy as np

from gradcheck_cli import arr, keep, op


@op(x=arr("... n"), weight=arr("m n"), bias=arr("m"), batch="... m", linear="x weight bias")
def linear(x, weight, bias=None):
    """x @ weight.T + bias, as in torch.nn.functional."""
    if np.ndim(weight) != 2 or (bias is not None and np.shape(bias) != np.shape(weight)[:1]):
        raise ValueError(f"weight should be (out, in) and bias (out,), not {np.shape(weight)} and {np.shape(bias)}")
    product = np.matmul(x, np.transpose(weight))
    return product if bias is None else product + bias


@linear.backward("x")
def _(g, weight):
    return g @ weight


@linear.backward("weight")
def _(g, x):
    leading = list(range(g.ndim - 1))
    return np.tensordot(g, x, axes=(leading, leading))


@linear.backward("bias")
def _(g):
    return g.sum(axis=tuple(range(g.ndim - 1)))


@op(p=[0.5, 0.2], seed=[0, 1], training=[True, False], linear=True)
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


@dropout.batch
def _(moved, x, *, p=0.5, seed=0, training=True):  # noqa: ARG001 (the form of such a function)
    x = np.multiply(x, 1.0)
    return x * _scale(x.shape[1:], x.dtype, p, seed, training)  # one mask for all: it is drawn by the shape


@dropout.backward
def _(g, scale):
    return g * scale
