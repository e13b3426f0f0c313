"""Step sizes: relative to the scale of each element, powers of two."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array

SWEEP = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""The relative steps of the sweep that a report shows."""

DECADE, HALF_DECADE = 10.0, 10.0**0.5

LARGEST, _SMALLEST = 0.1, 1e-11
"""Steps of a ladder relative to the larger and the smaller of |x| and the typical magnitude."""


_LEAST, _FARTHEST = float(np.finfo(np.float64).smallest_subnormal), 1100.0
"""The smallest step, and an exponent beyond those of all numbers."""

MOST_BEYOND = 9
"""Steps above those of a ladder, at most."""


def typical_magnitude(x: Array) -> float:
    """Return the median magnitude of the nonzero elements, 1 if there are none."""
    magnitudes = np.abs(x[np.isfinite(x) & (x != 0)])
    if not magnitudes.size:
        return 1.0
    middle = (magnitudes.size - 1) // 2, magnitudes.size // 2
    magnitudes.partition(middle)
    low, high = float(magnitudes[middle[0]]), float(magnitudes[middle[1]])
    return low / 2 + high / 2 if low > 1 else (low + high) / 2


def element_scales(x: Array, typical: float | None = None) -> Array:
    """Return the scale of every element: its magnitude, but at least a tenth of the typical one."""
    return np.maximum(np.abs(x), 0.1 * (typical_magnitude(x) if typical is None else typical))


def default_eps(dtype: np.dtype[Any]) -> float:
    """Return the cube root of the machine epsilon, which balances truncation and rounding.

    Press et al., Numerical Recipes, section 5.7, for central differences.
    """
    return float(np.cbrt(np.finfo(dtype).eps))


def step_size(scale: float, eps: float) -> float:
    """Return eps * scale rounded to a power of two, so that x+h and x-h lose no digits to h itself."""
    return max(float(2.0 ** np.round(np.log2(eps * scale))), _LEAST)


def step_sizes(scales: Array, eps: float) -> Array:
    """Return `step_size` of many scales."""
    with np.errstate(divide="ignore"):
        exponents = np.rint(np.log2(eps * scales))
    # Not clip, which takes as long as all of the rest.
    within = np.minimum(np.maximum(exponents, -_FARTHEST), _FARTHEST).astype(np.int32)
    return np.maximum(np.ldexp(1.0, within), _LEAST)


def ladder_steps(x: float, typical: float, spacing: float, ratio: float, reach: float = np.inf) -> list[float]:
    """Return ascending steps for one element, a `ratio` apart, for an x with neighbours `spacing` away.

    The bottom is far below the smaller of |x| and the typical magnitude (a small element among
    large ones has a small scale of its own), but four spacings at least. Steps stay below `reach`,
    the way to the edge of the domain; where that cuts most of them off the ladder goes deeper.
    """
    top = min(LARGEST * max(abs(x), typical), reach)
    bottom = _SMALLEST * min(typical, abs(x) or min(typical, 1.0))
    bottom = max(min(bottom, top * 1e-6), 4 * spacing)
    if bottom > top:
        return []
    count = int(np.ceil((np.log(top) - np.log(bottom)) / np.log(ratio))) + 1
    return sorted({step_size(top, ratio**-k) for k in range(count)})


def steps_of_many(x: Array, typical: float, spacings: Array, ratio: float = DECADE) -> tuple[Array, Array]:
    """Return the `ladder_steps` of many elements: ascending columns, and which entries are steps.

    Both have the shape (most steps, elements); what is no step stands below the steps of its column. Steps
    that the spacing of x distorts are left out.
    """
    top = LARGEST * np.maximum(np.abs(x), typical)
    bottom = _SMALLEST * np.minimum(typical, np.where(x == 0, min(typical, 1.0), np.abs(x)))
    bottom = np.maximum(np.minimum(bottom, top * 1e-6), 4 * spacings)
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = np.where(bottom > top, 0, np.ceil((np.log(top) - np.log(bottom)) / np.log(ratio)) + 1)
    powers = np.arange(int(np.max(counts, initial=0)))[::-1, None]
    h = step_sizes(top * ratio ** -powers.astype(np.float64), 1.0)
    return h, (powers < counts) & (h >= spacings) & (x + h != x)


def steps_beyond(x: Array, typical: float) -> Array:
    """Return the steps above those of `steps_of_many` up to the element's own scale, 1 at least: ascending columns."""
    top = LARGEST * np.maximum(np.abs(x), typical)
    ratio = np.maximum(np.maximum(np.abs(x), typical), 1.0) / top
    count = int(np.ceil(np.log(np.max(ratio)) / np.log(HALF_DECADE) - 1e-9))
    return step_sizes(top * ratio ** (np.arange(1, count + 1)[:, None] / count), 1.0)


def stride_up_to(farthest: Array | float, top: Array | float) -> Any:
    """Return how many times larger the next step above `top` is, on the way to `farthest`."""
    return np.maximum(HALF_DECADE, (np.asarray(farthest) / top) ** 0.25)


def steps_up_to(farthest: Array, top: Array) -> tuple[Array, Array]:
    """Return the steps above `top` that lead to `farthest`: ascending columns, and which entries are steps.

    As `stride_up_to` says, `MOST_BEYOND` of them at most. What is no step repeats the largest.
    """
    steps: list[Array] = []
    valid: list[Array] = []
    while (short := top < farthest).any() and len(steps) < MOST_BEYOND:
        top = np.where(short, step_sizes(top * stride_up_to(farthest, top), 1.0), top)
        steps.append(top)
        valid.append(short)
    shape = len(steps), top.size
    return np.array(steps).reshape(shape), np.array(valid, dtype=bool).reshape(shape)
