"""Trigonometric and hyperbolic functions, and lengths; tanh is among the activations."""

import math

import numpy as np

from gradcheck_cli import arr, op, unbroadcast

from .arithmetic import draw_operands


@op(batch="elementwise")
def sin(x):
    """sin(x)."""
    return np.sin(x)


@sin.backward
def _(g, x):
    return g * np.cos(x)


@op(batch="elementwise")
def cos(x):
    """cos(x)."""
    return np.cos(x)


@cos.backward
def _(g, x):
    return -g * np.sin(x)


@op(x=arr(low=-1.4, high=1.4), batch="elementwise")
def tan(x):
    """sin(x) / cos(x)."""
    return np.tan(x)


@tan.backward
def _(g, out):
    return g * (1 + out * out)


@op(x=arr(low=-0.9, high=0.9), batch="elementwise")
def arcsin(x):
    """The angle from -pi/2 to pi/2 whose sine is x."""
    return np.arcsin(x)


@arcsin.backward
def _(g, x):
    return g / np.sqrt((1 - x) * (1 + x))


@op(x=arr(low=-0.9, high=0.9), batch="elementwise")
def arccos(x):
    """The angle from 0 to pi whose cosine is x."""
    return np.arccos(x)


@arccos.backward
def _(g, x):
    return -g / np.sqrt((1 - x) * (1 + x))


@op(batch="elementwise")
def arctan(x):
    """The angle from -pi/2 to pi/2 whose tangent is x."""
    return np.arctan(x)


@arctan.backward
def _(g, x):
    r = np.hypot(1, x)
    return g / r / r  # the square may overflow


@op(batch="elementwise")
def arctan2(y, x):
    """The angle of the point (x, y), from -pi to pi; its gradient at (0, 0) is taken as 0."""
    return np.arctan2(y, x)


@arctan2.backward
def _(g, y, x):
    r = np.hypot(x, y)  # divided by twice, since its square may overflow
    r = np.where(r == 0, 1, r)
    return unbroadcast(g * (x / r) / r, y.shape), unbroadcast(-g * (y / r) / r, x.shape)


@op(batch="elementwise")
def hypot(x, y):
    """sqrt(x ** 2 + y ** 2); its gradient at (0, 0) is taken as 0."""
    return np.hypot(x, y)


@hypot.backward
def _(g, x, y, out):
    length = np.where(out == 0, 1, out)  # divided by first, since 1 / length may overflow
    return unbroadcast(g * (x / length), x.shape), unbroadcast(g * (y / length), y.shape)


for _operator in (arctan2, hypot):
    _operator.sample(draw_operands)


@op(batch="elementwise")
def sinh(x):
    """(exp(x) - exp(-x)) / 2."""
    return np.sinh(x)


@sinh.backward
def _(g, x):
    return g * np.cosh(x)


@op(batch="elementwise")
def cosh(x):
    """(exp(x) + exp(-x)) / 2."""
    return np.cosh(x)


@cosh.backward
def _(g, x):
    return g * np.sinh(x)


@op(batch="elementwise")
def arcsinh(x):
    """log(x + sqrt(x ** 2 + 1))."""
    return np.arcsinh(x)


@arcsinh.backward
def _(g, x):
    return g / np.hypot(1, x)


@op(x=arr(low=1.1), batch="elementwise")
def arccosh(x):
    """log(x + sqrt(x ** 2 - 1))."""
    return np.arccosh(x)


@arccosh.backward
def _(g, x):
    return g / (np.sqrt(x - 1) * np.sqrt(x + 1))


@op(x=arr(low=-0.9, high=0.9), batch="elementwise")
def arctanh(x):
    """log((1 + x) / (1 - x)) / 2."""
    return np.arctanh(x)


@arctanh.backward
def _(g, x):
    return g / ((1 - x) * (1 + x))


@op(batch="elementwise")
def sinc(x):
    """sin(pi * x) / (pi * x), and 1 at 0."""
    return np.sinc(x)


@sinc.backward
def _(g, x, out):
    t = math.pi * x
    near = np.abs(t) < 0.1  # where the two terms of the slope cancel, its Taylor series
    t2 = np.square(np.where(near, t, 0))
    series = -t * (1 / 3 - t2 * (1 / 30 - t2 * (1 / 840 - t2 / 45360)))
    return g * math.pi * np.where(near, series, (np.cos(t) - out) / np.where(near, 1, t))


@sinc.sample
def _(rng):
    """Draw standard normal numbers, and numbers around 0.03, where a series takes over."""
    return (np.concatenate([rng.standard_normal(6), rng.choice([-1, 1], 6) * rng.uniform(0.029, 0.0317, 6)]),)
