"""GC202: a factor that is the same for every element."""

import numpy as np

from gradcheck_cli import arr, op


@op
def square(x):
    return x * x


@square.backward
def _(g, x):
    return 2 * g * x


@op
def square_wrong(x):
    return x * x


@square_wrong.backward
def _(g, x):
    return g * x


@op(x=arr("n m"))
def mean_square(x):
    return (x * x).mean(axis=1)


@mean_square.backward
def _(g, x):
    return 2 * g[:, None] * x / x.shape[1]


@op(x=arr("n m"))
def mean_square_wrong(x):
    return (x * x).mean(axis=1)


@mean_square_wrong.backward
def _(g, x):
    return 2 * g[:, None] * x


@op(x=arr(low=0.2, high=3))
def decibel(x):
    return 10 * np.log10(x)


@decibel.backward
def _(g, x):
    return 10 * g / (x * np.log(10))


@op(x=arr(low=0.2, high=3))
def decibel_wrong(x):
    return 10 * np.log10(x)


@decibel_wrong.backward
def _(g, x):
    return 10 * g / x


@op(x=arr("n m"), y=arr("k m"))
def scores(x, y, *, temperature=0.7):
    return x @ y.T / temperature


@scores.backward
def _(g, x, y, temperature):
    return g @ y / temperature, g.T @ x / temperature


@op(x=arr("n m"), y=arr("k m"))
def scores_wrong(x, y, *, temperature=0.7):
    return x @ y.T / temperature


@scores_wrong.backward
def _(g, x, y, temperature):
    return g @ y, g.T @ x / temperature


@op(x=arr("n m"))
def squared_norm(x):
    return 0.5 * (x * x).sum(axis=0)


@squared_norm.backward
def _(g, x):
    return g * x


@op(x=arr("n m"))
def squared_norm_wrong(x):
    return 0.5 * (x * x).sum(axis=0)


@squared_norm_wrong.backward
def _(g, x):
    return g * x / len(x)
