"""Normalisation: batch, layer, RMS, weight norm and relatives."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import fixed, normal
from tests.accuracy.corpus.record import correct, wrong

EPSILON = 1e-5


def batch_norm(x, gamma, beta):
    d = x - x.mean(axis=0)
    return gamma * d / np.sqrt((d * d).mean(axis=0) + EPSILON) + beta


def centred_and_scaled(x):
    """Return x minus its mean, 1 / standard deviation, and their product."""
    d = x - x.mean(axis=0)
    scale = 1 / np.sqrt((d * d).mean(axis=0) + EPSILON)
    return d, scale, d * scale


def batch_norm_backward(g, out, x, gamma, beta):
    _, scale, unit = centred_and_scaled(x)
    inner = g - g.mean(axis=0) - unit * (g * unit).mean(axis=0)
    return gamma * scale * inner, (g * unit).sum(axis=0), g.sum(axis=0)


def no_variance_path_backward(g, out, x, gamma, beta):
    _, scale, unit = centred_and_scaled(x)
    return gamma * scale * (g - g.mean(axis=0)), (g * unit).sum(axis=0), g.sum(axis=0)


def long_batch_norm_backward(g, out, x, gamma, beta):
    """Follow the long form of the paper, with the term that vanishes identically."""
    d, scale, unit = centred_and_scaled(x)
    n = x.shape[0]
    g_unit = g * gamma
    g_variance = (g_unit * d).sum(axis=0) * -0.5 * scale**3
    g_mean = -(g_unit * scale).sum(axis=0) + g_variance * (-2 * d).sum(axis=0) / n
    return g_unit * scale + g_variance * 2 * d / n + g_mean / n, (g * unit).sum(axis=0), g.sum(axis=0)


def no_epsilon_in_variance_backward(g, out, x, gamma, beta):
    d, scale, unit = centred_and_scaled(x)
    variance = (d * d).mean(axis=0)
    gx = gamma * (scale * (g - g.mean(axis=0)) - d * (g * d).mean(axis=0) / variance**1.5)
    return gx, (g * unit).sum(axis=0), g.sum(axis=0)


def batch_of_three(rng):
    x = rng.standard_normal((6, 3)) * np.array([1.0, 2.0, 0.3]) + np.array([0.0, 5.0, -1.0])
    return x, rng.uniform(0.5, 2, 3), rng.standard_normal(3)


def layer_norm(x):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + EPSILON)


def layer_norm_backward(g, out, x):
    d = x - x.mean(axis=-1, keepdims=True)
    scale = 1 / np.sqrt((d * d).mean(axis=-1, keepdims=True) + EPSILON)
    unit = d * scale
    return (scale * (g - g.mean(axis=-1, keepdims=True) - unit * (g * unit).mean(axis=-1, keepdims=True)),)


def rms_norm(x, w):
    return w * x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)


def rms_norm_backward(g, out, x, w):
    r = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
    unit = x * r
    return r * (g * w - unit * (g * w * unit).mean(axis=-1, keepdims=True)), (g * unit).sum(axis=0)


def rms_norm_backward_without_weight(g, out, x, w):
    r = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
    unit = x * r
    return r * (g * w - unit * (g * unit).mean(axis=-1, keepdims=True)), (g * unit).sum(axis=0)


def rows_and_weights(rng):
    return rng.standard_normal((4, 4)), rng.uniform(0.5, 2, 4)


def unit_rows(x):
    return x / np.maximum(np.sqrt((x * x).sum(axis=1, keepdims=True)), 1e-6)


def unit_rows_backward(g, out, x):
    norm = np.sqrt((x * x).sum(axis=1, keepdims=True))
    large = norm > 1e-6
    safe = np.where(large, norm, 1.0)
    unit = x / safe
    return (np.where(large, (g - unit * (g * unit).sum(axis=1, keepdims=True)) / safe, g / 1e-6),)


def weight_norm(v, s):
    return s[:, None] * v / np.sqrt((v * v).sum(axis=1, keepdims=True))


def weight_norm_backward(g, out, v, s):
    norm = np.sqrt((v * v).sum(axis=1, keepdims=True))
    unit = v / norm
    along = (g * unit).sum(axis=1, keepdims=True)
    return s[:, None] / norm * (g - unit * along), along[:, 0]


def sums_of_three(a):
    """Sum each element with its two neighbours."""
    padded = np.pad(a, ((0, 0), (1, 1)))
    return padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]


def response_norm(x):
    return x * (1.0 + 0.5 * sums_of_three(x * x)) ** -0.75


def response_norm_backward(g, out, x):
    d = 1.0 + 0.5 * sums_of_three(x * x)
    return (g * d**-0.75 - 0.75 * x * sums_of_three(g * x * d**-1.75),)


OPERATORS = (
    correct(
        "batch_norm_train",
        batch_norm,
        batch_norm_backward,
        batch_of_three,
        "the short formula looks as if the mean-through-variance term were missing; it is zero",
        source="pjreddie/darknet#29",
    ),
    correct(
        "batch_norm_long_formula",
        batch_norm,
        long_batch_norm_backward,
        batch_of_three,
        "the suspicious extra term is zero up to rounding",
        source="apache/mxnet#1053",
    ),
    correct(
        "batch_norm_offset_1e4",
        batch_norm,
        batch_norm_backward,
        lambda rng: (1e4 + rng.standard_normal((6, 2)), np.ones(2), np.zeros(2)),
        "centring loses four digits in forward",
        source="pytorch/pytorch#61521",
        also_ok=("inconclusive",),
    ),
    wrong(
        "batch_norm_no_variance_path",
        batch_norm,
        no_variance_path_backward,
        batch_of_three,
        "gradient through the variance missing",
        "a summed output gives 0 = 0",
    ),
    wrong(
        "batch_norm_eps_missing_in_variance_term",
        batch_norm,
        no_epsilon_in_variance_backward,
        lambda rng: (rng.standard_normal((6, 3)), rng.uniform(0.5, 2, 3), rng.standard_normal(3)),
        "epsilon left out of the -3/2 power",
        "relative error about 1e-5",
        source="pjreddie/darknet#1723",
    ),
    correct(
        "layer_norm_offset_1e4",
        layer_norm,
        layer_norm_backward,
        lambda rng: (1e4 + rng.standard_normal((2, 6)),),
        "mean 1e4, spread 1",
        also_ok=("inconclusive",),
    ),
    correct("rms_norm", rms_norm, rms_norm_backward, rows_and_weights, source="karpathy/llm.c#763"),
    wrong(
        "rms_norm_weight_missing_in_dot",
        rms_norm,
        rms_norm_backward_without_weight,
        rows_and_weights,
        "weight left out of the inner product",
        "right for unit weights",
        source="karpathy/llm.c#763",
    ),
    correct(
        "l2_normalise_zero_row",
        unit_rows,
        unit_rows_backward,
        fixed([[0.0, 0.0, 0.0], [0.3, 0.4, -1.0]]),
        "the gradient of 1e6 at the zero vector is right, because of the clamp",
        source="tensorflow/tensorflow#56796",
    ),
    correct(
        "weight_norm",
        weight_norm,
        weight_norm_backward,
        lambda rng: (rng.standard_normal((3, 4)), rng.uniform(0.5, 2, 3)),
    ),
    correct(
        "local_response_norm",
        response_norm,
        response_norm_backward,
        normal((2, 5)),
        source="vlfeat/matconvnet#10",
    ),
)
