"""GC206: an argument was broadcast, and its gradient is a slice of what has to be summed."""

import numpy as np

from gradcheck_cli import arr, op


@op(x=arr("n m"), b=arr("m"))
def add_bias(x, b):
    return x + b


@add_bias.backward
def _(g):
    return g, g.sum(axis=0)


@op(x=arr("n m"), b=arr("m"))
def add_bias_wrong(x, b):
    return x + b


@add_bias_wrong.backward
def _(g):
    return g, g[0]


@op(x=arr("n c h w"), b=arr("c"))
def bias_of_channels(x, b):
    return x + b[:, None, None]


@bias_of_channels.backward
def _(g):
    return g, g.sum(axis=(0, 2, 3))


@op(x=arr("n c h w"), b=arr("c"))
def bias_of_channels_wrong(x, b):
    return x + b[:, None, None]


@bias_of_channels_wrong.backward
def _(g):
    return g, g.sum(axis=0)[:, 0, 0]


@op(x=arr("n m"), scale=arr("n 1"))
def scale_rows(x, scale):
    return np.tanh(x) * scale


@scale_rows.backward
def _(g, x, scale):
    h = np.tanh(x)
    return g * scale * (1 - h * h), (g * h).sum(axis=1, keepdims=True)


@op(x=arr("n m"), scale=arr("n 1"))
def scale_rows_wrong(x, scale):
    return np.tanh(x) * scale


@scale_rows_wrong.backward
def _(g, x, scale):
    h = np.tanh(x)
    return g * scale * (1 - h * h), (g * h)[:, :1]


@op(x=arr("m"))
def tiled(x, *, times=3):
    return np.tile(x, (times, 1))


@tiled.backward
def _(g):
    return g.sum(axis=0)


@op(x=arr("m"))
def tiled_wrong(x, *, times=3):
    return np.tile(x, (times, 1))


@tiled_wrong.backward
def _(g):
    return g[0]
