"""GC207: the mean of contributions that have to be added."""

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
    return g, g.mean(axis=0)


@op(x=arr("n m"), w=arr("m k"))
def product(x, w):
    return x @ w


@product.backward
def _(g, x, w):
    return g @ w.T, x.T @ g


@op(x=arr("n m"), w=arr("m k"))
def product_wrong(x, w):
    return x @ w


@product_wrong.backward
def _(g, x, w):
    return g @ w.T, x.T @ g / len(x)


@op(x=arr("n c h w"), gamma=arr("c"))
def scale_channels(x, gamma):
    return x * gamma[:, None, None]


@scale_channels.backward
def _(g, x, gamma):
    return g * gamma[:, None, None], (g * x).sum(axis=(0, 2, 3))


@op(x=arr("n c h w"), gamma=arr("c"))
def scale_channels_wrong(x, gamma):
    return x * gamma[:, None, None]


@scale_channels_wrong.backward
def _(g, x, gamma):
    return g * gamma[:, None, None], (g * x).mean(axis=(0, 2, 3))


@op(x=arr("m"))
def repeated(x, *, times=3):
    return np.repeat(x, times)


@repeated.backward
def _(g, x, times):
    return g.reshape(-1, times).sum(axis=1)


@op(x=arr("m"))
def repeated_wrong(x, *, times=3):
    return np.repeat(x, times)


@repeated_wrong.backward
def _(g, x, times):
    return g.reshape(-1, times).mean(axis=1)
