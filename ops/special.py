"""Special functions. Those that NumPy hasn't are SciPy's, an extra."""

import math

import numpy as np

from gradcheck_cli import arr, op, unbroadcast

from .activations import sigmoid
from .arithmetic import draw_operands
from .shares import difference


@op(batch="elementwise", requires="scipy")
def erf(x):
    """2 / sqrt(pi) times the integral of exp(-t ** 2) from 0 to x."""
    return _scipy().erf(x)


@erf.backward
def _(g, x):
    return g * (2 / math.sqrt(math.pi)) * _bell(x)


@op(batch="elementwise", requires="scipy")
def erfc(x):
    """1 - erf(x), without cancellation for large x."""
    return _scipy().erfc(x)


@erfc.backward
def _(g, x):
    return g * (-2 / math.sqrt(math.pi)) * _bell(x)


def _bell(x):
    return np.exp(-np.square(np.clip(x, -40, 40)))  # 0 beyond, where the square might overflow


@op(x=arr(low=0.5, high=6, avoid=(1, 2)), batch="elementwise", requires="scipy")
def lgamma(x):
    """log(|Gamma(x)|)."""
    return _scipy().gammaln(x)


@lgamma.backward
def _(g, x):
    return g * _scipy().psi(x)


@op(x=arr(low=0.5, high=6), batch="elementwise", requires="scipy")
def digamma(x):
    """The derivative of log(Gamma(x)).

    PyTorch (2.13) has its slope, trigamma, to 1e-8 only.
    """
    return _scipy().psi(x)


@digamma.backward
def _(g, x):
    return g * _scipy().zeta(2, x).astype(g.dtype)  # its derivative, the sum of 1 / (x + n) ** 2 over n >= 0


def _scipy():
    import scipy.special  # here, since few specs need it and it takes long to import

    return scipy.special


@op(batch="elementwise")
def logaddexp(x, y):
    """log(exp(x) + exp(y)), without overflow."""
    return np.logaddexp(x, y)


@logaddexp.backward
def _(g, x, y):
    # Not exp(x - out): out is rounded, by 1e-6 where it is 1e10.
    more = difference(x, y)
    return unbroadcast(g * sigmoid(more), x.shape), unbroadcast(g * sigmoid(-more), y.shape)


@op(y=arr(low=0.1), batch="elementwise", linear="x")
def xlogy(x, y):
    """x * log(y), and 0 where x is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(x, 0) & ~np.isnan(y), 0, x * np.log(y))


@xlogy.backward("x")
def _(g, x, y):
    # Where x and y are 0 the value is 0 on the whole line, and so is its slope.
    at_zero = (x == 0) & (y <= 0)
    return unbroadcast(np.where(at_zero, 0, g * np.log(np.where(at_zero, 1, y))), x.shape)


@xlogy.backward("y")
def _(g, x, y):
    return unbroadcast(g * x / np.where((x == 0) & (y == 0), 1, y), y.shape)


logaddexp.sample(draw_operands)


@xlogy.sample
def _(rng):
    """Draw operands that broadcast to one another, y above 0."""
    x, y = draw_operands(rng)
    return x, np.abs(y)
