"""Operators that choose elements, by index, order or place, and leave their values alone."""

import math

import numpy as np

from gradcheck_cli import arr, ints, keep, op, unbroadcast

from .axes import behind
from .checks import check_axis, whole_numbers


@op(
    key=[0, (slice(None), -1), (None, ..., slice(None, None, -1)), [1, 0, 1], ([0, 1, 1], [1, 0, 0])],
    batch="gather",
    linear=True,
)
def getitem(x, *, key):
    """x[key]; an element taken several times gets the sum of its gradients."""
    return np.asarray(x)[key]


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


@op(
    x=arr("4 5"),
    indices=ints("...", below=4),
    axis=[None, 0, 1, -1],
    mode=["raise", "wrap", "clip"],
    batch="gather",
    linear=True,
)
def take(x, indices, *, axis=None, mode="raise"):
    """x[indices] along axis (None: of x in row order); an element taken several times gets the sum of its gradients."""
    if np.asarray(indices).dtype.kind != "b":
        whole_numbers(indices, "indices")
    return np.take(x, indices, axis, mode=mode)


@take.backward
def _(g, x_shape, indices, axis, mode):
    return added_at(g, np.take(places_of(x_shape), indices, axis, mode=mode), x_shape)


@op(x=arr("4 5"), index=ints("2 5", below=4), axis=[0, 1, -1], batch="gather", linear=True)
def gather(x, index, *, axis):
    """x[index[i, j], j] at every [i, j] for axis 0, x[i, index[i, j]] for axis 1; as in torch, without broadcasting."""
    return np.asarray(x)[_along(np.shape(x), index, axis)]


@gather.backward
def _(g, x_shape, index, axis):
    gradient = np.zeros(x_shape, g.dtype)
    np.add.at(gradient, _along(x_shape, index, axis), g)
    return gradient


@op(x=arr("4 5"), index=ints("2 3", below=4), src=arr("2 3"), axis=[0, 1, -2], linear=True)
def scatter_add(x, index, src, *, axis):
    """x, and src[i, j] added to it at [index[i, j], j] for axis 0, at [i, index[i, j]] for axis 1; as in torch."""
    x, src = np.asarray(x), np.asarray(src)
    if src.ndim != np.ndim(index) or any(m > n for m, n in zip(np.shape(index), src.shape, strict=True)):
        raise ValueError(f"src should be no smaller than index, whose shape is {np.shape(index)}, not {src.shape}")
    added = np.array(x, np.result_type(x, src))
    np.add.at(added, _along(x.shape, index, axis), src[tuple(map(slice, np.shape(index)))])
    return added


@scatter_add.batch
def _(moved, x, index, src, *, axis):
    count, shape = (len(x), x.shape[1:]) if "x" in moved else (len(src), x.shape)
    added = np.array(np.broadcast_to(x, (count, *shape)), np.result_type(x, src))
    part = src[(..., *map(slice, index.shape))]
    np.add.at(added, (slice(None), *_along(shape, index, axis)), part)
    return added


@scatter_add.backward("x")
def _(g):
    return g


@scatter_add.backward("src")
def _(g, index, src_shape, axis):
    gradient = np.zeros(src_shape, g.dtype)
    gradient[tuple(map(slice, index.shape))] = g[_along(g.shape, index, axis)]
    return gradient


def _along(shape, index, axis):
    """Return the key of the elements at index along axis, and at its own places along all others."""
    index = whole_numbers(index, "index")
    if index.ndim != len(shape):
        raise ValueError(f"index should have as many axes as x, {len(shape)}, not {index.ndim}")
    if not shape:  # a single number counts as an array of one
        _along((1,), index.reshape(1), axis)
        return ()
    check_axis(axis, shape)
    at = axis % len(shape)
    if np.any((index < 0) | (index >= shape[at])):
        raise ValueError(f"index should hold numbers from 0 to {shape[at] - 1}, the places along axis {axis}")
    if any(m > n for m, n in zip(np.delete(index.shape, at), np.delete(shape, at), strict=True)):
        raise ValueError(
            f"index should be no larger than x, but for axis {axis}: its shape is {index.shape}, not {shape}"
        )
    key = list(np.ogrid[tuple(map(slice, index.shape))])
    key[at] = index
    return tuple(key)


@op(x=arr(distinct=True), axis=[-1, 0, None], batch="axis")
def sort(x, *, axis=-1):
    """x in ascending order along axis (None: flattened); elements that tie keep their order, a valid subgradient."""
    order = np.argsort(x, axis, kind="stable")
    return keep(np.take_along_axis(np.asarray(x), order, axis), order=order)


@sort.backward
def _(g, x_shape, order, axis):
    gradient = np.empty_like(g)
    np.put_along_axis(gradient, order, g, axis)
    return gradient.reshape(x_shape)


