"""Tables of equally spaced values around a point, from which the noise of outputs is read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import (
    TABLE_POINTS,
    are_single,
    difference_table_noise,
    float32_columns,
    two_sided_noise,
)
from gradcheck_cli.numeric.point import Point

SPACING = 1.5e-6
"""Spacing of a table relative to the elements: several thousand roundings of float64, a few of float32."""

STRIDE = 100.0
"""A table that sees nothing is widened, one that sees too much is narrowed, so many times."""

NARROWINGS = 4
"""So many times at most: beside 0 there is always a smaller number."""

LOUD = 1e-5
"""Noise above this share of an output may be an oscillation."""

FINEST = 64.0
"""Spacings of x that a table needs between its points."""

_AT_ONCE = 2**16
"""Outputs that are looked at together: what is made of a table takes more than the table itself."""


def places(gap: Array) -> Array:
    """Return the displacements of a table along `gap`, shape (points, elements): those below x, then those above."""
    steps = np.arange(1, TABLE_POINTS + 1)[:, None] * gap
    return np.concatenate([-steps, steps])


def sides(changes: Array) -> tuple[Array, Array]:
    """Return the rows of a table below x, and those above."""
    return changes[:TABLE_POINTS], changes[TABLE_POINTS:]


def noise_level(below: Array, above: Array) -> Array:
    """Return the noise of every output that both sides of a table show."""
    return _in_parts(_noise_level, below, above)


def _noise_level(below: Array, above: Array) -> Array:
    both = difference_table_noise(np.concatenate([below, above], axis=1))
    return two_sided_noise(both[: below.shape[1]], both[below.shape[1] :])


def output_sizes(point: Point, below: Array, above: Array) -> Array:
    """Return the size of every output, or of its change where that is larger (an output of 0 has none of its own)."""
    return np.asarray(np.maximum(np.abs(point.base), _in_parts(_largest, below, above)))


def _largest(below: Array, above: Array) -> Array:
    changes = np.abs(np.concatenate([below, above]))
    largest = changes.max(axis=0)
    if not np.isfinite(largest).all():
        largest = np.where(np.isfinite(changes), changes, 0.0).max(axis=0)
    return np.asarray(largest)


def _in_parts(function: Callable[[Array, Array], Array], below: Array, above: Array) -> Array:
    """Return what a function makes of a table, a number for each output, of some outputs at a time."""
    width = below.shape[1]
    if width <= _AT_ONCE:
        return function(below, above)
    parts = [slice(low, low + _AT_ONCE) for low in range(0, width, _AT_ONCE)]
    return np.concatenate([function(below[:, part], above[:, part]) for part in parts])


def without_oscillation(level: Array, below: Array, above: Array) -> Array:
    """Return the smaller noise of a finer table, for the outputs that move within it."""
    finer = noise_level(below, above)
    moves = np.ptp(np.concatenate([below, above]), axis=0) > 0
    return np.where(moves, np.minimum(level, finer), level)


def epsilons(point: Point, below: Array, above: Array) -> Array:
    """Return the epsilon of every output: that of its dtype, or of float32 where all values are single."""
    epsilon = point.outputs.epsilon
    # One row tells it nearly always, at little cost; a zero that stays one is single by chance.
    single = are_single(point.base + below[0])
    if not (single.any() and (single & ((below != below[0]).any(axis=0) | (above != below[0]).any(axis=0))).any()):
        return epsilon
    values = point.base + np.concatenate([below, np.zeros((1, point.base.size)), above])
    single = float32_columns(values) & (epsilon < np.finfo(np.float32).eps)
    return np.where(single, float(np.finfo(np.float32).eps), epsilon)


def grown(point: Point, sizes: Array) -> Array:
    """Return the size at which the noise was measured, of the `output_sizes` of a table; 0 for an output of 0.

    At x alone an output that is zero up to rounding is far smaller, and its noise doesn't grow as it does.
    """
    return np.where(point.base != 0, sizes, 0.0)
