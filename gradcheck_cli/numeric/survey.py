"""A survey of a parameter: all elements move together, to learn noise and sensitivity of every output."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import (
    TABLE_POINTS,
    Noise,
    are_single,
    difference_table_noise,
    float32_columns,
    two_sided_noise,
)
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.stairs import are_long_singles, climb, heights

_SPACING = 1.5e-6
"""Spacing of the table relative to the elements: several thousand roundings of float64, a few of float32."""

_STRIDE = 100.0
"""A table that sees nothing is widened, one that sees too much is narrowed, so many times."""

_NARROWINGS = 4
"""So many times at most: beside 0 there is always a smaller number."""

_UNEVEN = 0.77
"""Keeps the spacing from a power of two, whose multiples look like single precision, or like a quantum's."""

_LOUD = 1e-5
"""Noise above this share of an output may be an oscillation."""

_UNMOVED = 4.0
"""An output that moves by so many times its noise and rounding may not depend on the parameter at all."""

_FAINT = 1e-5
"""Below this share of the largest sensitivity it is taken for one that doesn't: nothing of it could be measured."""

_FINEST = 64.0
"""Spacings of x that a table needs between its points."""


def survey(point: Point, steps: Array, rng: np.random.Generator) -> tuple[Noise, Array]:
    """Return the noise of every output, and how sensitive each is to a relative change of the parameter.

    `steps` are the first steps of the elements, of which the table stays inside. Seven values on each
    side of x along one random direction, x itself left out (a jump at x belongs to one side); a
    second direction, so that a cancellation along the first hides no sensitivity.
    """
    nearest = np.where(point.x != 0, _SPACING * np.maximum(np.abs(point.x), 0.01 * point.typical), np.inf)
    reach = np.minimum(steps / 4, nearest)
    directions = _signed(reach, rng)
    changes = point.together(np.concatenate([_places(directions[0]), TABLE_POINTS * directions[1][None]]))
    (below, above), crossed = _sides(changes[:-1]), changes[-1]
    level = _level(below, above)
    gap = directions[0]
    size = _size(point, below, above)
    epsilon = _epsilon(point, below, above)
    for _ in range(_NARROWINGS):
        if not (level > _LOUD * size).any() or not np.all(np.abs(gap) / _STRIDE >= _FINEST * point.spacings):
            break
        gap = gap / _STRIDE
        level = _without_oscillation(level, *_sides(point.together(_places(gap))))
    # The edge of a stair may lie on the other side. An output of 0 is on none: its rounding vanishes with it.
    still = (~below.any(axis=0) | ~above.any(axis=0)) & (point.base != 0)
    if still.any():
        places, farther = climb(point, TABLE_POINTS * directions[0])
        single = still & are_long_singles(point.base + np.concatenate([farther, below[:1]]))
        epsilon = np.where(single, np.maximum(epsilon, float(np.finfo(np.float32).eps)), epsilon)
        level = np.maximum(level, heights(point, places, farther, still, epsilon))
    farthest = np.abs(np.array([below[-1], above[-1], crossed]))
    relative = TABLE_POINTS * np.max(reach / point.scales)
    moved = np.max(np.where(np.isfinite(farthest), farthest, 0.0), axis=0)
    noise = Noise(epsilon, np.maximum(level, point.outputs.jitter), _grown(point, below, above))
    sensitivity = moved / relative
    # Rounding is no sensitivity: a cotangent divided by it would drown the others in the backward's own rounding.
    unmoved = moved <= _UNMOVED * (noise.level + epsilon * np.abs(point.base))
    sensitivity[unmoved & (sensitivity < _FAINT * np.max(sensitivity, initial=0.0))] = 0.0
    return noise, sensitivity


def _signed(reach: Array, rng: np.random.Generator) -> Array:
    """Draw two directions, shape (2, n): random signs, and magnitudes from half of `reach` to all of it."""
    drawn = rng.uniform(-0.5, 0.5, (2, reach.size))
    return np.asarray(np.copysign(np.abs(drawn) + 0.5, drawn) * reach)


