"""Layers of networks."""

import numpy as np

from gradcheck_cli import arr, keep, op


@op(x=arr("... n"), weight=arr("m n"), bias=arr("m"))
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


@op(p=[0.5, 0.2], seed=[0, 1], training=[True, False])
def dropout(x, *, p=0.5, seed=0, training=True):
    """x * kept / (1 - p), where each element is kept with probability 1 - p, drawn from seed; x if not training."""
    if not 0 <= p <= 1:
        raise ValueError(f"p should be a probability between 0 and 1, not {p!r}")
    x = np.multiply(x, 1.0)  # a copy, and integers become numbers that can be scaled
    if not training:
        return keep(x, scale=np.ones((), x.dtype))
    kept = np.random.default_rng(seed).random(x.shape) >= p
    scale = np.asarray(kept / (1 - p if p < 1 else 1), dtype=x.dtype)
    return keep(x * scale, scale=scale)


@dropout.backward
def _(g, scale):
    return g * scale
