"""Functions of one element, and the choice between two."""

import math

import numpy as np

from gradcheck_cli import arr, mask, op, unbroadcast


@op(batch="elementwise")
def exp(x):
    """exp(x)."""
    return np.exp(x)


@exp.backward
def _(g, out):
    return g * out


@op(batch="elementwise")
def exp2(x):
    """2 ** x."""
    return np.exp2(x)


@exp2.backward
def _(g, out):
    return g * out * math.log(2)


@op(batch="elementwise")
def expm1(x):
    """exp(x) - 1, without cancellation near 0."""
    return np.expm1(x)


@expm1.backward
def _(g, x):
    return g * np.exp(x)


@op(x=arr(low=0.1), batch="elementwise")
def log(x):
    """log(x), the natural logarithm."""
    return np.log(x)


@log.backward
def _(g, x):
    return g / x


@op(x=arr(low=-0.9), batch="elementwise")
def log1p(x):
    """log(1 + x), without cancellation near 0."""
    return np.log1p(x)


@log1p.backward
def _(g, x):
    return g / (1 + x)


@op(x=arr(low=0.1), batch="elementwise")
def log2(x):
    """log(x) / log(2)."""
    return np.log2(x)


@log2.backward
def _(g, x):
    return g / (x * math.log(2))


@op(x=arr(low=0.1), batch="elementwise")
def log10(x):
    """log(x) / log(10)."""
    return np.log10(x)


@log10.backward
def _(g, x):
    return g / (x * math.log(10))


@op(x=arr(low=0.1), batch="elementwise")
def sqrt(x):
    """sqrt(x)."""
    return np.sqrt(x)


@sqrt.backward
def _(g, out):
    return g / (2 * out)


@op(x=arr(avoid=0), batch="elementwise")
def cbrt(x):
    """x ** (1/3), with the sign of x."""
    return np.cbrt(x)


@cbrt.backward
def _(g, out):
    return g / (3 * out * out)


@op(x=arr(avoid=0), batch="elementwise")
def reciprocal(x):
    """1 / x."""
    return np.reciprocal(x)


@reciprocal.backward
def _(g, out):
    return -g * out * out


@op(batch="elementwise")
def square(x):
    """x ** 2."""
    return np.square(x)


@square.backward
def _(g, x):
    return 2 * x * g


@op(x=arr(avoid=0), batch="elementwise")
def abs(x):
    """|x|; its gradient at 0 is taken as 0."""
    return np.abs(x)


@abs.backward
def _(g, x):
    return g * np.sign(x)


@op(x=arr(avoid=0), batch="elementwise")
def sign(x):
    """-1, 0 or 1, as x is below, at or above 0; its gradient is 0 everywhere, at the jump as well."""
    return np.sign(x)


@sign.backward
def _(g):
    return np.zeros_like(g)


@op(x=arr(avoid=(-0.5, 0.5)), min=[-0.5, None], max=[0.5, None], batch="elementwise")
def clip(x, *, min=None, max=None):
    """x kept between min and max; None is no limit. The gradient passes at the limits themselves."""
    low, high = _limits(min, max)
    return np.clip(x, low, high)


@clip.backward
def _(g, x, min, max):
    low, high = _limits(min, max)
    return unbroadcast(np.where((x >= low) & (x <= high), g, 0), x.shape)  # the limits may be arrays


def _limits(low, high):
    return -np.inf if low is None else low, np.inf if high is None else high


@op(condition=mask(), batch="elementwise", linear=True)
def where(condition, x, y):
    """x where condition holds, else y."""
    return np.where(condition, x, y)


# Chosen, never multiplied: 0 * nan is nan, and the branch not taken often is.
@where.backward("x")
def _(g, condition, x_shape):
    return unbroadcast(np.where(condition, g, 0), x_shape)


@where.backward("y")
def _(g, condition, y_shape):
    return unbroadcast(np.where(condition, 0, g), y_shape)


@where.sample
def _(rng):
    """Draw three arrays that broadcast to one another."""
    return rng.random((3, 1)) < 0.5, rng.standard_normal((2, 3, 4)), rng.standard_normal(4)
