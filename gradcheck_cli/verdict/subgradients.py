"""Whether a gradient is a subgradient where differences at the point itself can't say.

Where elements tie, moving one alone may show no kink, or one whose sides exclude what is right: the middle one of three
equal numbers doesn't depend on any of them alone. Clarke's generalised gradient is the convex hull of the limits of
gradients beside the point (Optimization and Nonsmooth Analysis, 1983, theorem 2.5.1); so slopes are taken there, at
points that break ties in many ways. Beside a point without a kink they are all the same.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.point import Point, moved_together

_NOISE = 1e4
"""So many times the noise are less than what is to be told apart."""

_LEAST = 2.0**10
"""The step in units of the machine's epsilon, at least: displacements are rounded."""

_MOST = 2.0**-10
"""How far from the point is beside it, at most, relative to the scales of elements."""

_ROOM = 64.0
"""The points beside lie so many steps away, and further where many elements have to be told apart."""

_NEARER = 8.0
"""What is seen has to be seen so many times nearer, too."""

_SAME = 1e-3
"""Slopes are the same to within so much of the difference between both gradients."""

_DIRECTIONS = 6
"""Random directions along which a gradient is compared, besides all elements the same way and in proportion."""

_FIRST, _SAMPLES = 8, 32
"""Points beside, for each direction: if the first ones show one slope, there is no kink."""

_OFTEN = 4
"""A slope that so many places have is the steepest of few."""

_CLIMBS, _CLIMB = 8, 160
"""So often a steeper slope is looked for, at so many points each time."""

_SUSPECTS = 32
"""Elements that are looked at one by one, at most."""


class Kinked(NamedTuple):
    """The elements of a parameter that sit at kinks, the analytic gradient there, and a step that shows the kinks.

    `noise` is that of the contracted value.
    """

    point: Point
    elements: Array
    gradient: Array
    step: float = np.inf
    noise: float = 0.0


def is_subgradient(
    parts: Sequence[Kinked], u: Array, suspects: Array | None, difference: float, rng: np.random.Generator
) -> bool:
    """Tell whether the gradients of `parts` are a subgradient in Clarke's sense, weighing the outputs by `u`.

    `suspects` counts elements of all parts on; these are wrong by the differences at the point, the worst of them by
    `difference`, times its scale. None says that they aren't known: then it has to be the gradient of one piece. False
    where noise doesn't allow to tell.
    """
    beside = _Beside(parts, u, difference)
    if not beside.is_near or not beside.is_flat(rng):
        return False
    # Nearer again, since what curves beside the point comes closer, and a kink doesn't.
    return all(
        each.is_gradient_of_a_piece(rng) or (suspects is not None and each.is_between(suspects[:_SUSPECTS], rng))
        for each in (beside, beside.nearer())
    )


