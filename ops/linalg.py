"""Linear algebra."""

import numpy as np

from gradcheck_cli import arr, op, unbroadcast


@op(x=arr("... m k"), y=arr("... k n"), batch="product", linear="x y")
def matmul(x, y):
    """x @ y: product of matrices, of vectors (one axis), and of stacks of matrices that broadcast."""
    return np.matmul(x, y)


@matmul.backward("x")
def _(g, y, x_shape, y_shape):
    gx = _as_matrix(g, x_shape, y_shape) @ np.swapaxes(_as_column(y), -1, -2)
    return unbroadcast(gx, x_shape if len(x_shape) > 1 else (1, *x_shape)).reshape(x_shape)


@matmul.backward("y")
def _(g, x, x_shape, y_shape):
    gy = np.swapaxes(_as_row(x), -1, -2) @ _as_matrix(g, x_shape, y_shape)
    return unbroadcast(gy, y_shape if len(y_shape) > 1 else (*y_shape, 1)).reshape(y_shape)


def _as_row(x):
    return x[None, :] if x.ndim == 1 else x


def _as_column(y):
    return y[:, None] if y.ndim == 1 else y


def _as_matrix(g, x_shape, y_shape):
    """Give `g` the axes of size 1 that a vector among the operands left out."""
    g = g[..., None] if len(y_shape) == 1 else g
    return g[..., None, :] if len(x_shape) == 1 else g


@matmul.sample
def _(rng):
    plain, stacked = [((3, 4), (4, 2)), ((4,), (4, 2)), ((3, 4), (4,))], [((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3))]
    x_shape, y_shape = (plain + stacked)[rng.integers(5)]
    return rng.standard_normal(x_shape), rng.standard_normal(y_shape)
