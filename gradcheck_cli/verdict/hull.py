"""The hull of the gradients beside a point: those that a backward gives where ties are broken one way or another.

It is looked at through the backward alone, a few roundings away from the point, where there is no noise to speak of.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from gradcheck_cli.core.arrays import Array

_FEW, _ROWS = 8, 64
"""Places beside the point: so many show whether anything leaps, and so many in all."""

_FARTHER, _STEADY = 8.0, 0.25
"""What leaps goes so much of as far as it does so many times farther from the point, at least; what curves, less."""

_SAME = 1e-6
"""Gradients are the same to within so much of their size, and of the largest of all elements times as much again."""

_GUESSES = 16
"""So many places are rearranged so that their gradients are the one at the point."""

_PARTIAL, _RANDOM = 64, 32
"""Directions along which the gradient has to lie between the others: sums of its largest, and random ones."""

_CLIMB, _CLIMBS = 1000, 8000
"""Further places along a direction that excludes the gradient, and along all of them."""

_NEARLY = 1e-3
"""A gradient may lie outside of those that were found by so much of what is between them."""

_SPAN, _COMBINED = 4, 400
"""Gradients that span places with a direction, and how many of these places are looked at."""

_NUDGES = (0.03, 0.1, 0.3, 1.0)
"""How far a combination of them is moved, relative to its largest part."""

_MOVED = 0.2
"""The share of elements that go to another place in one step of a climb."""


class Hull:
    """The gradients beside the point `x`, of which `at_point` is one or between some.

    `gradient_at` returns the gradient for displacements of all elements, shape (n,); `tiny` is how far they go. `place`
    is where the gradient is the one at the point, up to 1, once it is known.
    """

    place: Array | None = None

    def __init__(
        self, gradient_at: Callable[[Array], Array], at_point: Array, x: Array, tiny: float, rng: np.random.Generator
    ) -> None:
        self._gradient_at = gradient_at
        self._at_point = at_point
        self._x = x
        self._tiny = tiny
        self._rng = rng
        self._left = _CLIMBS
        self._curved = np.zeros(x.shape, dtype=bool)
        ramp = self._grid()
        self._places = [ramp, -ramp, *(rng.permutation(ramp) for _ in range(_FEW - 2))]
        self._rows = [self._at(place) for place in self._places]

    def leaps(self, elements: Array) -> bool:
        """Tell whether any of `elements` leaps as ties are broken in a few ways; of none given, any at all.

        What leaps goes as far as it does farther from the point, and what curves doesn't.
        """
        farther = np.array([self._at(_FARTHER * place) for place in self._places])
        near, far = (np.abs(rows - self._at_point).mean(axis=0) for rows in (np.array(self._rows), farther))
        self._curved = near < _STEADY * far
        leaping = self._leaping() & ~self._curved
        return bool((leaping[elements] if elements.size else leaping).any())

    def holds(self, elements: Array) -> bool:
        """Tell whether the gradient at the point belongs to the hull, and all of `elements` leap."""
        more = [self._rng.permutation(self._grid()) for _ in range(_ROWS - _FEW)]
        self._places += more
        self._rows += [self._at(place) for place in more]
        rows = np.array(self._rows)
        if not np.isfinite(rows).all():
            return False
        self.place = next((p for p, row in zip(self._places, rows, strict=True) if self._is_same(row)), None)
        if self.place is None:
            self.place = self._rearranged()
        if self.place is None and not self._is_between(rows):
            return False
        return bool((self._leaping() & ~self._curved)[elements].all())

    def _leaping(self) -> Array:
        rows = np.array([*self._rows, self._at_point])
        return np.asarray(~(np.ptp(rows, axis=0) <= self._tolerance(rows)))

    def _tolerance(self, rows: Array) -> Array:
        sizes = np.abs(rows).max(axis=0)
        return np.asarray(_SAME * np.maximum(sizes, _SAME * sizes.max(initial=0.0)))

    def _at(self, place: Array) -> Array:
        return self._gradient_at(self._tiny * place)

    def _grid(self) -> Array:
        """Return places that tell all elements apart, from -1 to 1 in their order."""
        return np.linspace(-1.0, 1.0, self._x.size + 1)[1:]

    def _is_same(self, row: Array) -> bool:
        off = np.abs(row - self._at_point)
        return bool((off <= self._tolerance(np.array([row, self._at_point]))).all())

    def _rearranged(self) -> Array | None:
        """Put tied elements in another order among themselves, so that the gradient is the one at the point.

        Where a function doesn't tell them apart but by their values, the order follows from a place that was seen.
        """
        order = np.argsort(self._x, kind="stable")
        groups = np.split(order, 1 + np.flatnonzero(np.diff(self._x[order])))
        for place, row in list(zip(self._places, self._rows, strict=True))[:_GUESSES]:
            guess = place.copy()
            for group in groups:
                guess[group[np.argsort(self._at_point[group])]] = place[group[np.argsort(row[group])]]
            found = self._at(guess)
            if self._is_same(found):
                self._places.append(guess)
                self._rows.append(found)
                return guess
        return None

    def _is_between(self, rows: Array) -> bool:
        """Tell whether the gradient lies between the others: each element alone, and along directions."""
        tolerance = self._tolerance(np.vstack([rows, self._at_point]))
        # Of infinitely many pieces none goes as far as all together.
        slack = tolerance + _NEARLY * np.ptp(rows, axis=0)
        outside = (self._at_point > rows.max(axis=0) + slack) | (self._at_point < rows.min(axis=0) - slack)
        alone = (self._alone(np.array([element])) for element in np.flatnonzero(outside))
        return all(self._allows(direction, rows, tolerance) for direction in itertools.chain(alone, self._directions()))

    def _allows(self, direction: Array, rows: Array, tolerance: Array) -> bool:
        """Tell whether the gradient lies between the others along a direction, of which more are looked for if not."""
        seen, wanted = rows @ direction, float(self._at_point @ direction)
        slack = float(np.abs(direction) @ tolerance) + _NEARLY * float(np.ptp(seen))
        side = 1.0 if wanted > seen.max() else -1.0
        best = int(np.argmax(side * seen))
        if side * wanted <= side * seen[best] + slack:
            return True
        along = self._furthest_spanned(side * direction, side * wanted - slack)
        start = max([self._places[best], along], key=lambda place: side * float(self._at(place) @ direction))
        return self._reaches(side * direction, side * wanted - slack, start)

    def _directions(self) -> Iterator[Array]:
        """Yield sums of the smallest elements of those that leap, all of them, and random directions."""
        leaping = np.flatnonzero(self._leaping())
        order = leaping[np.argsort(self._at_point[leaping], kind="stable")]
        for count in np.unique(np.linspace(1, order.size, _PARTIAL).astype(int)):
            yield self._alone(order[:count])
        yield np.ones_like(self._x)
        yield self._x
        for _ in range(_RANDOM):
            direction = np.zeros_like(self._x)
            direction[leaping] = self._rng.standard_normal(leaping.size)
            yield direction

    def _alone(self, elements: Array) -> Array:
        direction = np.zeros_like(self._x)
        direction[elements] = 1.0
        return direction

    def _furthest_spanned(self, direction: Array, wanted: float) -> Array:
        """Return where the gradient goes furthest along a direction, of the places that it spans with some gradients.

        A convex function goes furthest at the direction itself. Where matrices tie, these have its singular vectors.
        """
        span = [_to_unit(direction)]
        for _ in range(_SPAN):
            seen = self._at(_to_unit(self._rng.standard_normal(len(span)) @ np.array(span)))
            span.append(_to_unit(np.nan_to_num(seen)))
        best = np.eye(len(span))[0]
        furthest = float(self._at(span[0]) @ direction)
        for number in range(_COMBINED):
            if furthest >= wanted:
                break
            weights = self._rng.standard_normal(len(span))
            if number % 2:
                weights = best + self._rng.choice(_NUDGES) * np.abs(best).max() * weights
            found = float(self._at(_to_unit(weights @ np.array(span))) @ direction)
            if found > furthest:
                best, furthest = weights, found
        return _to_unit(best @ np.array(span))

    def _reaches(self, direction: Array, wanted: float, start: Array) -> bool:
        """Tell whether a gradient beside the point goes as far along a direction, climbing from a place that was seen.

        Some elements go to another place at a time, near or far: what doesn't go further is taken back.
        """
        best, furthest, width = start, float(self._at(start) @ direction), 1.0
        for _ in range(min(_CLIMB, self._left)):
            if furthest >= wanted:
                return True
            self._left -= 1
            place = best.copy()
            chosen = self._rng.random(place.size) < max(_MOVED, 1.5 / place.size)
            if self._rng.random() < 0.5:
                place[chosen] = self._rng.uniform(-1.2, 1.2, int(chosen.sum()))
            else:
                place += width * self._rng.standard_normal(place.size)
                place /= np.abs(place).max()
            found = float(self._at(place) @ direction)
            width = width * 1.5 if found > furthest else max(0.95 * width, 1e-3)
            if found > furthest:
                best, furthest = place, found
        return furthest >= wanted


def _to_unit(place: Array) -> Array:
    """Return a place scaled to a largest displacement of 1."""
    largest = np.abs(place).max()
    return np.asarray(place / largest if largest > 0 else place)