def own_noise(point: Point, element: int, step: float, noise: Noise, reach: float) -> Noise:
    """Return the noise along one element, with a table of its own, `reach` being the way to the edge of the domain.

    The spacing is widened a hundredfold while no output moves: a table within one stair sees no
    noise. It is narrowed as much where the noise looks large: an oscillation that the table skips
    shrinks with the spacing, noise doesn't.
    """
    x, spacing = point.x[element], point.spacings[element]
    widest = min(0.1 * max(abs(x), point.typical), reach / 2) / TABLE_POINTS
    gap = max(min(step / 4, _SPACING * abs(x)) if x else step / 4, 4 * spacing) * _UNEVEN
    gap = max(min(gap, widest), spacing)
    below, above = _table(point, element, gap)
    while not _varies(below, above) and gap * _STRIDE <= widest:
        gap *= _STRIDE
        below, above = _table(point, element, gap)
    level = _level(below, above)
    size = _size(point, below, above)
    for _ in range(_NARROWINGS):
        if not (level > _LOUD * size).any() or gap / _STRIDE < _FINEST * spacing:
            break
        gap /= _STRIDE
        finer = _table(point, element, gap)
        if not _varies(*finer):
            break
        level = _without_oscillation(level, *finer)
    epsilon = np.maximum(noise.epsilon, _epsilon(point, below, above))
    return Noise(epsilon, np.maximum(level, point.outputs.jitter), _grown(point, below, above))


def _table(point: Point, element: int, gap: float) -> tuple[Array, Array]:
    """Return the equally spaced values of one element below and above x."""
    return _sides(point.alone(element, _places(np.array([gap]))[:, 0])[1])


def _places(gap: Array) -> Array:
    """Return the displacements of a table along `gap`, shape (points, elements): those below x, then those above."""
    steps = np.arange(1, TABLE_POINTS + 1)[:, None] * gap
    return np.concatenate([-steps, steps])


def _sides(changes: Array) -> tuple[Array, Array]:
    return changes[:TABLE_POINTS], changes[TABLE_POINTS:]


def _level(below: Array, above: Array) -> Array:
    """Return the noise of every output that both sides of a table show."""
    both = difference_table_noise(np.concatenate([below, above], axis=1))
    return two_sided_noise(both[: below.shape[1]], both[below.shape[1] :])


def _size(point: Point, below: Array, above: Array) -> Array:
    """Return the size of every output, or of its change where that is larger (an output of 0 has none of its own)."""
    changes = np.abs(np.concatenate([below, above]))
    return np.asarray(np.maximum(np.abs(point.base), np.max(np.where(np.isfinite(changes), changes, 0.0), axis=0)))


def _grown(point: Point, below: Array, above: Array) -> Array:
    """Return the size at which the noise was measured; 0 for an output of 0.

    At x alone an output that is zero up to rounding is far smaller, and its noise doesn't grow as it does.
    """
    return np.where(point.base != 0, _size(point, below, above), 0.0)


def _without_oscillation(level: Array, below: Array, above: Array) -> Array:
    """Return the smaller noise of a finer table, for the outputs that move within it."""
    finer = _level(below, above)
    moves = np.ptp(np.concatenate([below, above]), axis=0) > 0
    return np.where(moves, np.minimum(level, finer), level)


def _varies(below: Array, above: Array) -> bool:
    """Tell whether any output moves within either side of the table."""
    return bool(np.ptp(below, axis=0).any() or np.ptp(above, axis=0).any())


def _epsilon(point: Point, below: Array, above: Array) -> Array:
    """Return the epsilon of every output: that of its dtype, or of float32 where all values are single."""
    epsilon = point.outputs.epsilon
    # One row tells it nearly always, at little cost; a zero that stays one is single by chance.
    moves = (below != below[0]).any(axis=0) | (above != below[0]).any(axis=0)
    if not (moves & are_single(point.base + below[0])).any():
        return epsilon
    values = point.base + np.concatenate([below, np.zeros((1, point.base.size)), above])
    single = float32_columns(values) & (epsilon < np.finfo(np.float32).eps)
    return np.where(single, float(np.finfo(np.float32).eps), epsilon)
