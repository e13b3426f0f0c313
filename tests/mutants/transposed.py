"""GC205: transposes that are missing or one too many."""

import numpy as np

from gradcheck_cli import arr, op


@op(x=arr("n m"), w=arr("m m"))
def turned(x, w):
    return x @ w


@turned.backward
def _(g, x, w):
    return g @ w.T, x.T @ g


@op(x=arr("n m"), w=arr("m m"))
def factor_not_turned(x, w):
    return x @ w


@factor_not_turned.backward
def _(g, x, w):
    return g @ w, x.T @ g


@op(x=arr("n m"), w=arr("m m"))
def result_turned(x, w):
    return x @ w


@result_turned.backward
def _(g, x, w):
    return g @ w.T, g.T @ x


@op(x=arr("n m"), w=arr("m k"))
def reshaped(x, w):
    return x @ w


@reshaped.backward
def _(g, x, w):
    return g @ w.T, (g.T @ x).reshape(w.shape)


@op(x=arr("n m"), w=arr("m k"))
def not_reshaped(x, w):
    return x @ w


@not_reshaped.backward
def _(g, x, w):
    return g @ w.T, (g.T @ x).T


@op(a=arr("b n n"))
def batch_of_squares(a):
    return a @ a


@batch_of_squares.backward
def _(g, a):
    turned = np.swapaxes(a, 1, 2)
    return g @ turned + turned @ g


@op(a=arr("b n n"))
def batch_of_squares_wrong(a):
    return a @ a


@batch_of_squares_wrong.backward
def _(g, a):
    return np.swapaxes(g, 1, 2) @ a + a @ np.swapaxes(g, 1, 2)
