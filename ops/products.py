"""Products of matrices, vectors and tensors."""

import numpy as np

from gradcheck_cli import arr, op, unbroadcast

from .axes import aligned


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
    """Draw matrices, vectors, or stacks that broadcast."""
    plain, stacked = [((3, 4), (4, 2)), ((4,), (4, 2)), ((3, 4), (4,))], [((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3))]
    x_shape, y_shape = (plain + stacked)[rng.integers(5)]
    return rng.standard_normal(x_shape), rng.standard_normal(y_shape)


@op(a=arr("m"), b=arr("n"), linear="a b")
def outer(a, b):
    """a[i] * b[j], all products of an element of a and one of b, whatever their shapes, as a matrix."""
    return np.outer(a, b)


@outer.backward("a")
def _(g, b, a_shape):
    return (g @ b.reshape(-1)).reshape(a_shape)


@outer.backward("b")
def _(g, a, b_shape):
    return (a.reshape(-1) @ g).reshape(b_shape)


@outer.batch
def _(moved, a, b):
    a, b = (x.reshape(len(x) if name in moved else 1, -1) for name, x in (("a", a), ("b", b)))
    return a[:, :, None] * b[:, None, :]


@outer.sample
def _(rng):
    """Draw vectors, a matrix and a vector, or a number and a vector."""
    a_shape, b_shape = [((3,), (4,)), ((2, 2), (3,)), ((), (3,))][rng.integers(3)]
    return rng.standard_normal(a_shape), rng.standard_normal(b_shape)


@op(a=arr("m k"), b=arr("n k"), linear="a b")
def inner(a, b):
    """sum of a[..., k] * b[..., k] over k, the last axis of both; a * b where one of them is a number."""
    return np.inner(a, b)


@inner.backward("a")
def _(g, b, a_shape):
    return _left_gradient(g, a_shape, b, *_inner_axes(len(a_shape), b.ndim))


@inner.backward("b")
def _(g, a, b_shape):
    return _right_gradient(g, a, b_shape, *_inner_axes(a.ndim, len(b_shape)))


@inner.batch
def _(moved, a, b):
    return _many_contractions(moved, a, b, _inner_axes)


def _inner_axes(a_rank, b_rank):
    return ((a_rank - 1,), (b_rank - 1,)) if a_rank and b_rank else ((), ())


@inner.sample
def _(rng):
    """Draw arrays with a common last axis, or a number and an array."""
    a_shape, b_shape = [((4,), (4,)), ((3, 4), (2, 4)), ((4,), (2, 3, 4)), ((), (2, 3))][rng.integers(4)]
    return rng.standard_normal(a_shape), rng.standard_normal(b_shape)


@op(a=arr("m k"), b=arr("k n"), linear="a b")
def dot(a, b):
    """sum of a[..., k] * b[..., k, :] over k, which is b's only axis if it has one; a * b where one is a number."""
    return np.dot(a, b)


@dot.backward("a")
def _(g, b, a_shape):
    return _left_gradient(g, a_shape, b, *_dot_axes(len(a_shape), b.ndim))


@dot.backward("b")
def _(g, a, b_shape):
    return _right_gradient(g, a, b_shape, *_dot_axes(a.ndim, len(b_shape)))


@dot.batch
def _(moved, a, b):
    return _many_contractions(moved, a, b, _dot_axes)


def _dot_axes(a_rank, b_rank):
    return ((a_rank - 1,), (max(b_rank - 2, 0),)) if a_rank and b_rank else ((), ())


@dot.sample
def _(rng):
    """Draw arrays whose last and last but one axes meet, or an array and a number."""
    shapes = [((4,), (4,)), ((3, 4), (4, 2)), ((3, 4), (4,)), ((2, 3, 4), (5, 4, 2)), ((2, 3), ())]
    a_shape, b_shape = shapes[rng.integers(5)]
    return rng.standard_normal(a_shape), rng.standard_normal(b_shape)


@op(a=arr("k m n"), b=arr("n m p"), axes=[1, ((1, 2), (1, 0)), (-1, 0)], linear="a b")
def tensordot(a, b, *, axes=2):
    """sum of a * b over pairs of axes: axes = (those of a, those of b), or the last n of a and the first n of b."""
    return np.tensordot(a, b, axes=axes)


@tensordot.backward("a")
def _(g, b, a_shape, axes):
    return _left_gradient(g, a_shape, b, *_paired(axes, len(a_shape), b.ndim))


@tensordot.backward("b")
def _(g, a, b_shape, axes):
    return _right_gradient(g, a, b_shape, *_paired(axes, a.ndim, len(b_shape)))


