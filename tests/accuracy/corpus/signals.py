"""Sequences and signals: spectra, filters, differences, scans."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import normal
from tests.accuracy.corpus.record import correct, wrong


def power_spectrum(x):
    s = np.fft.rfft(x)
    return s.real**2 + s.imag**2


def power_spectrum_backward(g, out, x, doubled=False):
    """Differentiate the spectrum; `doubled` counts the inner frequencies twice, as an inverse transform does."""
    weights = g * np.fft.rfft(x)
    if not doubled:
        weights[1 : (x.size + 1) // 2] /= 2
    return (2 * x.size * np.fft.irfft(weights, x.size),)


def circular_convolution(x, k):
    shifts = (np.arange(x.size)[:, None] - np.arange(k.size)[None, :]) % x.size
    return (x[shifts] * k).sum(axis=1)


def circular_convolution_backward(g, out, x, k, direction=1):
    """Differentiate the convolution; `direction` = -1 convolves once more instead of correlating."""
    shifts = np.arange(k.size)[None, :]
    gx = (g[(np.arange(x.size)[:, None] + direction * shifts) % x.size] * k).sum(axis=1)
    gk = (g[:, None] * x[(np.arange(x.size)[:, None] - shifts) % x.size]).sum(axis=0)
    return gx, gk


def smoothing(x, a):
    """Return y[t] = a * y[t-1] + (1 - a) * x[t]."""
    y = [(1 - a) * x[0]]
    for value in x[1:]:
        y.append(a * y[-1] + (1 - a) * value)
    return np.stack(y)


def smoothing_backward(g, out, x, a, memory=True):
    """Go back through the filter; without `memory` each output counts for its own step only."""
    gx, ga, carried = np.zeros_like(x), 0.0, 0.0
    for t in reversed(range(x.size)):
        carried = g[t] + (a * carried if memory else 0.0)
        gx[t] = (1 - a) * carried
        ga += carried * ((out[t - 1] if t else 0.0) - x[t])
    return gx, np.asarray(ga)


def signal_and_decay(rng):
    return rng.standard_normal(7), np.array(0.8)


def laplacian(x):
    """Return the second differences, with the ends repeated."""
    padded = np.concatenate([x[:1], x, x[-1:]])
    return padded[2:] - 2 * padded[1:-1] + padded[:-2]


def bordered_laplacian_backward(g, out, x):
    """Treat the repeated ends as if they were zeros: right but for the borders."""
    padded = np.concatenate([[0.0], g, [0.0]])
    return (padded[2:] - 2 * g + padded[:-2],)


def laplacian_backward(g, out, x):
    return (laplacian(g),)


def smooth_variation(x):
    d = np.diff(x)
    return np.sqrt(d * d + 1e-8).sum()


def smooth_variation_backward(g, out, x):
    d = np.diff(x)
    slope = g * d / np.sqrt(d * d + 1e-8)
    return (np.concatenate([[0.0], slope]) - np.concatenate([slope, [0.0]]),)


def nearly_flat(rng):
    return (np.array([0.0, 1e-6, 1e-6, 1.0, 1.0 + 1e-4, -2.0]) + 1e-7 * rng.random(6),)


OPERATORS = (
    correct("power_spectrum", power_spectrum, power_spectrum_backward, normal((8,))),
    wrong(
        "power_spectrum_inner_frequencies_twice",
        power_spectrum,
        lambda g, out, x: power_spectrum_backward(g, out, x, doubled=True),
        normal((8,)),
        "the inverse transform counts the inner frequencies twice",
        "right for the first and the last frequency",
    ),
    correct("circular_convolution", circular_convolution, circular_convolution_backward, normal((6,), (3,))),
    wrong(
        "circular_convolution_kernel_not_reversed",
        circular_convolution,
        lambda g, out, x, k: circular_convolution_backward(g, out, x, k, direction=-1),
        normal((6,), (3,)),
        "convolution where the adjoint is a correlation",
        "right for a symmetric kernel; the sum of the gradient is right",
    ),
    correct("exponential_smoothing", smoothing, smoothing_backward, signal_and_decay, "0-d parameter"),
    wrong(
        "exponential_smoothing_without_memory",
        smoothing,
        lambda g, out, x, a: smoothing_backward(g, out, x, a, memory=False),
        signal_and_decay,
        "the path through earlier outputs is detached",
        "right for the last step",
    ),
    correct("laplacian_repeated_ends", laplacian, laplacian_backward, normal((6,))),
    wrong(
        "laplacian_wrong_at_the_borders",
        laplacian,
        bordered_laplacian_backward,
        normal((40,)),
        "the repeated ends are taken for zeros",
        "2 elements of 40",
    ),
    correct(
        "smooth_total_variation_nearly_flat",
        smooth_variation,
        smooth_variation_backward,
        nearly_flat,
        "bends within 1e-4 at differences of 1e-6",
    ),
    wrong(
        "cumulative_sum_not_reversed",
        lambda x: np.cumsum(x * x),
        lambda g, out, x: (2 * x * np.cumsum(g),),
        normal((6,)),
        "the adjoint sums from the end",
        "the total over equal elements is right",
    ),
)
