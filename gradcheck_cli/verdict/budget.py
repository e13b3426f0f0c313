"""What a check costs, and which elements are left out where all would cost more than was allowed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.numeric.steps import default_eps, step_sizes
from gradcheck_cli.numeric.weights import WeightedChunk, Weights
from gradcheck_cli.records import ParameterResult, Verdict
from gradcheck_cli.verdict.screen import WIDER

DIRECTIONS = 2
"""Random directions across the elements that are left out."""

_TRIED = 4096
"""Elements that are moved to see how long that takes, at most."""

_FEW = 32
"""Elements that tell it where time doesn't matter."""

_TRIAL = 0.25
"""Seconds after which enough was seen."""

_WHOLE = 1.5
"""A check takes so many times as long as the first two evaluations of its elements, about."""

_AGAIN = 2.0
"""Times the cost of two evaluations where noise asks for a wider pair, too..."""

_LADDER = 11.0
"""...and where even that won't do: then about ten pairs more tell."""

_FEWEST = 10
"""Elements of a parameter that are checked whatever they cost."""

SURVEY = 20
"""Evaluations that a parameter takes beside those of its elements, at least."""

_LONG = 10.0
"""Seconds from which it is worth measuring how long a check will take."""


class Cost(NamedTuple):
    """A parameter with so many `elements` to check, `seconds` each."""

    name: str
    elements: int
    seconds: float

    @property
    def total(self) -> float:
        """Seconds for all of them."""
        return self.elements * self.seconds


class Estimate(NamedTuple):
    """How many evaluations a check takes, and how long; `costs` by parameter where that may be too long."""

    evaluations: int
    seconds: float
    costs: tuple[Cost, ...] = ()


def estimate_costs(
    counts: Mapping[str, int], seconds: float, budget: float, measure: Callable[[str, float], float]
) -> Estimate:
    """Estimate the check of so many elements of each parameter, where one evaluation alone takes `seconds`.

    One evaluation says little of many at once: where it makes the check look long, `measure` is given a parameter
    and how many seconds an element may take to need no closer look. The first parameter of `counts` should be the most
    expensive: if all fits into the budget at its price, no other one is measured.
    """
    evaluations = sum(2 * count + SURVEY for count in counts.values())
    if evaluations * seconds <= min(budget, _LONG):
        return Estimate(evaluations, evaluations * seconds)
    elements = max(1, sum(counts.values()))
    plenty = min(budget, _LONG) / (4 * elements)
    costs: list[Cost] = []
    for name, count in counts.items():
        if count:
            costs.append(Cost(name, count, measure(name, plenty)))
        if len(costs) == 1 and costs[0].seconds * elements <= min(budget, _LONG):
            return Estimate(evaluations, costs[0].seconds * elements)
    return Estimate(evaluations, sum(cost.total for cost in costs), tuple(costs))


def choose_elements(size: int, sample: int | None, rng: np.random.Generator) -> Array:
    """Return the elements to check, counted in C order: all, or `sample` random ones in order."""
    if sample is None or sample >= size:
        return np.arange(size)
    return np.sort(rng.choice(size, sample, replace=False))


def seconds_per_element(point: Point, u: Array, rtol: float, plenty: float = 0.0) -> float:
    """Return how long the check of one element under the cotangent `u` takes, about, by moving some of them.

    A few only, where these take no more than `plenty` each: many at once don't take longer.
    """
    seconds = _timed(point, u, rtol, _FEW) if plenty else math.inf
    return seconds if seconds <= plenty else _timed(point, u, rtol, _TRIED)


def _timed(point: Point, u: Array, rtol: float, most: int) -> float:
    weights = Weights([u], Noise(point.outputs.epsilon, np.zeros_like(point.base), np.abs(point.base)))
    elements = np.linspace(0, point.x.size - 1, min(point.x.size, most)).astype(int)
    steps = step_sizes(point.scales[elements], default_eps(point.values[point.name].dtype))
    started = before = time.perf_counter()
    seconds, closer_looks = 0.0, 0.0
    for chunk in point.one_by_one(elements, np.array([steps, -steps]))[1]:
        closer_looks += float(_closer_looks(weights.of(chunk.changes, chunk.positions), rtol).sum())
        now = time.perf_counter()
        # The last chunk counts: the first one is small, and pays for what is worked out once.
        seconds, before = (now - before) / (chunk.stop - chunk.start), now
        if now - started > _TRIAL:
            break
    return _WHOLE * seconds * closer_looks / chunk.stop


def _closer_looks(weighted: WeightedChunk, rtol: float) -> Array:
    """Return how much more than its first pair each element takes, since rounding blurs that."""
    rise, fall = weighted.contracted()[0]
    noise = weighted.noise(np.abs(weighted.base)[:, None])[0, 0]
    blur, seen = SAFETY * noise, rtol * np.abs(rise - fall)
    return np.where(blur <= seen, 1.0, np.where(blur <= WIDER * seen, _AGAIN, _LADDER))


def share_out(costs: Sequence[Cost], budget: float, settled: Collection[str] = ()) -> dict[str, int]:
    """Return how many elements to check of the parameters that can't be checked whole within `budget` seconds.

    Each parameter gets the same time, and what a small one doesn't need goes to the others. Of those that are
    `settled` a person chose how many.
    """
    left = budget - sum(cost.total for cost in costs if cost.name in settled)
    open_ones = sorted((cost for cost in costs if cost.name not in settled), key=lambda cost: cost.total)
    counts = {}
    for number, cost in enumerate(open_ones):
        part = max(0.0, left) / (len(open_ones) - number)
        if cost.total > part:
            count = max(_FEWEST, _round_down(part / cost.seconds))
            if count < cost.elements:
                counts[cost.name] = count
        left -= min(cost.total, part)
    return counts


def _round_down(number: float) -> int:
    """Return a whole number with one digit that isn't 0, for a person to read."""
    if number < 1:
        return 0
    unit = int(10 ** int(math.log10(number)))
    return int(number // unit) * unit


def beside(elements: ParameterResult, directions: ParameterResult) -> ParameterResult:
    """Join what sampled elements and directions across the others say: both must pass."""
    worse = max(elements, directions, key=lambda result: list(Verdict).index(result.verdict))
    said = directions.findings if directions.verdict is not Verdict.PASS else ()
    return replace(
        worse,
        checked=elements.checked + directions.checked,
        max_rel_err=_larger(elements.max_rel_err, directions.max_rel_err),
        resolution=_larger(elements.resolution, directions.resolution),
        findings=(*elements.findings, *said),
        directions=directions.directions,
        element_resolution=directions.element_resolution,
        planned=True,
    )


def _larger(first: float | None, second: float | None) -> float | None:
    return max((number for number in (first, second) if number is not None), default=None)


def plan_text(costs: Collection[Cost], counts: dict[str, int], budget: float, seed: int) -> str:
    """Say what will be checked in place of everything, and how to check everything."""
    chosen = [f"{counts[c.name]:,} of {c.elements:,} elements of {c.name}" for c in costs if c.name in counts]
    whole = time_text(sum(cost.total for cost in costs))
    return (
        f"{', '.join(chosen)}, seed {seed}, and {DIRECTIONS} random directions across the others: "
        f"all would take about {whole}, more than the budget of {budget:g} s (budget none checks all)"
    )


def time_text(seconds: float) -> str:
    """Write a time for a person: `40 s`, `12 min`, `3 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"
