"""GC201: a minus is lost or added."""

import numpy as np

from gradcheck_cli import arr, op


@op
def gap(x, y):
    return x - y


@gap.backward
def _(g):
    return g, -g


@op
def gap_wrong(x, y):
    return x - y


@gap_wrong.backward
def _(g):
    return g, g


@op
def damped_wave(x):
    return np.exp(-x) * np.cos(x)


@damped_wave.backward
def _(g, x, out):
    return -g * (out + np.exp(-x) * np.sin(x))


@op
def damped_wave_wrong(x):
    return np.exp(-x) * np.cos(x)


@damped_wave_wrong.backward
def _(g, x, out):
    return g * (out + np.exp(-x) * np.sin(x))


@op(prediction=arr("n m"), target=arr("n m", nondiff=True))
def squares(prediction, target):
    return ((prediction - target) ** 2).sum(axis=1)


@squares.backward
def _(g, prediction, target):
    return 2 * g[:, None] * (prediction - target)


@op(prediction=arr("n m"), target=arr("n m", nondiff=True))
def squares_wrong(prediction, target):
    return ((prediction - target) ** 2).sum(axis=1)


@squares_wrong.backward
def _(g, prediction, target):
    return 2 * g[:, None] * (target - prediction)


@op(x=arr("n m"), w=arr("m k"))
def unlike(x, w):
    return -x @ w


@unlike.backward
def _(g, x, w):
    return -g @ w.T, -x.T @ g


@op(x=arr("n m"), w=arr("m k"))
def unlike_wrong(x, w):
    return -x @ w


@unlike_wrong.backward
def _(g, x, w):
    return -g @ w.T, x.T @ g
