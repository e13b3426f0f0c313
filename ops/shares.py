"""Differences and shares of exponents, which may be infinite."""

import numpy as np


def difference(x, y):
    """Return x - y, and 0 for two infinities of one sign, whose difference would be NaN."""
    same = np.equal(x, y)
    return np.where(same, 0, x) - np.where(same, 0, y)


def shares(x, axis):
    """Return exp(x) / sum(exp(x)) over axis: of equal ones that are +inf as much to each, 0 where all are -inf."""
    peak = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    powers = np.where(np.isneginf(peak), 0, np.exp(difference(x, peak)))
    total = np.sum(powers, axis=axis, keepdims=True)
    return powers / np.where(total == 0, 1, total)
