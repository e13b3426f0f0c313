"""The sum of swish as functions of a number with its gradients: a right one and five wrong twins of each form."""

import numpy as np


def loss(x, beta):
    """sum(x * sigmoid(beta * x)), and its gradients by name."""
    s = 1 / (1 + np.exp(-beta * x))
    slope = s * (1 - s)
    return np.sum(x * s), {"x": s + beta * x * slope, "beta": x * x * slope}


def loss_sign(x, beta):
    value, grads = loss(x, beta)
    return value, {**grads, "x": -grads["x"]}


def loss_missing_term(x, beta):
    value, grads = loss(x, beta)
    return value, {**grads, "x": 1 / (1 + np.exp(-beta * x))}


def loss_detached(x, beta):
    value, grads = loss(x, beta)
    return value, {**grads, "beta": np.zeros_like(beta)}


def loss_in_place(x, beta):
    x -= x.mean()
    return loss(x, beta)


def loss_nondeterministic(x, beta):
    return loss(x + 1e-3 * np.random.default_rng().standard_normal(x.shape), beta)


def J(x, beta):
    """The value alone."""
    return loss(x, beta)[0]


def dJ(x, beta):
    """The gradients alone, in the order of the arguments."""
    grads = loss(x, beta)[1]
    return grads["x"], grads["beta"]


def dJ_sign(x, beta):
    dx, dbeta = dJ(x, beta)
    return dx, -dbeta


def dJ_missing_term(x, beta):
    return 1 / (1 + np.exp(-beta * x)), dJ(x, beta)[1]


def dJ_detached(x, beta):
    return dJ(x, beta)[0], np.zeros_like(beta)


def dJ_in_place(x, beta):
    dx, dbeta = dJ(x, beta)
    beta *= 2
    return dx, dbeta


def dJ_nondeterministic(x, beta):
    dx, dbeta = dJ(x, beta)
    return dx * (1 + 1e-3 * np.random.default_rng().standard_normal(x.shape)), dbeta
