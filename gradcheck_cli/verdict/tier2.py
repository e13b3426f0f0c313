"""Tier 2: elements that two evaluations don't acquit; most are settled together, the odd ones examined one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.ladder import ENOUGH
from gradcheck_cli.numeric.ladders import Ladders, take_ladders, take_steps
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

    `steps`, shape (n,), are tier 1's; see `examine` for the rest.
    """
    step_of = dict(zip(elements.tolist(), steps.tolist(), strict=True))
    weights = Weights([cotangent.u for cotangent in cotangents], noise)
    for ladders in take_ladders(point, elements, weights):
        analytic = np.array([cotangent.gradient[ladders.elements] for cotangent in cotangents])
        scales = np.maximum(np.abs(point.x[ladders.elements]), point.typical)
        settled = settle(ladders, analytic, scales, rtol)
        passed = settled.passed | _still(point, ladders, settled, analytic, weights, rtol)
        plain = np.flatnonzero(passed)
        columns = (column[:, plain] for column in (analytic, settled.numeric, settled.bar, settled.truncated))
        finished.add(Passes.of(ladders.elements[plain], *columns))
        for number in np.flatnonzero(~passed):
            ladder = ladders.ladder(point, int(number))
            outcomes = examine(ladder, cotangents, noise, step_of[ladder.element], rtol, gradient_of)
            finished.add(Passes.none(), outcomes)


def _still(point: Point, ladders: Ladders, settled: Settled, analytic: Array, weights: Weights, rtol: float) -> Array:
    """Tell which elements move nothing up to steps of their own scale, their gradient being zero."""
    passed = np.zeros(len(ladders.elements), dtype=bool)
    still = np.flatnonzero(~settled.passed & ~ladders.stirred & ~analytic.any(axis=0))
    if still.size and len(ladders.h) >= ENOUGH:
        elements = ladders.elements[still]
        beyond = take_steps(point, elements, steps_beyond(point.x[elements], point.typical), weights)
        passed[still] = settle_still(beyond, settled.only(still), rtol)
    return passed
