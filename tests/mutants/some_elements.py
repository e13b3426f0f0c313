"""GC212: a case is forgotten, and the elements that it concerns are wrong."""

import numpy as np

from gradcheck_cli import arr, op


@op(x=arr(avoid=0))
def elu(x):
    return np.where(x > 0, x, np.expm1(x))


@elu.backward
def _(g, x):
    return np.where(x > 0, g, g * np.exp(x))


@op(x=arr(avoid=0))
def elu_wrong(x):
    return np.where(x > 0, x, np.expm1(x))


@elu_wrong.backward
def _(g, x):
    return np.where(x > 0, g, g * np.exp(2 * x))


@op(x=arr("p"))
def smoothed(x):
    padded = np.concatenate([x[:1], x, x[-1:]])
    return (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4


@smoothed.backward
def _(g):
    dx = 2 * g
    dx[1:] += g[:-1]
    dx[:-1] += g[1:]
    dx[0] += g[0]
    dx[-1] += g[-1]
    return dx / 4


@op(x=arr("p"))
def smoothed_wrong(x):
    padded = np.concatenate([x[:1], x, x[-1:]])
    return (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4


@smoothed_wrong.backward
def _(g):
    dx = 2 * g
    dx[1:] += g[:-1]
    dx[:-1] += g[1:]
    return dx / 4


@op(a=arr("m m"))
def symmetric_energy(a):
    return np.sum(np.cosh((a + a.T) / 2))


@symmetric_energy.backward
def _(g, a):
    return g * np.sinh((a + a.T) / 2)


@op(a=arr("m m"))
def symmetric_energy_wrong(a):
    return np.sum(np.cosh((a + a.T) / 2))


@symmetric_energy_wrong.backward
def _(g, a):
    full = np.sinh((a + a.T) / 2)
    return g * (np.triu(full) + np.tril(full * a, -1))


@op(x=arr("n p"))
def folded(x):
    return np.sin(x[:, ::2]).sum(axis=1) + np.exp(x[:, 1::2]).sum(axis=1)


@folded.backward
def _(g, x):
    dx = np.exp(x)
    dx[:, ::2] = np.cos(x[:, ::2])
    return g[:, None] * dx


@op(x=arr("n p"))
def folded_wrong(x):
    return np.sin(x[:, ::2]).sum(axis=1) + np.exp(x[:, 1::2]).sum(axis=1)


@folded_wrong.backward
def _(g, x):
    dx = x * x + np.exp(x)
    dx[:, ::2] = np.cos(x[:, ::2])
    return g[:, None] * dx
