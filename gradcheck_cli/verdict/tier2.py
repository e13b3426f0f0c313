"""Tier 2: elements that two evaluations don't acquit; most are settled together, the odd ones examined one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.numeric.ladder import ENOUGH, Ladder
from gradcheck_cli.numeric.ladders import Ladders, take_ladders, take_steps, take_top_and_beyond
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.own_ladders import refine
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import LARGEST, steps_beyond
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Cotangent, GradientOf
from gradcheck_cli.verdict.passes import Passes
from gradcheck_cli.verdict.ruling import SETTLED
from gradcheck_cli.verdict.screen import Screened
from gradcheck_cli.verdict.settle import LATE, Settled, settle, settle_finally, settle_from_above, settle_still

_FIRST = 64
"""Elements that are looked at first where there are many: the worst, which may decide."""

_MANY = 8
"""From so many elements on, those that are likely right are tried with half of a ladder first."""

_HIGHEST = 6
"""The steps of that half: down to a millionth of the scale, where tier 1 has been."""

_LIKELY = 1e-5
"""An element is likely right that two evaluations confirm to this, or to their noise."""


def examine_elements(
    point: Point,
    elements: Array,
    cotangents: Sequence[Cotangent],
    noise: Noise,
    steps: Array,
    rtol: float,
    gradient_of: GradientOf,
    finished: Finished,
    pairs: Screened | None = None,
) -> None:
    """Add the plain passes among `elements`, shape (n,), and the outcomes of the others to `finished`.

    Once enough are wrong, the others aren't examined: they are left with what was measured so far, their pairs or
    their ladders. `steps`, shape (n,), and `pairs` are tier 1's; see `examine` for the rest.
    """
    bench = _Bench(point, cotangents, noise, rtol, gradient_of, finished)
    if pairs is not None and elements.size >= _MANY:
        left = ~bench.settle_from_above(elements, steps, pairs)
        elements, steps, pairs = elements[left], steps[left], pairs.only(left)
    if pairs is None or elements.size <= _FIRST:
        bench.examine(elements, steps)
        return
    analytic = bench.analytic(elements)
    worst_first = _worst_first(np.arange(elements.size), analytic, pairs.numeric)
    for rows in (np.sort(worst_first[:_FIRST]), np.sort(worst_first[_FIRST:])):
        if not finished.decided:
            bench.examine(elements[rows], steps[rows])
            continue
        rest = rows[np.isfinite(pairs.numeric[:, rows]).all(axis=0)]
        finished.leave(Passes.of(elements[rest], *(c[:, rest] for c in (analytic, pairs.numeric, pairs.bar))))


@dataclass(frozen=True, eq=False)
class _Bench:
    """What the elements of a parameter are examined with.

    `spare` holds what was evaluated further of elements that are left.
    """

    point: Point
    cotangents: Sequence[Cotangent]
    noise: Noise
    rtol: float
    gradient_of: GradientOf
    finished: Finished
    spare: dict[int, Ladder] = field(default_factory=dict)

    @cached_property
    def weights(self) -> Weights:
        """The cotangents as weights, with the survey's noise."""
        return Weights([cotangent.u for cotangent in self.cotangents], self.noise)

    @cached_property
    def largest(self) -> Array:
        """The largest analytic gradient of the parameter under each cotangent."""
        return np.array([np.max(np.abs(cotangent.gradient)) for cotangent in self.cotangents])

    def scales(self, elements: Array) -> Array:
        """Return the larger of |x| and the typical magnitude, shape (n,)."""
        return np.maximum(np.abs(self.point.x[elements]), self.point.typical)

    def analytic(self, elements: Array) -> Array:
        """Return the analytic gradient of `elements`, shape (cotangents, n)."""
        return np.array([cotangent.gradient[elements] for cotangent in self.cotangents])

    def settle_from_above(self, elements: Array, steps: Array, pairs: Screened) -> Array:
        """Add what passes by its largest steps alone; return which of `elements`, shape (n,).

        They are tried where the pairs don't contradict, and where noise leaves the largest step a sharp bar.
        """
        passed = np.zeros(elements.size, dtype=bool)
        analytic = self.analytic(elements)
        size, sharpest = np.abs(analytic), pairs.bar * steps / (LARGEST * self.scales(elements))
        likely = np.abs(analytic - pairs.numeric) <= np.maximum(2 * pairs.bar, _LIKELY * size)
        chosen = np.flatnonzero((likely & (sharpest < SETTLED * self.rtol * size)).all(axis=0))
        if chosen.size < _MANY:
            return passed
        place = dict(zip(elements.tolist(), range(elements.size), strict=True))
        for ladders in take_ladders(self.point, elements[chosen], self.weights, _HIGHEST):
            rows = np.array([place[element] for element in ladders.elements.tolist()])
            settled = settle_from_above(ladders, analytic[:, rows], self.scales(ladders.elements), self.rtol)
            passed[rows] = self._finish(ladders.elements, settled.passed, analytic[:, rows], settled)
        return passed

    def examine(self, elements: Array, steps: Array) -> None:
        """Settle what is plain by ladders, and examine the others one by one until enough are wrong."""
        step_of = dict(zip(elements.tolist(), steps.tolist(), strict=True))
        for ladders in take_ladders(self.point, elements, self.weights):
            analytic = self.analytic(ladders.elements)
            first = np.array([step_of[element] for element in ladders.elements.tolist()])
            settled, left = self._settle(ladders, first, analytic)
            for number in _worst_first(left, analytic, settled.numeric):
                if self.finished.decided:
                    break
                left = left[left != number]
                ladder = ladders.ladder(self.point, int(number))
                if ladder.element in self.spare:
                    ladder.spare(self.spare[ladder.element])
                step = step_of[ladder.element]
                outcomes = examine(ladder, self.cotangents, self.noise, step, self.rtol, self.gradient_of)
                self.finished.add(Passes.none(), outcomes)
            if left.size:
                self.finished.leave(_passes(ladders.elements, left, analytic, settled))

    def _settle(self, ladders: Ladders, steps: Array, analytic: Array) -> tuple[Settled, Array]:
        """Add what passes plainly to what is finished; return the figures of all, and the rows that are left."""
        elements = ladders.elements
        scales = self.scales(elements)
        settled = settle(ladders, analytic, scales, self.rtol)
        self._finish(elements, settled.passed, analytic, settled)
        left = ~settled.passed
        if not left.any():
            return settled, np.flatnonzero(left)
        flat = ~analytic.any(axis=0)
        still = np.flatnonzero(left & ~ladders.stirred & flat)
        if still.size and len(ladders.h) >= ENOUGH:
            left[still] = ~self._settle_still(ladders, still, analytic, settled)
        blunt, zero = left & settled.blunt & ladders.stirred, flat & ~settled.numeric.any(axis=0)
        # A bar that says nothing beside the largest gradient needs no noise of its own.
        slight = (settled.bar <= self.rtol * self.largest[:, None]).all(axis=0)
        late, others = np.flatnonzero(blunt & zero & slight), np.flatnonzero(blunt & ~zero)
        if late.size:
            left[late] = ~self._settle_late(ladders, late, analytic, settled)
        if others.size:
            left[self._settle_blunt(ladders, others, steps[others], analytic)] = False
        return settled, np.flatnonzero(left)

    def _settle_still(self, ladders: Ladders, rows: Array, analytic: Array, settled: Settled) -> Array:
        """Add what passes of elements that move nothing; return which, shape (n,)."""
        point, elements = self.point, ladders.elements[rows]
        beyond = take_steps(point, elements, steps_beyond(point.x[elements], point.typical), self.weights)
        silent = settle_still(ladders, rows, beyond, settled, self.rtol)
        return self._finish(elements, silent.passed, analytic[:, rows], silent)

    def _settle_late(self, ladders: Ladders, rows: Array, analytic: Array, settled: Settled) -> Array:
        """Add what passes of elements that move nothing but by their largest steps; return which, shape (n,)."""
        passed = np.zeros(rows.size, dtype=bool)
        elements, top = ladders.elements[rows], ladders.h[-1, rows]
        for places, more in take_top_and_beyond(self.point, elements, top, LATE, self.weights):
            mine = rows[places]
            silent = settle_still(ladders, mine, more, settled, self.rtol, late=True)
            passed[places] = self._finish(more.elements, silent.passed, analytic[:, mine], silent)
        return passed

    def _settle_blunt(self, ladders: Ladders, rows: Array, steps: Array, analytic: Array) -> Array:
        """Add what passes with half-decades and noise of its own, as `examine` goes on; return which of `rows`."""
        own = refine(self.point, ladders, rows, steps, self.weights)
        if own is None:
            return rows[:0]
        rows, elements, given = own.rows, own.ladders.elements, analytic[:, own.rows]
        final = settle_finally(own.ladders, given, self.scales(elements), self.rtol)
        passed = self._finish(elements, final.passed & own.sure, given, final)
        for number in np.flatnonzero(~passed).tolist():
            ladder = own.ladders.ladder(self.point, number)
            self.spare[ladder.element] = ladder
        return rows[passed]

    def _finish(self, elements: Array, passed: Array, analytic: Array, settled: Settled) -> Array:
        """Add those that passed to what is finished; return which."""
        if passed.any():
            self.finished.add(_passes(elements, np.flatnonzero(passed), analytic, settled))
        return passed


def _worst_first(rows: Array, analytic: Array, numeric: Array) -> Array:
    """Order rows by the relative difference of the two gradients, the largest first; by the difference if alike."""
    if len(rows) < 2:
        return rows
    a, n = analytic[:, rows], numeric[:, rows]
    difference, size = np.abs(a - n), np.abs(a) + np.abs(n)
    relative = np.nan_to_num(np.max(difference / np.where(size > 0, size, 1.0), axis=0), nan=2.0)
    return rows[np.lexsort((-np.max(difference, axis=0), -np.round(relative, 3)))]


def _passes(elements: Array, rows: Array, analytic: Array, settled: Settled) -> Passes:
    """Return the figures of some rows."""
    columns = (analytic, settled.numeric, settled.bar, settled.truncated, settled.kink_within)
    return Passes.of(elements[rows], *(column[:, rows] for column in columns))
