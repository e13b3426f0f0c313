"""GC214: wrong in a way of its own."""

import numpy as np

from gradcheck_cli import arr, op


@op
def wave(x):
    return np.sin(x) + x * x / 3


@wave.backward
def _(g, x):
    return g * (np.cos(x) + 2 * x / 3)


@op
def wave_wrong(x):
    return np.sin(x) + x * x / 3


@wave_wrong.backward
def _(g, x):
    return g * (np.cos(2.3 * x) - x / 7)


@op(x=arr("n m"), w=arr("m k"))
def layer(x, w):
    return np.tanh(x @ w)


@layer.backward
def _(g, x, w, out):
    dz = g * (1 - out * out)
    return dz @ w.T, x.T @ dz


@op(x=arr("n m"), w=arr("m k"))
def layer_wrong(x, w):
    return np.tanh(x @ w)


@layer_wrong.backward
def _(g, x, w, out):
    dz = g * (1 - out * out)
    return dz @ w.T, np.cumsum(x.T @ dz + 0.3 * g.sum() * w, axis=0)


@op(x=arr("n m"))
def norms(x):
    return np.sqrt((x * x).sum(axis=1))


@norms.backward
def _(g, x, out):
    return g[:, None] * x / out[:, None]


@op(x=arr("n m"))
def norms_wrong(x):
    return np.sqrt((x * x).sum(axis=1))


@norms_wrong.backward
def _(g, x, out):
    return g[::-1, None] * np.roll(x, 1, axis=1) ** 3 / (out[:, None] + 0.1)
