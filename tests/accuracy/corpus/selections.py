"""Masks, segments, windows of maxima, branches: right on one side and not on the other."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.formulas import softmax
from tests.accuracy.corpus.inputs import away_from_zero, fixed, normal
from tests.accuracy.corpus.record import broken, correct, wrong

MASK = np.array([[True, False, True, True], [False, True, True, False]])


def guarded_sqrt(x):
    with np.errstate(invalid="ignore"):
        return np.where(x > 0, np.sqrt(x), 0.0)


def guarded_sqrt_backward(g, out, x):
    with np.errstate(all="ignore"):
        return (np.where(x > 0, g * 0.5 / np.sqrt(x), 0.0),)


def leaking_sqrt_backward(g, out, x):
    with np.errstate(all="ignore"):
        return (g * (x > 0) * 0.5 / np.sqrt(x),)


def masked_softmax(x, m):
    return softmax(np.where(m, x, -np.inf))


def masked_softmax_backward(g, out, x, m):
    return out * (g - (g * out).sum(axis=-1, keepdims=True)), None


def masked_mean(x, m):
    return (x * m).sum(axis=1) / m.sum(axis=1)


def unmasked_count_backward(g, out, x, m):
    return g[:, None] * m / m.shape[1], None


def segment_mean(x, i):
    return np.stack([x[i == n].mean(axis=0) for n in range(3)])


def segment_mean_backward(g, out, x, i):
    return (g / np.bincount(i)[:, None])[i], None


def segment_sum_of_g_backward(g, out, x, i):
    return g[i], None


def rows_and_segments(rng):
    return rng.standard_normal((6, 2)), np.array([2, 0, 1, 2, 2, 0])


def overwriting_gather_backward(g, out, x, i):
    gx = np.zeros_like(x)
    gx[i] = g
    return gx, None


def max_windows(x):
    """Return the maxima of overlapping windows of three."""
    return np.stack([x[:-2], x[1:-1], x[2:]]).max(axis=0)


def max_windows_backward(g, out, x):
    gx = np.zeros_like(x)
    np.add.at(gx, np.arange(g.size) + np.stack([x[:-2], x[1:-1], x[2:]]).argmax(axis=0), g)
    return (gx,)


def overwriting_max_windows_backward(g, out, x):
    gx = np.zeros_like(x)
    gx[np.arange(g.size) + np.stack([x[:-2], x[1:-1], x[2:]]).argmax(axis=0)] = g
    return (gx,)


def high_fourth(rng):
    return (np.array([0.1, -0.5, 0.4, 2.0, -1.0, 0.7, 0.2]) + 0.02 * rng.standard_normal(7),)


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def one_hot_of_largest(x):
    return (x == x.max(axis=-1, keepdims=True)).astype(x.dtype)


def soft_one_hot_backward(g, out, x):
    p = softmax(x)
    return (p * (g - (g * p).sum(axis=-1, keepdims=True)),)


OPERATORS = (
    correct(
        "sqrt_in_where_with_nan_in_the_other_branch",
        guarded_sqrt,
        guarded_sqrt_backward,
        fixed([4.0, 1e-3, -1.0, 2.0]),
        "nan in the branch that isn't taken, forward and backward",
    ),
    broken(
        "sqrt_in_where_nan_leaks",
        "nan",
        lambda: (guarded_sqrt, leaking_sqrt_backward),
        fixed([4.0, 1e-3, -1.0, 2.0]),
        "0 * nan in the branch that isn't taken",
        "one element of four",
        also_ok=("wrong",),
    ),
    correct(
        "masked_softmax",
        masked_softmax,
        masked_softmax_backward,
        lambda rng: (rng.standard_normal((2, 4)), MASK.copy()),
        "minus infinity inside; boolean input; three exact zeros",
    ),
    wrong(
        "masked_mean_divides_by_all",
        masked_mean,
        unmasked_count_backward,
        lambda rng: (rng.standard_normal((2, 4)), MASK.copy()),
        "divided by the number of columns, not of masked ones",
        "right where the mask is full",
    ),
    correct("segment_mean", segment_mean, segment_mean_backward, rows_and_segments, "integer input"),
    wrong(
        "segment_mean_count_forgotten",
        segment_mean,
        segment_sum_of_g_backward,
        rows_and_segments,
        "not divided by the size of the segment",
        "right for a segment of one",
    ),
    wrong(
        "gather_repeated_rows_overwritten",
        lambda x, i: x[i],
        overwriting_gather_backward,
        lambda rng: (rng.standard_normal((4, 2)), np.array([1, 1, 3, 0, 1])),
        "gx[i] = g keeps the last of the repeated rows only",
        "right without repetitions",
    ),
    correct(
        "max_of_overlapping_windows", max_windows, max_windows_backward, high_fourth, "one element wins three times"
    ),
    wrong(
        "max_of_overlapping_windows_overwritten",
        max_windows,
        overwriting_max_windows_backward,
        high_fourth,
        "contributions of overlapping windows overwrite one another",
        "right without overlap",
    ),
    wrong(
        "elu_constant_negative_slope",
        elu,
        lambda g, out, x: (g * np.where(x > 0, 1.0, 0.5),),
        away_from_zero((6,)),
        "negative branch has a constant slope",
        "right for x > 0",
    ),
    correct("elu", elu, lambda g, out, x: (g * np.where(x > 0, 1.0, out + 1),), away_from_zero((6,))),
    wrong(
        "relu6_upper_bound_forgotten",
        lambda x: np.clip(x, 0.0, 6.0),
        lambda g, out, x: (g * (x > 0),),
        fixed([-2.0, 0.5, 3.0, 7.0, 5.9]),
        "no mask above 6",
        "one element of five",
    ),
    wrong(
        "straight_through_one_hot",
        one_hot_of_largest,
        soft_one_hot_backward,
        normal((2, 3)),
        "softmax's gradient for a one-hot choice, whose true gradient is 0",
        "numeric gradient is exactly 0",
    ),
    correct(
        "abs_1e_9_from_its_kink",
        lambda x: np.abs(x - 1.0),
        lambda g, out, x: (g * np.sign(x - 1.0),),
        fixed([1.0 + 1e-9, 1.0 - 1e-9, 2.0, 0.3]),
        "every usual step crosses the corner",
        also_ok=("kink", "inconclusive"),
    ),
    correct(
        "dead_relu_all_zero",
        lambda x: np.maximum(x, 0.0),
        lambda g, out, x: (g * (x > 0),),
        fixed([-1.0, -0.3, -5.0]),
        "gradient exactly zero everywhere",
    ),
)
