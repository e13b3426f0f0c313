"""Tier 2: elements that two evaluations don't acquit; most are settled together, the odd ones examined one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.ladder import ENOUGH
from gradcheck_cli.numeric.ladders import take_ladders, take_steps
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import steps_beyond
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.verdict.examine import GradientOf, examine
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Cotangent
from gradcheck_cli.verdict.passes import Passes
from gradcheck_cli.verdict.settle import Settled, settle, settle_still


def examine_elements(
    point: Point,
    elements: Array,
    cotangents: Sequence[Cotangent],
    noise: Noise,
    steps: Array,
    rtol: float,
    gradient_of: GradientOf,
    finished: Finished,
) -> None:
    """Add the plain passes among `elements`, shape (n,), and the outcomes of the others to `finished`.

    Once enough are wrong, those that are left are measured, and not examined one by one. `steps`, shape (n,), are
    tier 1's; see `examine` for the rest.
    """
    step_of = dict(zip(elements.tolist(), steps.tolist(), strict=True))
    weights = Weights([cotangent.u for cotangent in cotangents], noise)
    for ladders in take_ladders(point, elements, weights):
        analytic = np.array([cotangent.gradient[ladders.elements] for cotangent in cotangents])
        scales = np.maximum(np.abs(point.x[ladders.elements]), point.typical)
        settled = settle(ladders, analytic, scales, rtol)
        _add(finished, ladders.elements, analytic, settled)
        left = ~settled.passed
        still = np.flatnonzero(left & ~ladders.stirred & ~analytic.any(axis=0))
        if still.size and len(ladders.h) >= ENOUGH:
            chosen = ladders.elements[still]
            beyond = take_steps(point, chosen, steps_beyond(point.x[chosen], point.typical), weights)
            silent = settle_still(ladders, still, beyond, settled, rtol)
            _add(finished, chosen, analytic[:, still], silent)
            left[still] = ~silent.passed
        for number in _worst_first(np.flatnonzero(left), analytic, settled):
            if finished.decided:
                break
            left[number] = False
            ladder = ladders.ladder(point, int(number))
            outcomes = examine(ladder, cotangents, noise, step_of[ladder.element], rtol, gradient_of)
            finished.add(Passes.none(), outcomes)
        rest = np.flatnonzero(left)
        finished.leave(Passes.of(ladders.elements[rest], *(column[:, rest] for column in _figures(analytic, settled))))


def _worst_first(rows: Array, analytic: Array, settled: Settled) -> Array:
    """Order rows by the relative difference that their ladders show, the largest first; by the difference if alike."""
    a, n = analytic[:, rows], settled.numeric[:, rows]
    difference, size = np.abs(a - n), np.abs(a) + np.abs(n)
    relative = np.max(difference / np.where(size > 0, size, 1.0), axis=0)
    return rows[np.lexsort((-np.max(difference, axis=0), -np.round(relative, 3)))]


def _figures(analytic: Array, settled: Settled) -> tuple[Array, ...]:
    return analytic, settled.numeric, settled.bar, settled.truncated, settled.kink_within


def _add(finished: Finished, elements: Array, analytic: Array, settled: Settled) -> None:
    """Add the elements that passed."""
    rows = np.flatnonzero(settled.passed)
    finished.add(Passes.of(elements[rows], *(column[:, rows] for column in _figures(analytic, settled))))
