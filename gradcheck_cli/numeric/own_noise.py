"""The noise along one element, with a difference table of its own."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import TABLE_POINTS, Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.tables import (
    FINEST,
    LOUD,
    NARROWINGS,
    SPACING,
    STRIDE,
    epsilons,
    grown,
    noise_level,
    output_sizes,
    places,
    sides,
    without_oscillation,
)

_UNEVEN = 0.77
"""Keeps the spacing from a power of two, whose multiples look like single precision, or like a quantum's."""


def own_noise(point: Point, element: int, step: float, noise: Noise, reach: float) -> Noise:
    """Return the noise along one element, with a table of its own, `reach` being the way to the edge of the domain.

    The spacing is widened a hundredfold while no output moves: a table within one stair sees no
    noise. It is narrowed as much where the noise looks large: an oscillation that the table skips
    shrinks with the spacing, noise doesn't.
    """
    spacing = point.spacings[element]
    gap, widest = own_gaps(point.x[element], point.typical, spacing, np.asarray(step), reach)
    below, above = _table(point, element, gap)
    while not _varies(below, above) and gap * STRIDE <= widest:
        gap = gap * STRIDE
        below, above = _table(point, element, gap)
    level = noise_level(below, above)
    size = output_sizes(point, below, above)
    for _ in range(NARROWINGS):
        if not (level > LOUD * size).any() or gap / STRIDE < FINEST * spacing:
            break
        gap = gap / STRIDE
        finer = _table(point, element, gap)
        if not _varies(*finer):
            break
        level = without_oscillation(level, *finer)
    epsilon = np.maximum(noise.epsilon, epsilons(point, below, above))
    return Noise(epsilon, np.maximum(level, point.outputs.jitter), grown(point, size))


def own_gaps(x: Array, typical: float, spacings: Array, steps: Array, reach: float = np.inf) -> tuple[Array, Array]:
    """Return the spacings of the tables of many elements, and the widest ones that they may get.

    `spacings` are those of x, `steps` the first steps of each element.
    """
    widest = np.minimum(0.1 * np.maximum(np.abs(x), typical), reach / 2) / TABLE_POINTS
    nearest = np.minimum(steps / 4, np.where(x != 0, SPACING * np.abs(x), np.inf))
    gaps = np.maximum(nearest, 4 * spacings) * _UNEVEN
    return np.maximum(np.minimum(gaps, widest), spacings), widest


def _table(point: Point, element: int, gap: Array) -> tuple[Array, Array]:
    """Return the equally spaced values of one element below and above x."""
    return sides(point.alone(element, places(gap[None])[:, 0])[1])


def _varies(below: Array, above: Array) -> bool:
    """Tell whether any output moves within either side of the table."""
    return bool(np.ptp(below, axis=0).any() or np.ptp(above, axis=0).any())
