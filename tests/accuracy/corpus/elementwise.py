"""Elementwise functions over many decades: special functions, powers, solvers, tiny and huge values."""

from __future__ import annotations

import numpy as np
import scipy.special

from tests.accuracy.corpus.formulas import sigmoid, unbroadcast
from tests.accuracy.corpus.inputs import fixed, normal
from tests.accuracy.corpus.record import broken, correct, kink, wrong


def power(x, y):
    return x**y


def power_backward(g, out, x, y):
    return unbroadcast(g * y * x ** (y - 1), x.shape), unbroadcast(g * out * np.log(x), y.shape)


def column_and_row(rng):
    return rng.uniform(0.2, 3.0, (3, 1)), rng.uniform(-2, 3, (4,))


def gaussian(x):
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


def short_pi_backward(g, out, x):
    return (-g * x * np.exp(-0.5 * x * x) / np.sqrt(2 * 3.14159),)


def collapsed_logaddexp_backward(g, out, a, b):
    """Differentiate max + log1p(exp(-|d|)) as written, which gives (1, 0) at d = 0."""
    return g * np.where(a == b, 1.0, sigmoid(a - b)), g * np.where(a == b, 0.0, sigmoid(b - a))


def kepler(m, e):
    x = np.pi + 0 * m
    for _ in range(60):
        x = x - (x - e * np.sin(x) - m) / (1 - e * np.cos(x))
    return x


def kepler_backward(g, out, m, e):
    steepness = 1 - e * np.cos(out)
    return g / steepness, np.asarray((g * np.sin(out) / steepness).sum())


def sqrt_backward(g, out, x):
    with np.errstate(all="ignore"):
        return (g * 0.5 / np.sqrt(x),)


OPERATORS = (
    correct(
        "erf_tail",
        scipy.special.erf,
        lambda g, out, x: (g * 2 / np.sqrt(np.pi) * np.exp(-x * x),),
        fixed([-5.5, -3.0, -1e-9, 0.0, 2.0, 4.5, 5.5]),
        "output is 1 - 1e-14 while the gradient is 1e-13: the difference is mostly rounding",
        also_ok=("inconclusive",),
    ),
    correct(
        "lgamma_minimum_and_extremes",
        scipy.special.gammaln,
        lambda g, out, x: (g * scipy.special.digamma(x),),
        fixed([1e-3, 0.5, 1.4616, 2.0, 10.0, 1e5]),
        "gradient -3e-5 at the third element, -1000 at the first",
    ),
    correct(
        "power_zero_exponent",
        lambda x: x**0.0,
        lambda g, out, x: (np.zeros_like(x),),
        fixed([-1.0, 0.0, 1e-3, 4.0]),
        "constant function; 0**0 at one element; gradient exactly zero",
        source="RobotLocomotion/drake#23862",
    ),
    correct("power_both_arguments_broadcast", power, power_backward, column_and_row, "broadcasting in both directions"),
    broken(
        "power_exponent_gradient_at_zero_base",
        "nan",
        lambda: (power, lambda g, out, x, y: (g * y * x ** (y - 1), g * out * np.log(x))),
        fixed([0.0, 2.0], [2.0, 1.5]),
        "0 * log(0) in the exponent's gradient, whose true value is 0",
        "the first element only; the true gradient is finite",
        source="pytorch/pytorch#27134",
        also_ok=("wrong",),
    ),
    correct(
        "reciprocal_sixteen_decades",
        lambda x: 1.0 / x,
        lambda g, out, x: (-g / (x * x),),
        fixed([1e-8, -1e-6, 1e-3, -1.0, 1e3, -1e6, 1e8]),
        "no single absolute step suits all elements",
        source="pasteurlabs/tesseract-core#706",
        also_ok=("inconclusive",),
    ),
    correct(
        "sine_of_ten_thousand_x",
        lambda x: np.sin(1e4 * x),
        lambda g, out, x: (1e4 * g * np.cos(1e4 * x),),
        normal((5,)),
        "oscillates faster than a 1e-5 step resolves",
    ),
    wrong(
        "tiny_scale_factor_two",
        lambda x: 1e-20 * np.sin(x),
        lambda g, out, x: (g * 2e-20 * np.cos(x),),
        normal((5,)),
        "twice the gradient, all of it below 1e-19",
        "hidden by any absolute tolerance",
    ),
    correct(
        "huge_outputs",
        np.exp,
        lambda g, out, x: (g * out,),
        fixed([-30.0, 0.0, 50.0, 300.0, 600.0]),
        "outputs from 1e-13 to 1e260",
    ),
    wrong(
        "gaussian_pdf_short_pi",
        gaussian,
        short_pi_backward,
        normal((8,), scale=1.5),
        "pi typed as 3.14159 in backward",
        "uniform relative error 4e-7",
    ),
    wrong(
        "gain_off_by_1e_3",
        np.sin,
        lambda g, out, x: (1.001 * g * np.cos(x),),
        normal((8,), scale=1.5),
        "gain 1.001",
        "below the default tolerance of some checkers",
    ),
    wrong(
        "logaddexp_as_max_plus_log1p",
        np.logaddexp,
        collapsed_logaddexp_backward,
        fixed([0.3, 1.2, -2.0, 400.0], [0.3, -0.5, -2.0, 400.0]),
        "gradient of max + log1p(exp(-|d|)) at d = 0 collapses to (1, 0)",
        "only where the two inputs are equal; easily excused as a kink",
        source="keras-team/keras#23616",
        also_ok=("kink",),
    ),
    correct(
        "kepler_newton_solver",
        kepler,
        kepler_backward,
        fixed([0.05, 0.3, 1.5, 3.0], 0.95),
        "iterative forward, implicit-function backward, steep near m = 0",
    ),
    kink(
        "clip_at_its_bounds",
        "kink-at-point",
        lambda x: np.clip(x, -1.0, 1.0),
        lambda g, out, x: (g * ((x >= -1) & (x <= 1)),),
        fixed([-1.0, 1.0, 0.3, 2.0, -5.0]),
        "corner at both bounds; backward passes the gradient there",
        "two of five elements",
        source="pytorch/pytorch#7002",
    ),
    kink(
        "floor_at_an_integer",
        "jump",
        np.floor,
        lambda g, out, x: (np.zeros_like(x),),
        fixed([2.0, 0.4, -1.7]),
        "jump at the point; no derivative exists",
        "the difference quotient grows like 1/step",
    ),
    wrong(
        "clip_at_bound_and_no_mask_outside",
        lambda x: np.clip(x, -1.0, 1.0),
        lambda g, out, x: (g.copy(),),
        fixed([1.0, 0.2, 5.0, -3.0]),
        "saturated elements should have gradient 0",
        "one element is a kink, two others are wrong",
        also_ok=("kink",),
    ),
    broken(
        "sqrt_at_zero",
        "nan",
        lambda: (np.sqrt, sqrt_backward),
        fixed([0.0, 1.0, 4.0]),
        "the slope really is infinite at 0",
        "one-sided domain as well",
        source="jax-ml/jax#11716",
        also_ok=("kink",),
    ),
)
