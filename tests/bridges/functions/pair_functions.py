"""Pairs of functions that are right, and what a check of a pair says."""

from __future__ import annotations

import numpy as np

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair
from tests import results


def call(operator, params, *others):
    """Return a function of the parameters, in the order of the arguments, and of other arguments behind them."""
    return lambda **given: operator(*(given[name] for name in params), *others)


def checked(forward, backward, params, *others, sample=None, **options):
    return check(call(from_pair("op", forward, backward, **options), params, *others), params, sample=sample)


def findings(result):
    """Return the names of what was found about the case and about its parameters."""
    inside = [finding.name for parameter in result.parameters for finding in parameter.findings]
    return results.findings(result) + inside


def affine(x, w, b):
    out = x @ w + b
    cache = (x, w)
    return out, cache


def affine_from_cache(dout, cache):
    x, w = cache
    return dout @ w.T, x.T @ dout, dout.sum(axis=0)


def gates(x, v):
    h = np.tanh(x) * v
    c = x + v**2
    cache = (x, v)
    return h, c, cache


def gates_backward(dh, dc, cache):
    x, v = cache
    dx = dh * v * (1 - np.tanh(x) ** 2) + dc
    dv = dh * np.tanh(x) + 2 * v * dc
    return dx, dv


def leaky(x, slope=0.1):
    return np.where(x > 0, x, slope * x)


def leaky_from_slope(g, x, slope):
    return np.where(x > 0, g, slope * g)


def shifted(x, b=None):
    out = x if b is None else x + b
    return 1.0 * out


def shifted_backward(g, x, b=None):
    return (g, g.sum(axis=0)) if b is not None else g
