"""Losses: branches, weights, targets, confident predictions."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.formulas import sigmoid
from tests.accuracy.corpus.inputs import fixed, normal
from tests.accuracy.corpus.record import correct, wrong


def huber(r, delta=0.7):
    return np.where(np.abs(r) <= delta, 0.5 * r * r, delta * (np.abs(r) - 0.5 * delta))


def unscaled_huber_backward(g, out, r):
    return (g * np.where(np.abs(r) <= 0.7, r, np.sign(r)),)


def confident_cross_entropy(x):
    """Return the loss of each row where class 0 is the target."""
    return np.log1p(np.exp(x[:, 1:] - x[:, :1]).sum(axis=1))


def confident_cross_entropy_backward(g, out, x):
    e = np.exp(x[:, 1:] - x[:, :1])
    p = e / (1 + e.sum(axis=1, keepdims=True))
    return (g[:, None] * np.concatenate([-p.sum(axis=1, keepdims=True), p], axis=1),)


def confident_logits(rng):
    return (np.array([[50.0, 0.0, 1.0], [60.0, 5.0, -3.0]]) + 0.1 * rng.standard_normal((2, 3)),)


def weighted_bce(x, y):
    return (1 - y) * x + (1 + 2.0 * y) * np.logaddexp(0.0, -x)


def unweighted_bce_backward(g, out, x, y):
    return g * (sigmoid(x) - y), g * (-x + 2.0 * np.logaddexp(0.0, -x))


def logits_and_targets(rng):
    logits = np.array([-40.0, -3.0, 0.0, 2.0, 40.0]) + 0.1 * rng.standard_normal(5)
    return logits, np.array([0.0, 1.0, 0.3, 0.9, 1.0])


def focal(x):
    return (1 - sigmoid(x)) ** 2 * np.logaddexp(0.0, -x)


def one_sign_mse_backward(g, out, a, b):
    return 2 * g * (a - b) / a.size, 2 * g * (a - b) / a.size


OPERATORS = (
    wrong(
        "huber_linear_branch_without_delta",
        huber,
        unscaled_huber_backward,
        fixed([0.5, -0.2, 1.9, -2.0]),
        "slope of the linear branch is delta, not 1",
        "right for small residuals and whenever delta = 1",
        source="tryolabs/luminoth#144",
    ),
    correct(
        "cross_entropy_very_confident",
        confident_cross_entropy,
        confident_cross_entropy_backward,
        confident_logits,
        "loss and gradient near 1e-22",
    ),
    wrong(
        "bce_pos_weight_forgotten",
        weighted_bce,
        unweighted_bce_backward,
        logits_and_targets,
        "gradient of the unweighted loss",
        "right where the target is 0",
    ),
    wrong(
        "focal_weight_detached",
        focal,
        lambda g, out, x: (-g * sigmoid(-x) ** 3,),
        normal((6,)),
        "modulating factor treated as a constant",
        "same sign, plausible size",
    ),
    wrong(
        "mse_target_gradient_sign",
        lambda a, b: ((a - b) ** 2).mean(),
        one_sign_mse_backward,
        normal((5,), (5,)),
        "second argument has the sign of the first",
        "first gradient is right",
        source="jax-ml/jax#3213",
    ),
)
