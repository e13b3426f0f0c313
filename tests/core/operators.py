"""Operators with a rule for each input, an optional input, an attribute, and any number of arrays."""

import numpy as np

from gradcheck_cli import keep, op

A = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
ran = []  # the rules of matmul that ran, by their inputs


@op
def matmul(a, b):
    """a @ b, with a rule for each."""
    return a @ b


@matmul.backward("a")
def _(g, b):
    ran.append("a")
    return g @ b.T


@matmul.backward("b")
def _(g, a):
    ran.append("b")
    return a.T @ g


@op
def affine(x, w, b=None):
    """x * w + b."""
    return x * w if b is None else x * w + b


@affine.backward
def _(g, x, w, b):
    return g * w, g * x, None if b is None else g


@op(outputs="loss probs")
def scored(x, *, scale=1.0):
    """The sum and the squares, and what the backward needs."""
    squares = x * x
    return keep(scale * squares.sum(), squares, double=2 * x)


@scored.backward
def _(g_loss, g_probs, double, scale):
    return double * (scale * g_loss + g_probs)


@op
def concatenate(*xs, axis=0):
    """All arrays one behind the other."""
    return np.concatenate(xs, axis=axis)


@concatenate.backward
def _(g, xs, axis):
    return np.split(g, np.cumsum([x.shape[axis] for x in xs])[:-1], axis=axis)
