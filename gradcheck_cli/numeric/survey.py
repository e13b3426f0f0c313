"""A survey of a parameter: all elements move together, to learn noise and sensitivity of every output."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import TABLE_POINTS, Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.stairs import are_long_singles, climb, heights
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

_UNMOVED = 4.0
"""An output that moves by so many times its noise and rounding may not depend on the parameter at all."""

_FAINT = 1e-5
"""Below this share of the largest sensitivity it is taken for one that doesn't: nothing of it could be measured."""


def survey(point: Point, steps: Array, rng: np.random.Generator) -> tuple[Noise, Array]:
    """Return the noise of every output, and how sensitive each is to a relative change of the parameter.

    `steps` are the first steps of the elements, of which the table stays inside. Seven values on each
    side of x along one random direction, x itself left out (a jump at x belongs to one side); a
    second direction, so that a cancellation along the first hides no sensitivity.
    """
    nearest = np.where(point.x != 0, SPACING * np.maximum(np.abs(point.x), 0.01 * point.typical), np.inf)
    reach = np.minimum(steps / 4, nearest)
    directions = _signed(reach, rng)
    changes = point.together(np.concatenate([places(directions[0]), TABLE_POINTS * directions[1][None]]))
    below, above = sides(changes[:-1])
    level = noise_level(below, above)
    gap = directions[0]
    size = output_sizes(point, below, above)
    epsilon = epsilons(point, below, above)
    for _ in range(NARROWINGS):
        if not (level > LOUD * size).any() or not np.all(np.abs(gap) / STRIDE >= FINEST * point.spacings):
            break
        gap = gap / STRIDE
        level = without_oscillation(level, *sides(point.together(places(gap))))
    # The edge of a stair may lie on the other side. An output of 0 is on none: its rounding vanishes with it.
    still = np.asarray(~(below.any(axis=0) & above.any(axis=0)))
    if still.any() and (still := np.asarray(still & (point.base != 0))).any():
        far, farther = climb(point, TABLE_POINTS * directions[0])
        single = still & are_long_singles(point.base, np.concatenate([farther, below[:1]]))
        epsilon = np.where(single, np.maximum(epsilon, float(np.finfo(np.float32).eps)), epsilon)
        level = np.maximum(level, heights(point, far, farther, still, epsilon))
    farthest = np.abs(changes[[TABLE_POINTS - 1, 2 * TABLE_POINTS - 1, 2 * TABLE_POINTS]])
    if not np.isfinite(farthest).all():
        farthest = np.where(np.isfinite(farthest), farthest, 0.0)
    moved = farthest.max(axis=0)
    noise = Noise(epsilon, np.maximum(level, point.outputs.jitter), grown(point, size))
    sensitivity = moved / (TABLE_POINTS * (reach / point.scales).max())
    # Rounding is no sensitivity: a cotangent divided by it would drown the others in the backward's own rounding.
    unmoved = moved <= _UNMOVED * (noise.level + epsilon * np.abs(point.base))
    sensitivity[unmoved & (sensitivity < _FAINT * np.max(sensitivity, initial=0.0))] = 0.0
    return noise, sensitivity


def _signed(reach: Array, rng: np.random.Generator) -> Array:
    """Draw two directions, shape (2, n): random signs, and magnitudes from half of `reach` to all of it."""
    drawn = rng.uniform(-0.5, 0.5, (2, reach.size))
    return np.asarray(np.copysign(np.abs(drawn) + 0.5, drawn) * reach)
