"""Points without a derivative: valid and invalid conventions, ties, jumps."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import fixed
from tests.accuracy.corpus.record import kink

AT_ZERO = fixed([0.0, -0.6, 1.1])


def relu(x):
    return np.maximum(x, 0.0)


def relu_slope_at_zero(slope):
    return lambda g, out, x: (g * np.where(x > 0, 1.0, np.where(x == 0, slope, 0.0)),)


def relu_at_zero(name, slope, finding, hard):
    cause = f"slope {slope:g} at 0, where 0 to 1 are valid"
    return kink(name, finding, relu, relu_slope_at_zero(slope), AT_ZERO, cause, hard)


def larger_backward(g, out, a, b):
    """Give everything to both where they are equal."""
    return g * (a >= b), g * (b >= a)


def larger_half_backward(g, out, a, b):
    return g * np.where(a == b, 0.5, a > b), g * np.where(a == b, 0.5, b > a)


def hinge(x, y):
    return np.maximum(1 - x * y, 0.0)


def hinge_backward(g, out, x, y):
    active = 1 - x * y > 0
    return -g * y * active, -g * x * active


def range_of(x):
    return x.max() - x.min()


def first_extremes_backward(g, out, x):
    gx = np.zeros_like(x)
    gx[x.argmax()] += g
    gx[x.argmin()] -= g
    return (gx,)


OPERATORS = (
    relu_at_zero("relu_at_zero_slope_0", 0.0, "kink-at-point", "one of three elements; the usual convention"),
    relu_at_zero(
        "relu_at_zero_slope_half", 0.5, "kink-at-point", "one of three elements; agrees with central differences"
    ),
    relu_at_zero("relu_at_zero_slope_1", 1.0, "kink-at-point", "one of three elements"),
    relu_at_zero("relu_at_zero_slope_2", 2.0, "invalid-at-kink", "one of three elements"),
    kink(
        "abs_at_zero_slope_0",
        "kink-at-point",
        np.abs,
        lambda g, out, x: (g * np.sign(x),),
        AT_ZERO,
        "slope 0 at 0: between -1 and 1",
        "central differences agree exactly, and hide that there is a kink",
    ),
    kink(
        "abs_at_zero_slope_minus_3",
        "invalid-at-kink",
        np.abs,
        lambda g, out, x: (g * np.where(x == 0, -3.0, np.sign(x)),),
        AT_ZERO,
        "slope -3 at 0, where -1 to 1 are valid",
        "one of three elements",
    ),
    kink(
        "larger_of_two_tie_to_both",
        "invalid-at-kink",
        np.maximum,
        larger_backward,
        fixed([1.0, 2.0, -0.5], [1.0, 0.3, 0.5]),
        "both receive the whole gradient where they are equal",
        "each alone is valid; along (1, 1) the function is smooth with slope 1, backward says 2",
        also_ok=("wrong",),
    ),
    kink(
        "larger_of_two_tie_shared",
        "kink-at-point",
        np.maximum,
        larger_half_backward,
        fixed([1.0, 2.0, -0.5], [1.0, 0.3, 0.5]),
        "each receives half where they are equal",
        "agrees with central differences",
    ),
    kink(
        "hinge_at_its_margin",
        "kink-at-point",
        hinge,
        hinge_backward,
        fixed([0.5, 2.0, -1.0], [2.0, 1.0, 0.4]),
        "the first sample lies exactly on the margin",
        "both arguments are at the kink",
    ),
    kink(
        "range_with_two_largest",
        "kink-at-point",
        range_of,
        first_extremes_backward,
        fixed([2.0, -1.0, 2.0, 0.5]),
        "the first of two equal largest receives everything",
        "one output, two kinked elements",
    ),
    kink(
        "heaviside_at_zero",
        "jump",
        lambda x: np.heaviside(x, 0.5),
        lambda g, out, x: (np.zeros_like(x),),
        AT_ZERO,
        "jump at the point",
        "value halfway between both sides",
    ),
    kink(
        "round_at_a_half",
        "jump",
        np.round,
        lambda g, out, x: (np.zeros_like(x),),
        fixed([0.5, 1.2, -0.3]),
        "jump at the point",
        "zero elsewhere, on both sides",
    ),
)
