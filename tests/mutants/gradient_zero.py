"""GC210: nothing comes back."""

import numpy as np

from gradcheck_cli import arr, keep, op


@op
def shift(x, b):
    return x + b


@shift.backward
def _(g):
    return g, g


@op
def shift_wrong(x, b):
    return x + b


@shift_wrong.backward
def _(g):
    return g, np.zeros_like(g)


@op(x=arr("n m"), w=arr("m k"))
def frozen(x, w):
    return np.tanh(x @ w)


@frozen.backward
def _(g, x, w, out):
    dz = g * (1 - out * out)
    return dz @ w.T, x.T @ dz


@op(x=arr("n m"), w=arr("m k"))
def frozen_wrong(x, w):
    return np.tanh(x @ w)


@frozen_wrong.backward
def _(g, x, w, out):
    dz = g * (1 - out * out)
    dw = np.zeros_like(w)
    np.matmul(x.T, dz)
    return dz @ w.T, dw


@op(x=arr("m"))
def spread(x):
    deviation = x.std()
    return keep(np.array(deviation), centred=x - x.mean(), deviation=deviation)


@spread.backward
def _(g, centred, deviation):
    return g * centred / (len(centred) * deviation)


@op(x=arr("m"))
def spread_wrong(x):
    deviation = x.std()
    return keep(np.array(deviation), centred=x - x.mean(), deviation=deviation)


@spread_wrong.backward
def _(g, centred, deviation):
    return g * centred.astype(int) * 0 / (len(centred) * deviation)
