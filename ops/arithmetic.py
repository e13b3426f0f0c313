"""The gates of two arrays, broadcast as NumPy does, and the negative."""

import math

import numpy as np

from gradcheck_cli import arr, op, unbroadcast


def draw_operands(rng):
    """Draw two arrays whose shapes broadcast, with elements apart from zero and from one another."""
    shapes = [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (4,)), ((), (2, 3)), ((2, 1, 3), (4, 1))]
    x_shape, y_shape = shapes[rng.integers(len(shapes))]
    size, x_size = math.prod(x_shape) + math.prod(y_shape), math.prod(x_shape)
    magnitudes = 0.5 + 2 * (rng.permutation(size) + rng.uniform(-0.25, 0.25, size)) / size
    values = magnitudes * rng.choice([-1.0, 1.0], size)
    return values[:x_size].reshape(x_shape), values[x_size:].reshape(y_shape)


@op(batch="elementwise", linear=True)
def add(x, y):
    """x + y."""
    return np.add(x, y)


@add.backward
def _(g, x_shape, y_shape):
    return unbroadcast(g, x_shape), unbroadcast(g, y_shape)


@op(batch="elementwise", linear=True)
def subtract(x, y):
    """x - y."""
    return np.subtract(x, y)


@subtract.backward
def _(g, x_shape, y_shape):
    return unbroadcast(g, x_shape), unbroadcast(-g, y_shape)


@op(batch="elementwise", linear="x y")
def multiply(x, y):
    """x * y, element by element."""
    return np.multiply(x, y)


@multiply.backward("x")
def _(g, y, x_shape):
    return unbroadcast(g * y, x_shape)


@multiply.backward("y")
def _(g, x, y_shape):
    return unbroadcast(g * x, y_shape)


@op(y=arr(avoid=0), batch="elementwise", linear="x")
def divide(x, y):
    """x / y."""
    return np.divide(x, y)


@divide.backward("x")
def _(g, y, x_shape):
    return unbroadcast(g / y, x_shape)


@divide.backward("y")
def _(g, y, out):
    return unbroadcast(-g * out / y, y.shape)


@op(x=arr(low=0.1), batch="elementwise")
def power(x, y):
    """x ** y."""
    return np.power(x, y)


@power.backward("x")
def _(g, x, y):
    # Where y is 0 the exponent y - 1 would give 0 * inf at x = 0.
    return unbroadcast(g * y * x ** np.where(y == 0, 0, y - 1), x.shape)


@power.backward("y")
def _(g, x, y, out, y_shape):
    # 0 ** y is 0 for every y > 0, so its slope there is 0, not 0 * log(0); y = 0 follows PyTorch.
    return unbroadcast(g * out * np.log(np.where((x == 0) & (y >= 0), 1, x)), y_shape)


@power.sample
def _(rng):
    """Draw operands that broadcast to one another, x above 0."""
    x, y = draw_operands(rng)
    return np.abs(x), y


@op(x=arr(distinct=True), y=arr(distinct=True), batch="elementwise")
def maximum(x, y):
    """The larger of x and y; where they tie, each gets half of the gradient."""
    return np.maximum(x, y)


@maximum.backward
def _(g, x, y):
    return unbroadcast(_left(g, x < y, x == y), x.shape), unbroadcast(_left(g, y < x, x == y), y.shape)


@op(x=arr(distinct=True), y=arr(distinct=True), batch="elementwise")
def minimum(x, y):
    """The smaller of x and y; where they tie, each gets half of the gradient."""
    return np.minimum(x, y)


@minimum.backward
def _(g, x, y):
    return unbroadcast(_left(g, x > y, x == y), x.shape), unbroadcast(_left(g, y > x, x == y), y.shape)


def _left(g, loses, ties):
    """Return what of g an element gets: all where neither loses, beside NaN."""
    return np.where(loses, 0, np.where(ties, g / 2, g))


@op(batch="elementwise", linear=True)
def negative(x):
    """-x."""
    return np.negative(x)


@negative.backward
def _(g):
    return -g


@op(batch="elementwise")
def mod(x, y):
    """x - floor(x / y) * y, with the sign of y; it jumps where y divides x, where its slopes are those beside it."""
    return np.mod(x, y)


@mod.backward
def _(g, x, y):
    # By NumPy's own quotient: that of 0.5 and 0.1 is 4, though floor(0.5 / 0.1) is 5.
    return unbroadcast(g, x.shape), unbroadcast(-g * np.floor_divide(x, y), y.shape)


@mod.sample
def _(rng):
    """Draw operands that broadcast to one another, x away from multiples of y."""
    _, y = draw_operands(rng)
    quotient = rng.integers(-3, 4, (3, *y.shape)) + rng.uniform(0.2, 0.8, (3, *y.shape))
    return quotient * y, y


for _operator in (add, subtract, multiply, divide, maximum, minimum):
    _operator.sample(draw_operands)