class _Beside:
    """Points beside the point of a check, and the slopes there; displacements are relative to the scales."""

    def __init__(self, parts: Sequence[Kinked], u: Array, difference: float) -> None:
        self._parts = parts
        self._u = u
        self._scales = np.concatenate([part.point.scales[part.elements] for part in parts])
        self._gradient = np.concatenate([part.gradient for part in parts]) * self._scales
        self._same = _SAME * difference
        self._ends = np.cumsum([part.elements.size for part in parts])[:-1]
        epsilon = max(float(np.finfo(part.point.values[part.point.name].dtype).eps) for part in parts)
        noise = max(part.noise for part in parts)
        self._step = max(_LEAST * epsilon, _NOISE * noise / difference) if difference else np.inf
        self._far = _NEARER * max(_ROOM, 16.0 * self._scales.size) * self._step

    @property
    def is_near(self) -> bool:
        """Whether noise allows to stay beside the point."""
        return self._far <= _MOST

    def is_flat(self, rng: np.random.Generator) -> bool:
        """Tell whether slopes hardly change on the way there, as far as the value's changes over the scales tell."""
        directions = itertools.islice(self._directions(rng), 3)
        changes = [abs(float(self._u @ self._evaluated(direction))) for direction in directions]
        return bool(np.isfinite(changes).all() and self._far * max(changes) <= self._same)

    def nearer(self) -> _Beside:
        """Return points that are nearer."""
        nearer = copy.copy(self)
        nearer._far = self._far / _NEARER
        return nearer

    def is_gradient_of_a_piece(self, rng: np.random.Generator) -> bool:
        """Tell whether the gradient is the one where ties are broken by the order of the elements.

        As an argument of a maximum or a stable sort breaks them.
        """
        ramp = np.linspace(-1.0, 1.0, self._scales.size + 1)[1:]
        directions = list(self._directions(rng))
        for place in (self._far * ramp, -self._far * ramp):
            if all(abs(self._slope(place, d) - self._gradient @ d) <= self._same for d in directions):
                return True
        return False

    def is_between(self, suspects: Array, rng: np.random.Generator) -> bool:
        """Tell whether the gradient is between the slopes beside the point, along every direction."""
        for element in suspects.tolist():
            alone = np.zeros_like(self._scales)
            alone[element] = 1.0
            places = [self._sweep(element, k, rng) for k in range(_SAMPLES)]
            if not self._allows(alone, places, rng, needs_kink=True):
                return False
        return all(
            self._allows(direction, [self._spread(rng) for _ in range(_SAMPLES)], rng)
            for direction in self._directions(rng)
        )

    def _allows(
        self, direction: Array, places: Sequence[Array], rng: np.random.Generator, needs_kink: bool = False
    ) -> bool:
        """Tell whether slopes beside the point along one direction are on both sides of what the gradient says.

        Where those of the first places aren't, others are looked for, since of infinitely many pieces few are seen.
        """
        slopes = np.array([self._slope(place, direction) for place in places[:_FIRST]])
        if not np.isfinite(slopes).all() or (needs_kink and np.ptp(slopes) <= self._same):
            return False
        slopes = np.concatenate([slopes, [self._slope(place, direction) for place in places[_FIRST:]]])
        analytic = float(self._gradient @ direction)
        if slopes.min() - self._same <= analytic <= slopes.max() + self._same:
            return True
        side = 1.0 if analytic > slopes.max() else -1.0
        steepest = (side * slopes).max()
        if np.count_nonzero(side * slopes >= steepest - self._same) >= _OFTEN:
            return False
        return self._reaches(side * analytic - self._same, side * direction, rng)

    def _reaches(self, slope: float, direction: Array, rng: np.random.Generator) -> bool:
        """Tell whether there is a slope as steep as this one, climbing from several places.

        By random steps, wider after one that helps and narrower after one that doesn't: I. Rechenberg,
        Evolutionsstrategie, 1973.
        """
        for _ in range(_CLIMBS):
            starts = [self._spread(rng) for _ in range(_FIRST)]
            slopes = [self._slope(start, direction) for start in starts]
            best, steepest, width = starts[int(np.argmax(slopes))], max(slopes), 1.0
            for _ in range(_CLIMB):
                if steepest >= slope:
                    return True
                place = best + width * self._far * rng.standard_normal(best.size)
                place *= self._far / np.abs(place).max()
                found = self._slope(place, direction)
                width *= 1.5 if found > steepest else 0.9
                best, steepest = (place, found) if found > steepest else (best, steepest)
        return False

    def _directions(self, rng: np.random.Generator) -> Iterator[Array]:
        size = self._scales.size
        yield np.ones(size)
        yield np.concatenate([part.point.x[part.elements] for part in self._parts]) / self._scales
        for _ in range(_DIRECTIONS):
            yield rng.choice([-1.0, 1.0], size) * rng.uniform(0.5, 1.5, size)

    def _spread(self, rng: np.random.Generator) -> Array:
        """Return a displacement that tells all elements apart, in a random order."""
        size = self._scales.size
        return self._far * rng.permutation(np.linspace(-1.0, 1.0, size + 1)[1:])

    def _sweep(self, element: int, k: int, rng: np.random.Generator) -> Array:
        """Return such a displacement with one element at the k-th of places among the others: all ranks, in the end."""
        place = self._spread(rng)
        place[element] = self._far * _van_der_corput(k)
        return place

    def _slope(self, place: Array, direction: Array) -> float:
        """Return the slope along a direction at a point beside."""
        above, below = (self._evaluated(place + side * self._step * direction) for side in (1.0, -1.0))
        return float(self._u @ (above - below)) / (2 * self._step)

    def _evaluated(self, displacement: Array) -> Array:
        moves = zip(self._parts, np.split(displacement * self._scales, self._ends), strict=True)
        return moved_together([(part.point, part.elements, mine) for part, mine in moves])


def _van_der_corput(k: int) -> float:
    """Return a number from -1.5 to 1.5, the first of which are the middle, both ends and what lies between."""
    if k < 3:
        return (0.0, 1.5, -1.5)[k]
    number, share, k = 0.0, 0.5, k - 2
    while k:
        number, share, k = number + share * (k & 1), share / 2, k >> 1
    return 3.0 * number - 1.5
