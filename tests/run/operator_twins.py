"""Operators in pairs: a right one, and a twin with one fault that only some inputs show."""

import numpy as np

from gradcheck_cli import arr, ints, keep, op, unbroadcast


@op
def right_cube(x):
    """x ** 3."""
    return x**3


@right_cube.backward
def _(g, x):
    return 3 * g * x**2


@op
def wrong_cube(x):
    """x ** 3, its gradient with the wrong sign."""
    return x**3


@wrong_cube.backward
def _(g, x):
    return -3 * g * x**2


@op
def right_product(x, y):
    """x * y."""
    return x * y


@right_product.backward
def _(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


@op
def wrong_product(x, y):
    """x * y, the sum over broadcast axes forgotten."""
    return x * y


@wrong_product.backward
def _(g, x, y):
    return g * y, g * x


@op
def right_flip(x):
    """x read backwards, whatever the layout of its gradient."""
    return np.ravel(x)[::-1].reshape(x.shape)


@right_flip.backward
def _(g):
    return np.ravel(g)[::-1].reshape(g.shape)


@op
def wrong_flip(x):
    """x read backwards, its gradient read in the order of the memory."""
    return np.ravel(x)[::-1].reshape(x.shape)


@wrong_flip.backward
def _(g):
    return np.ravel(g, "K")[::-1].reshape(g.shape)


@op
def right_scatter(x):
    """x with its first elements doubled."""
    out = np.array(x, order="C")
    out.reshape(-1)[:2] *= 2
    return out


@right_scatter.backward
def _(g):
    gx = np.array(g, order="C")
    gx.reshape(-1)[:2] *= 2
    return gx


@op
def wrong_scatter(x):
    """x with its first elements doubled; for an x in Fortran order the gradient changes a copy."""
    return np.where(np.arange(x.size).reshape(x.shape) < 2, 2 * x, x)


@wrong_scatter.backward
def _(g, x):
    gx = np.empty_like(x)
    gx[...] = g
    gx.reshape(-1)[:2] *= 2
    return gx


@op(power=[1, 2, 3])
def right_power(x, *, power=1):
    """x ** power."""
    return x**power


@right_power.backward
def _(g, x, power):
    return g * power * x ** (power - 1)


@op(power=[1, 2, 3])
def wrong_power(x, *, power=1):
    """x ** power, its gradient right for 1 and 2."""
    return x**power


@wrong_power.backward
def _(g, x, power):
    return g * power * x ** min(power - 1, 1)


@op
def right_scalar(x):
    """x ** 2."""
    return x * x


@right_scalar.backward
def _(g, x):
    return 2 * g * x


@op
def wrong_scalar(x):
    """x ** 2, its gradient wrong for a single number."""
    return x * x


@wrong_scalar.backward
def _(g, x):
    return 2 * g * x if x.ndim else g * x


@op(x=arr("n d"), bias=arr("d"))
def right_shift(x, bias):
    """x + bias."""
    return x + bias


@right_shift.backward
def _(g):
    return g, g.sum(axis=0)


@op(x=arr("n d"), bias=arr("d"))
def wrong_shift(x, bias):
    """x + bias, the sum left out for a single row, where nothing seems to be summed."""
    return x + bias


@wrong_shift.backward
def _(g):
    return g, g.sum(axis=0) if len(g) > 1 else g


@op(table=arr("rows d"), index=ints("n", below="rows"))
def right_lookup(table, index):
    """table[index]."""
    return keep(table[index], shape=table.shape)


@right_lookup.backward
def _(g, index, shape):
    gtable = np.zeros(shape)
    np.add.at(gtable, index, g)
    return gtable


@op(table=arr("rows d"), index=ints("n", below="rows"))
def wrong_lookup(table, index):
    """table[index], the gradient assigned where an index may come twice."""
    return keep(table[index], shape=table.shape)


@wrong_lookup.backward
def _(g, index, shape):
    gtable = np.zeros(shape)
    gtable[index] = g
    return gtable


@op
def right_double(x):
    """2 * x."""
    return 2 * x


@right_double.backward
def _(g):
    return 2 * g


@op
def wrong_double(x):
    """2 * x, in place of x."""
    x *= 2
    return x


@wrong_double.backward
def _(g):
    return 2 * g


@op(x=arr("n k"), weights=arr("k"))
def right_mean(x, weights=None):
    """Mean of x over its rows, weighted or not."""
    return np.mean(x if weights is None else x * weights, axis=0)


@right_mean.backward
def _(g, x, weights):
    gx = np.broadcast_to(g if weights is None else g * weights, x.shape) / len(x)
    return gx, None if weights is None else np.sum(g * x, axis=0) / len(x)


@op(x=arr("n k"), weights=arr("k"))
def wrong_mean(x, weights=None):
    """Mean of x over its rows, its gradient a sum where there are no weights."""
    return np.mean(x if weights is None else x * weights, axis=0)


@wrong_mean.backward
def _(g, x, weights):
    if weights is None:
        return np.broadcast_to(g, x.shape), None
    return np.broadcast_to(g * weights, x.shape) / len(x), np.sum(g * x, axis=0) / len(x)


@op(x=arr("... d"))
def right_norm(x):
    """x over its length along the last axis."""
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))


@right_norm.backward
def _(g, x, out):
    return (g - out * np.sum(g * out, axis=-1, keepdims=True)) / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))


@op(x=arr("... d"))
def wrong_norm(x):
    """x over its length along the last axis, its gradient along axis 1."""
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))


@wrong_norm.backward
def _(g, x, out):
    axis = min(1, x.ndim - 1)
    return (g - out * np.sum(g * out, axis=axis, keepdims=True)) / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))


@op
def right_sum(x):
    """Sum of all elements."""
    return keep(np.sum(x), shape=np.shape(x))


@right_sum.backward
def _(g, shape):
    return np.full(shape, g)


@op
def wrong_sum(x):
    """Sum of all elements, the gradient of no elements being one."""
    return keep(np.sum(x), shape=np.shape(x))


@wrong_sum.backward
def _(g, shape):
    return np.full([size or 1 for size in shape], g)


@op(x=arr("n k"))
def right_exponentials(x):
    """Sum of exp(x) over columns."""
    return np.exp(x).sum(axis=1)


@right_exponentials.backward
def _(g, x):
    return g[:, None] * np.exp(x)


@op(x=arr("n k"))
def wrong_exponentials(x):
    """Sum of exp(x) over columns, its gradient 0 / 0 for a single one."""
    return np.exp(x).sum(axis=1)


@wrong_exponentials.backward
def _(g, x):
    others = x.shape[1] - 1
    return g[:, None] * np.exp(x) * (np.float64(others) / others)
