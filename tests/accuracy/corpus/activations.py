"""Activations: branches, thresholds, gates, and points beside and on their kinks."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.formulas import sigmoid
from tests.accuracy.corpus.inputs import away_from_zero, fixed, normal
from tests.accuracy.corpus.record import correct, wrong

eight = normal((8,), scale=1.5)
eight_away = away_from_zero((8,))


def relu_backward(g, out, x):
    return (g * (x > 0),)


def steep_leaky_relu(x):
    return np.where(x > 0, x, -2.0 * x)


def softplus(x):
    return np.logaddexp(0.0, x)


def softplus_3(x):
    return np.logaddexp(0.0, 3.0 * x) / 3.0


def near_softplus_threshold(rng):
    return (np.concatenate([[0.2736, 1.2, -0.4], rng.uniform(-1, 1.5, 5)]),)


GELU_SLOPE = 0.7978845608028654


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(GELU_SLOPE * (x + 0.044715 * x**3)))


def gelu_backward(g, out, x):
    t = np.tanh(GELU_SLOPE * (x + 0.044715 * x**3))
    return (g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * GELU_SLOPE * (1 + 3 * 0.044715 * x * x)),)


def swish(x):
    return x * sigmoid(x)


def swish_slope(x):
    return sigmoid(x) + x * sigmoid(x) * sigmoid(-x)


OPERATORS = (
    correct(
        "relu_beside_the_kink",
        lambda x: np.maximum(x, 0.0),
        relu_backward,
        fixed([-0.7, -3e-6, 3e-6, 2e-7, -2e-7, 0.9, 1e-9, -1e-9]),
        "a step of 1e-5 or 1e-6 straddles the corner; only a smaller step shows the slope",
        also_ok=("kink",),
    ),
    correct(
        "leaky_relu_negative_slope",
        steep_leaky_relu,
        lambda g, out, x: (g * np.where(x > 0, 1.0, -2.0),),
        eight_away,
        "both branches give a positive output",
        source="pytorch/pytorch#31938",
    ),
    wrong(
        "leaky_relu_sign_from_output",
        steep_leaky_relu,
        lambda g, out, x: (g * np.where(out > 0, 1.0, -2.0),),
        eight_away,
        "branch chosen from the output, whose sign is lost when the slope is negative",
        "right for every positive input",
        source="pytorch/pytorch#31938",
    ),
    wrong(
        "leaky_relu_zero_slope_from_output",
        lambda x: np.where(x >= 0, x, 0.0 * x),
        lambda g, out, x: (g * np.where(out >= 0, 1.0, 0.0),),
        eight_away,
        "branch chosen by output >= 0, true everywhere when the slope is 0",
        "right for every positive input",
        source="chainer/chainer#5898",
    ),
    correct(
        "softplus_700",
        softplus,
        lambda g, out, x: (g * sigmoid(x),),
        fixed([-700.0, -300.0, -40.0, -1.0, 0.0, 1.0, 40.0, 300.0, 700.0]),
        "gradients from 1e-304 to 1 in one array",
    ),
    correct("softplus_beta3", softplus_3, lambda g, out, x: (g * sigmoid(3.0 * x),), near_softplus_threshold),
    wrong(
        "softplus_threshold_only_in_backward",
        softplus_3,
        lambda g, out, x: (g * np.where(3.0 * x > 0.5, 1.0, sigmoid(3.0 * x)),),
        near_softplus_threshold,
        "backward uses the linear shortcut above a threshold, forward does not",
        "right below the threshold",
        source="pytorch/pytorch#61568",
    ),
    correct("gelu_tanh", gelu, gelu_backward, eight),
    wrong(
        "swish_gate_detached",
        swish,
        lambda g, out, x: (g * sigmoid(x),),
        eight,
        "the gate is treated as a constant",
        "easy",
    ),
    wrong(
        "swish_float32_backward",
        swish,
        lambda g, out, x: ((g.astype(np.float32) * swish_slope(x.astype(np.float32))).astype(np.float64),),
        eight,
        "backward computed in single precision",
        "relative error about 1e-7",
        source="pytorch/extension-cpp#42",
    ),
    correct(
        "relu_squared_at_zero",
        lambda x: np.maximum(x, 0.0) ** 2,
        lambda g, out, x: (2 * g * np.maximum(x, 0.0),),
        fixed([0.0, -0.4, 0.8, 0.0]),
        "a relu at 0 that is nevertheless differentiable",
    ),
    wrong(
        "relu_at_zero_and_wrong_elsewhere",
        lambda x: np.maximum(x, 0.0) * 3.0,
        lambda g, out, x: (2.0 * g * (x > 0),),
        fixed([0.0, -0.5, 1.0, 0.7]),
        "factor 2 instead of 3 at the smooth elements",
        "an excuse is at hand at element 0; the other elements are plainly wrong",
        also_ok=("kink",),
    ),
)