@tensordot.batch
def _(moved, a, b, *, axes=2):
    return _many_contractions(moved, a, b, lambda *ranks: _paired(axes, *ranks))


def _paired(axes, a_rank, b_rank):
    """Write out the axes of a and of b that are summed together, counted from the front."""
    if isinstance(axes, int | np.integer):
        return tuple(range(a_rank - axes, a_rank)), tuple(range(axes))
    mine, theirs = ((each,) if isinstance(each, int | np.integer) else tuple(each) for each in axes)
    return tuple(axis % a_rank for axis in mine), tuple(axis % b_rank for axis in theirs)


def _left_gradient(g, a_shape, b, a_axes, b_axes):
    """Give the gradient of `a` where its axes are summed with those of `b`, pair by pair."""
    free = [axis for axis in range(b.ndim) if axis not in b_axes]
    gradient = np.tensordot(g, b, (range(g.ndim - len(free), g.ndim), free))
    order = [axis for axis in range(len(a_shape)) if axis not in a_axes]
    order += [a_axes[b_axes.index(axis)] for axis in sorted(b_axes)]
    return np.transpose(gradient, np.argsort(order))


def _right_gradient(g, a, b_shape, a_axes, b_axes):
    free = [axis for axis in range(a.ndim) if axis not in a_axes]
    gradient = np.tensordot(a, g, (free, range(len(free))))
    order = [b_axes[a_axes.index(axis)] for axis in sorted(a_axes)]
    order += [axis for axis in range(len(b_shape)) if axis not in b_axes]
    return np.transpose(gradient, np.argsort(order))


def _many_contractions(moved, a, b, axes_of):
    """Sum over pairs of axes where one or both of the arrays have one more axis in front."""
    a_rank, b_rank = a.ndim - ("a" in moved), b.ndim - ("b" in moved)
    a_axes, b_axes = axes_of(a_rank, b_rank)
    front = a_rank + b_rank
    mine = list(range(a_rank))
    theirs = [a_axes[b_axes.index(axis)] if axis in b_axes else a_rank + axis for axis in range(b_rank)]
    free = [label for label in mine if label not in a_axes] + [label for label in theirs if label >= a_rank]
    mine, theirs = [front] * ("a" in moved) + mine, [front] * ("b" in moved) + theirs
    return np.einsum(a, mine, b, theirs, [front, *free], optimize=True)


@op(a=arr("m n"), b=arr("p q"), linear="a b")
def kron(a, b):
    """a[i, j] * b, a block for each element of a: out[i * p + k, j * q + l] = a[i, j] * b[k, l], for any ranks."""
    return np.kron(a, b)


@kron.backward("a")
def _(g, b, a_shape):
    blocks, _, b_sizes = _blocks(g, a_shape, b.shape)
    own = range(1, blocks.ndim, 2)
    return np.tensordot(blocks, b.reshape(b_sizes), (own, range(len(own)))).reshape(a_shape)


@kron.backward("b")
def _(g, a, b_shape):
    blocks, a_sizes, _ = _blocks(g, a.shape, b_shape)
    own = range(0, blocks.ndim, 2)
    return np.tensordot(a.reshape(a_sizes), blocks, (range(len(own)), own)).reshape(b_shape)


@kron.batch
def _(moved, a, b):
    a, b = aligned(moved, a=a, b=b)
    a_sizes, b_sizes = a.shape["a" in moved :], b.shape["b" in moved :]
    a = a.reshape((*a.shape[: "a" in moved], *(size for pair in a_sizes for size in (pair, 1))))
    b = b.reshape((*b.shape[: "b" in moved], *(size for pair in b_sizes for size in (1, pair))))
    products = a * b
    return products.reshape(len(products), *(m * n for m, n in zip(a_sizes, b_sizes, strict=True)))


def _blocks(g, a_shape, b_shape):
    """Split each axis of `g` into the place of a block and the place in it; also the shapes with aligned axes."""
    rank = max(len(a_shape), len(b_shape))
    a_sizes, b_sizes = _filled(a_shape, rank), _filled(b_shape, rank)
    return g.reshape([size for pair in zip(a_sizes, b_sizes, strict=True) for size in pair]), a_sizes, b_sizes


def _filled(shape, rank):
    return (1,) * (rank - len(shape)) + tuple(shape)


@kron.sample
def _(rng):
    """Draw arrays with equal or different numbers of axes."""
    shapes = [((2, 3), (3, 2)), ((3,), (2,)), ((2, 2), (3,)), ((2,), (2, 1, 3)), ((), (2, 2))]
    a_shape, b_shape = shapes[rng.integers(5)]
    return rng.standard_normal(a_shape), rng.standard_normal(b_shape)
