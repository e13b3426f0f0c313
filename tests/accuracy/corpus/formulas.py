"""Formulas that several operators share. They keep the type of their argument, extended precision included."""

from __future__ import annotations

import numpy as np


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def unbroadcast(g, shape):
    """Sum a gradient over the axes along which an array of `shape` was stretched."""
    g = np.asarray(g)
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and g.shape[axis] != 1)
    return g.sum(axis=stretched, keepdims=True)
