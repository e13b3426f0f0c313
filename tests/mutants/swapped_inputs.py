"""GC211: two arguments have each other's gradient."""

import numpy as np

from gradcheck_cli import arr, op


@op
def times(x, y):
    return x * y


@times.backward
def _(g, x, y):
    return g * y, g * x


@op
def times_wrong(x, y):
    return x * y


@times_wrong.backward
def _(g, x, y):
    return g * x, g * y


@op(x=arr(low=0.5, high=2), y=arr(low=0.5, high=2))
def angle(x, y):
    return np.arctan2(y, x)


@angle.backward
def _(g, x, y):
    square = x * x + y * y
    return -g * y / square, g * x / square


@op(x=arr(low=0.5, high=2), y=arr(low=0.5, high=2))
def angle_wrong(x, y):
    return np.arctan2(y, x)


@angle_wrong.backward
def _(g, x, y):
    square = x * x + y * y
    return g * x / square, -g * y / square


@op(w=arr("m m"), x=arr("m m"))
def square_product(w, x):
    return np.tanh(w @ x)


@square_product.backward
def _(g, w, x, out):
    dz = g * (1 - out * out)
    return dz @ x.T, w.T @ dz


@op(w=arr("m m"), x=arr("m m"))
def square_product_wrong(w, x):
    return np.tanh(w @ x)


@square_product_wrong.backward
def _(g, w, x, out):
    dz = g * (1 - out * out)
    return w.T @ dz, dz @ x.T
