"""Tier 2: elements that two evaluations don't acquit; most are settled together, the odd ones examined one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.numeric.ladder import ENOUGH
from gradcheck_cli.numeric.ladders import Ladders, take_ladders, take_steps
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import steps_beyond
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Cotangent, GradientOf
from gradcheck_cli.verdict.passes import Passes
from gradcheck_cli.verdict.screen import Screened
from gradcheck_cli.verdict.settle import Settled, settle, settle_still

_FIRST = 64
"""Elements that are looked at first where there are many: the worst, which may decide."""


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
    """What the elements of a parameter are examined with."""

    point: Point
    cotangents: Sequence[Cotangent]
    noise: Noise
    rtol: float
    gradient_of: GradientOf
    finished: Finished

    def analytic(self, elements: Array) -> Array:
        """Return the analytic gradient of `elements`, shape (cotangents, n)."""
        return np.array([cotangent.gradient[elements] for cotangent in self.cotangents])

    def examine(self, elements: Array, steps: Array) -> None:
        """Settle what is plain by ladders, and examine the others one by one until enough are wrong."""
        step_of = dict(zip(elements.tolist(), steps.tolist(), strict=True))
        weights = Weights([cotangent.u for cotangent in self.cotangents], self.noise)
        for ladders in take_ladders(self.point, elements, weights):
            analytic = self.analytic(ladders.elements)
            settled, left = self._settle(ladders, analytic, weights)
            for number in _worst_first(left, analytic, settled.numeric):
                if self.finished.decided:
                    break
                left = left[left != number]
                ladder = ladders.ladder(self.point, int(number))
                step = step_of[ladder.element]
                outcomes = examine(ladder, self.cotangents, self.noise, step, self.rtol, self.gradient_of)
                self.finished.add(Passes.none(), outcomes)
            self.finished.leave(_passes(ladders.elements, left, analytic, settled))

    def _settle(self, ladders: Ladders, analytic: Array, weights: Weights) -> tuple[Settled, Array]:
        """Add what passes plainly to what is finished; return the figures of all, and the rows that are left."""
        point, elements = self.point, ladders.elements
        scales = np.maximum(np.abs(point.x[elements]), point.typical)
        settled = settle(ladders, analytic, scales, self.rtol)
        self.finished.add(_passes(elements, np.flatnonzero(settled.passed), analytic, settled))
        left = ~settled.passed
        still = np.flatnonzero(left & ~ladders.stirred & ~analytic.any(axis=0))
        if still.size and len(ladders.h) >= ENOUGH:
            chosen = elements[still]
            beyond = take_steps(point, chosen, steps_beyond(point.x[chosen], point.typical), weights)
            silent = settle_still(ladders, still, beyond, settled, self.rtol)
            self.finished.add(_passes(chosen, np.flatnonzero(silent.passed), analytic[:, still], silent))
            left[still] = ~silent.passed
        return settled, np.flatnonzero(left)


def _worst_first(rows: Array, analytic: Array, numeric: Array) -> Array:
    """Order rows by the relative difference of the two gradients, the largest first; by the difference if alike."""
    a, n = analytic[:, rows], numeric[:, rows]
    difference, size = np.abs(a - n), np.abs(a) + np.abs(n)
    relative = np.nan_to_num(np.max(difference / np.where(size > 0, size, 1.0), axis=0), nan=2.0)
    return rows[np.lexsort((-np.max(difference, axis=0), -np.round(relative, 3)))]


def _passes(elements: Array, rows: Array, analytic: Array, settled: Settled) -> Passes:
    """Return the figures of some rows."""
    columns = (analytic, settled.numeric, settled.bar, settled.truncated, settled.kink_within)
    return Passes.of(elements[rows], *(column[:, rows] for column in columns))
