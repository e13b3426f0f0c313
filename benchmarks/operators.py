"""Operators that the workloads need and the program doesn't have built in."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from gradcheck_cli import arr, keep, op


@op(batch="elementwise")
def sin(x):
    """sin(x)."""
    return np.sin(x)


@sin.backward
def _(g, x):
    return g * np.cos(x)


@op(x=arr("n c h w"), weight=arr("o c 3 3"), bias=arr("o"), linear="x weight bias")
def conv2d(x, weight, bias):
    """Convolution without padding, of x with every weight[o], plus bias[o]."""
    windows = sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    return np.tensordot(windows, weight, axes=([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2) + bias[:, None, None]


@conv2d.backward
def _(g, x, weight):
    height, width = g.shape[2:]
    windows = sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    grad = np.zeros_like(x)
    for i, j in np.ndindex(*weight.shape[2:]):
        part = np.tensordot(g, weight[:, :, i, j], axes=(1, 0)).transpose(0, 3, 1, 2)
        grad[:, :, i : i + height, j : j + width] += part
    return grad, np.tensordot(g, windows, axes=([0, 2, 3], [0, 2, 3])), g.sum(axis=(0, 2, 3))


@op(x=arr("... n"), gamma=arr("n"), beta=arr("n"), batch="leading", linear="gamma beta")
def layer_norm(x, gamma, beta):
    """(x - mean) / sqrt(variance + 1e-5) * gamma + beta, over the last axis."""
    centred = x - x.mean(axis=-1, keepdims=True)
    scale = 1 / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)
    normal = centred * scale
    return keep(normal * gamma + beta, normal=normal, scale=scale)


@layer_norm.backward
def _(g, normal, scale, gamma):
    h = g * gamma
    across = normal * (h * normal).mean(axis=-1, keepdims=True)
    leading = tuple(range(g.ndim - 1))
    return scale * (h - h.mean(axis=-1, keepdims=True) - across), (g * normal).sum(axis=leading), g.sum(axis=leading)
