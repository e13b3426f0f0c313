"""Operators that move elements and leave their values alone."""

import math

import numpy as np

from gradcheck_cli import arr, op


@op(batch="elementwise", linear=True)
def copy(x):
    """x, the branch of a graph: the gradients of all uses of a value sum."""
    return np.array(x)


@copy.backward
def _(g):
    return g


@op(shape=[-1, (1, -1), (-1, 1, 1)], batch="gather", linear=True)
def reshape(x, *, shape):
    """x with its elements, in row order, in another shape; one size may be -1."""
    return np.reshape(x, shape)


@reshape.backward
def _(g, x_shape):
    return np.reshape(g, x_shape)


@op(x=arr("... m n"), axes=[None, (2, 0, 1), (0, -1, 1)], batch="gather", linear=True)
def transpose(x, *, axes=None):
    """x with its axes in the order of axes (None: reversed)."""
    return np.transpose(x, axes)


@transpose.backward
def _(g, axes):
    return np.transpose(g, None if axes is None else np.argsort([axis % g.ndim for axis in axes]))


@op(axis=[0, 1, -1, None], batch="gather", linear=True)
def concatenate(*xs, axis=0):
    """The arrays xs joined along axis (None: flattened first)."""
    return np.concatenate(xs, axis=axis)


@concatenate.backward
def _(g, xs_shape, axis):
    sizes = [math.prod(shape) if axis is None else shape[axis] for shape in xs_shape]
    parts = np.split(g, np.cumsum(sizes)[:-1], axis=axis or 0)
    return [part.reshape(shape) for part, shape in zip(parts, xs_shape, strict=True)]


@op(
    key=[0, (slice(None), -1), (None, ..., slice(None, None, -1)), [1, 0, 1], ([0, 1, 1], [1, 0, 0])],
    batch="gather",
    linear=True,
)
def getitem(x, *, key):
    """x[key]; an element taken several times gets the sum of its gradients."""
    return x[key]


@getitem.backward
def _(g, x_shape, key):
    gradient = np.zeros(x_shape, g.dtype)
    if _takes_each_element_once(key):
        gradient[key] = g  # many times faster than add.at
    else:
        np.add.at(gradient, key, g)
    return gradient


def _takes_each_element_once(key):
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is None or part is ... or isinstance(part, int | np.integer | slice) for part in parts)
