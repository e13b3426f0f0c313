"""Statistics and probabilities: densities, divergences, moments, confident and vanishing probabilities."""

from __future__ import annotations

import numpy as np
import scipy.special

from tests.accuracy.corpus.formulas import softmax, unbroadcast
from tests.accuracy.corpus.inputs import normal, positive
from tests.accuracy.corpus.record import correct, wrong


def gaussian_log_density(x, mean, width):
    z = (x - mean) / width
    return -0.5 * z * z - np.log(width) - 0.5 * np.log(2 * np.pi)


def gaussian_log_density_backward(g, out, x, mean, width, normaliser=1.0):
    """Differentiate the density; `normaliser` = 0 forgets that the width scales it."""
    z = (x - mean) / width
    gz = g * z / width
    g_width = g * (z * z - normaliser) / width
    return unbroadcast(-gz, x.shape), unbroadcast(gz, mean.shape), unbroadcast(g_width, width.shape)


def observations(rng):
    return rng.standard_normal((5, 1)), rng.standard_normal(3), rng.uniform(0.5, 2, 3)


def beta_log_density(a, b):
    return (a - 1) * np.log(0.3) + (b - 1) * np.log(0.7) - scipy.special.betaln(a, b)


def beta_log_density_backward(g, out, a, b):
    both = scipy.special.digamma(a + b)
    return g * (np.log(0.3) - scipy.special.digamma(a) + both), g * (np.log(0.7) - scipy.special.digamma(b) + both)


def variance(x):
    d = x - x.mean(axis=0)
    return (d * d).sum(axis=0) / (len(x) - 1)


def population_variance_backward(g, out, x):
    return (2 * g * (x - x.mean(axis=0)) / len(x),)


def correlation(x, y):
    a, b = x - x.mean(), y - y.mean()
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


def correlation_backward(g, out, x, y):
    a, b = x - x.mean(), y - y.mean()
    norm = np.sqrt((a * a).sum() * (b * b).sum())
    return g * (b / norm - out * a / (a * a).sum()), g * (a / norm - out * b / (b * b).sum())


def entropy(x):
    """Return the entropy of softmax(x), row by row."""
    p = softmax(x)
    shifted = x - x.max(axis=-1, keepdims=True)
    return np.log(np.exp(shifted).sum(axis=-1)) - (p * shifted).sum(axis=-1)


def entropy_backward(g, out, x):
    p = softmax(x)
    shifted = x - x.max(axis=-1, keepdims=True)
    return (-g[:, None] * p * (shifted - (p * shifted).sum(axis=-1, keepdims=True)),)


def softmax_backward(g, out, x):
    return (out * (g - (g * out).sum(axis=-1, keepdims=True)),)


def divergence(p, q):
    return (p * (np.log(p) - np.log(q))).sum(axis=1)


def divergence_with_fixed_log_backward(g, out, p, q):
    """Take p's own logarithm for a constant."""
    return g[:, None] * (np.log(p) - np.log(q)), -g[:, None] * p / q


def interpolated_quantile(x):
    """Return the quantile 0.4 of ten numbers: between the 4th and the 5th."""
    ordered = np.sort(x)
    return 0.4 * ordered[3] + 0.6 * ordered[4]


def quantile_backward(g, out, x, low=0.4):
    gx, order = np.zeros_like(x), np.argsort(x)
    gx[order[3]], gx[order[4]] = low * g, (1 - low) * g
    return (gx,)


def ten_apart(rng):
    return (rng.permutation(np.linspace(-2, 2, 10)) + 0.05 * rng.standard_normal(10),)


def weighted_mean(x, w):
    return (w * x).sum() / w.sum()


def weighted_mean_backward(g, out, x, w):
    return g * w / w.sum(), g * (x - out) / w.sum()


def zero_weights(rng):
    return rng.standard_normal(6), np.array([0.0, 2.0, 0.0, 0.5, 1e-9, 1.0])


OPERATORS = (
    correct("gaussian_log_density", gaussian_log_density, gaussian_log_density_backward, observations),
    wrong(
        "gaussian_log_density_normaliser_forgotten",
        gaussian_log_density,
        lambda g, out, *values: gaussian_log_density_backward(g, out, *values, normaliser=0.0),
        observations,
        "the normaliser's share of the width's gradient is missing",
        "two gradients of three are right",
    ),
    correct(
        "beta_log_density",
        beta_log_density,
        beta_log_density_backward,
        lambda rng: (np.array([0.01, 0.7, 3.0, 400.0]), np.array([5.0, 0.7, 1e-3, 380.0])),
        "gradients from -1000 to 1e-2",
    ),
    wrong(
        "variance_with_the_other_divisor",
        variance,
        population_variance_backward,
        normal((7, 2)),
        "1 / n in backward, 1 / (n - 1) in forward",
        "a factor of 6 / 7",
    ),
    wrong(
        "mean_gradient_not_divided",
        lambda x: x.mean(axis=0) ** 2,
        lambda g, out, x: (np.broadcast_to(2 * g * x.mean(axis=0), x.shape).copy(),),
        normal((5, 3)),
        "1 / n forgotten",
        "right for a batch of one",
    ),
    correct("correlation_coefficient", correlation, correlation_backward, normal((6,), (6,)), "gradients sum to zero"),
    correct("entropy_of_softmax", entropy, entropy_backward, normal((3, 4), scale=3)),
    correct(
        "softmax_with_probabilities_of_1e_23",
        softmax,
        softmax_backward,
        lambda rng: (np.array([[0.0, -50.0, 3.0, -53.0], [52.0, 0.0, 1.0, -1.0]]) + 0.1 * rng.standard_normal((2, 4)),),
        "outputs of 1e-23 beside outputs of 1: each has its own scale",
        also_ok=("inconclusive",),
    ),
    wrong(
        "softmax_backward_is_zero",
        softmax,
        lambda g, out, x: (np.zeros_like(x),),
        normal((3, 4)),
        "zeros",
        "right for a summed output",
    ),
    wrong(
        "divergence_logarithm_detached",
        divergence,
        divergence_with_fixed_log_backward,
        positive((2, 3), (2, 3)),
        "p's logarithm is treated as a constant: 1 is missing",
        "projected on the simplex nothing is missing",
    ),
    correct("quantile_between_two", interpolated_quantile, quantile_backward, ten_apart, "eight exact zeros"),
    wrong(
        "quantile_weights_swapped",
        interpolated_quantile,
        lambda g, out, x: quantile_backward(g, out, x, low=0.6),
        ten_apart,
        "weights of the two neighbours swapped",
        "the sum of the gradient is right",
    ),
    correct(
        "weighted_mean_with_zero_weights", weighted_mean, weighted_mean_backward, zero_weights, "weights 0 and 1e-9"
    ),
)