@op(x=arr("m 5", distinct=True), k=[1, 2], axis=[-1, 0], largest=[True, False], outputs="values indices")
def topk(x, *, k, axis=-1, largest=True):
    """The k largest elements of x along axis in descending order, and their indices, which have no gradient.

    largest=False gives the k smallest, in ascending order. Of elements that tie the first comes first.
    """
    x = np.asarray(x)
    indices = _first(np.atleast_1d(x), k, axis, largest)
    values = np.take_along_axis(np.atleast_1d(x), indices, axis)
    return (values, indices) if x.ndim else (values.reshape(()), indices.reshape(()))


@topk.batch
def _(moved, x, *, k, axis=-1, largest=True):  # noqa: ARG001 (the form of such a function)
    if x.ndim == 1:  # single numbers
        return x, np.zeros(len(x), np.intp)
    axis = behind(axis)
    indices = _first(x, k, axis, largest)
    return np.take_along_axis(x, indices, axis), indices


@topk.backward
def _(g_values, x_shape, indices, axis):
    gradient = np.zeros(x_shape or (1,), g_values.dtype)
    np.put_along_axis(gradient, np.atleast_1d(indices), np.atleast_1d(g_values), axis)
    return gradient.reshape(x_shape)


def _first(x, k, axis, largest):
    check_axis(axis, x.shape)
    if not isinstance(k, int | np.integer):
        raise ValueError(f"k should be a whole number, not {k!r}")
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"k should be from 0 to the number of elements along axis {axis}, {x.shape[axis]}, not {k}")
    if not largest:
        return np.take(np.argsort(x, axis, kind="stable"), np.arange(k), axis)
    # From behind and back again, so that the first of those that tie comes first; -x isn't there for all integers.
    order = x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.take(order, np.arange(x.shape[axis])[::-1][:k], axis)


@op(x=arr("... m n"), k=[0, 1, -1], batch="leading", linear=True)
def triu(x, *, k=0):
    """x[i, j] where j >= i + k, else 0, for the last two axes."""
    return np.triu(x, k)


@triu.backward
def _(g, x_shape, k):
    return unbroadcast(np.triu(g, k), x_shape)  # of one axis NumPy makes a square matrix of equal rows


@op(x=arr("... m n"), k=[0, 1, -1], batch="leading", linear=True)
def tril(x, *, k=0):
    """x[i, j] where j <= i + k, else 0, for the last two axes."""
    return np.tril(x, k)


@tril.backward
def _(g, x_shape, k):
    return unbroadcast(np.tril(g, k), x_shape)  # of one axis NumPy makes a square matrix of equal rows


@op(k=[0, 1, -1], batch="gather", linear=True)
def diag(x, *, k=0):
    """x[i, i + k] for every i; of x with one axis, the matrix with x there and 0 elsewhere."""
    return np.array(np.diag(x, k))


@diag.backward
def _(g, x_shape, k):
    if len(x_shape) == 1:
        return np.diag(g, k)
    return added_at(g, np.diag(places_of(x_shape), k), x_shape)


@op(x=arr("k m n"), offset=[0, 1, -1], axis1=[0, 2], axis2=[1, -2], batch="gather", linear=True)
def diagonal(x, *, offset=0, axis1=0, axis2=1):
    """x[i, i + offset] for every i, with the indices at axis1 and axis2; the diagonal is the last axis."""
    return np.array(np.diagonal(x, offset, axis1, axis2))


@diagonal.backward
def _(g, x_shape, offset, axis1, axis2):
    return added_at(g, np.diagonal(places_of(x_shape), offset, axis1, axis2), x_shape)


@op(x=ints("...", below=4), num_classes=[4, 6])
def one_hot(x, *, num_classes):
    """1 where a new last axis of size num_classes has the index x, else 0; 8-bit integers, without a gradient."""
    x = np.asarray(x)
    if x.dtype.kind not in "iu" or np.any((x < 0) | (x >= num_classes)):
        raise ValueError(f"x should hold whole numbers from 0 to {num_classes - 1}")
    return (x[..., None] == np.arange(num_classes)).astype(np.int8)


@op(x=ints("...", below="v"), weight=arr("v d"), batch="gather", linear=True)
def embedding(x, weight):
    """weight[x], a row for each index; a row taken several times gets the sum of its gradients."""
    if np.ndim(weight) != 2:
        raise ValueError(f"weight should be (rows, columns), not {np.shape(weight)}")
    return _rows(x, np.asarray(weight))


@embedding.backward
def _(g, x, weight_shape):
    gradient = np.zeros(weight_shape, g.dtype)
    np.add.at(gradient, x, g)
    return gradient


def _rows(x, weight):
    x = whole_numbers(x, "x")
    if np.any(np.less(x, 0) | np.greater_equal(x, len(weight))):
        raise ValueError(f"x should hold indices of rows, from 0 to {len(weight) - 1}")
    return weight[x]


def added_at(g, places, shape):
    """Add up g at places, which count the elements of an array of `shape` in row order."""
    gradient = np.zeros(math.prod(shape), g.dtype)
    np.add.at(gradient, places.reshape(-1), g.reshape(-1))
    return gradient.reshape(shape)


def places_of(shape):
    """Count the elements of an array of `shape` in row order."""
    return np.arange(math.prod(shape)).reshape(shape)
