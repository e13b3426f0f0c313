"""A quadratic value of two matrices, and its gradients."""

from __future__ import annotations

import numpy as np

RNG = np.random.default_rng(6)
X, W = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 2))
XW = {"x": X, "w": W}


def gradients(x, w):
    scores = x @ w
    return 2 * scores @ w.T / x.shape[0], 2 * x.T @ scores / x.shape[0]


def value(x, w):
    return np.sum((x @ w) ** 2) / x.shape[0]
