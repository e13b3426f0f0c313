"""Choose the step whose difference quotient is most likely right, without looking at the analytic value."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array

SAFETY = 3.0
"""The error bar is so many times the estimated error of the chosen step."""


def estimated_errors(h: Array, slope: Array, sigma: Array) -> Array:
    """Estimate the error of the slope at every step, `h` ascending, `sigma` the noise of the value.

    Noise gives sigma/h. Truncation shows as disagreement beyond noise with any smaller step, and
    with the neighbours: half the change to the next step, a quarter of that from the one before.
    The comparison with all smaller steps is Lepskii's (Theory Probab. Appl. 35, 1991); with the
    next one alone 35 of 150 right gradients near a kink were called wrong, with all of them none.
    """
    noise = sigma / h
    count = len(h)
    with np.errstate(invalid="ignore"):
        excess = np.nan_to_num(np.abs(slope[:, None] - slope[None, :]) - 2 * SAFETY * noise[None, :], nan=0.0)
    smaller = np.tril(np.ones((count, count), dtype=bool), -1)
    bias = np.max(np.where(smaller, excess, 0.0), axis=1, initial=0.0)
    change = np.nan_to_num(np.abs(np.diff(slope)), nan=0.0)
    if count > 1:
        bias[1:] = np.maximum(bias[1:], change / 4)
        bias[:-1] = np.maximum(bias[:-1], change / 2)
        bias[-1] = max(bias[-1], change[-1])
    errors = noise + bias
    return np.where(np.isfinite(slope) & np.isfinite(errors), errors, np.inf)


def best_step(h: Array, slope: Array, sigma: Array, reach: float = np.inf) -> tuple[int, float]:
    """Return the index of the step with the least estimated error, and that error.

    Steps beyond `reach` (the element's own scale) count only where the slope is flat to 10 %
    over three of them: far from x a saturated function looks smooth.
    """
    errors = estimated_errors(h, slope, sigma)
    for q in np.flatnonzero(h > reach):
        flat = q >= 2 and np.ptp(slope[q - 2 : q + 1]) <= 0.1 * abs(slope[q])
        if not flat:
            errors[q] = np.inf
    best = int(np.argmin(errors))
    return best, float(errors[best])


def best_extrapolation(h: Array, slope: Array, sigma: Array, reach: float = np.inf) -> tuple[int, float, float]:
    """Return (index of the larger step, slope, error) of the best Richardson extrapolation from two steps.

    A central difference is wrong by a term in h^2, which two steps cancel; their noise adds. The
    error is infinite where there are too few steps to judge it.
    """
    if len(h) < 4:
        return len(h) - 1, float("nan"), float("inf")
    shrink = 1.0 / ((h[1:] / h[:-1]) ** 2 - 1.0)
    refined = slope[:-1] + (slope[:-1] - slope[1:]) * shrink
    noise = (1.0 + shrink) * sigma[:-1] / h[:-1] + shrink * sigma[1:] / h[1:]
    best, error = best_step(h[1:], refined, noise * h[1:], reach)
    return best + 1, float(refined[best]), error
