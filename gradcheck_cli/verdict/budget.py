"""What a check costs, and which elements are left out where all would cost more than was allowed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.records import ParameterResult, Verdict

DIRECTIONS = 2
"""Random directions across the elements that are left out."""

_TRIED = (1, 8, 64, 512, 4096)
"""Elements that are checked to see how long that takes: so many, and if that was quick, more."""

_TRIAL = 0.25
"""Seconds after which enough was seen."""

_CLEARLY = 2.0
"""Times as long as one element has to take what tells the price of many: the first one pays for what is made once."""

_WHOLE = 1.5
"""A check takes so many times as long as the first two evaluations of its elements, at least about."""

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
    counts: Mapping[str, int], seconds: float, budget: float, measure: Callable[[str, float, float], float]
) -> Estimate:
    """Estimate the check of so many elements of each parameter, where one evaluation alone takes `seconds`.

    One evaluation says little of many at once: where it makes the check look long, `measure` is given a parameter, how
    many seconds an element may take to need no closer look, and how many the measurement may take. The first parameter
    of `counts` should be the most expensive: if all fits into the budget at its price, no other one is measured.
    """
    evaluations = sum(2 * count + SURVEY for count in counts.values())
    if evaluations * seconds <= min(budget, _LONG):
        return Estimate(evaluations, evaluations * seconds)
    elements = max(1, sum(counts.values()))
    plenty = min(budget, _LONG) / (4 * elements)
    patience = min(_TRIAL, budget / (4 * len(counts)))
    costs: list[Cost] = []
    for name, count in counts.items():
        if count:
            costs.append(Cost(name, count, measure(name, plenty, patience)))
        if len(costs) == 1 and costs[0].seconds * elements <= min(budget, _LONG):
            return Estimate(evaluations, costs[0].seconds * elements)
    return Estimate(evaluations, sum(cost.total for cost in costs), tuple(costs))


def choose_elements(size: int, sample: int | None, rng: np.random.Generator) -> Array:
    """Return the elements to check, counted in C order: all, or `sample` random ones in order."""
    if sample is None or sample >= size:
        return np.arange(size)
    return np.sort(rng.choice(size, sample, replace=False))


class Trial(NamedTuple):
    """How many evaluations the check of some elements took, and whether these are right."""

    evaluations: int
    right: bool


def seconds_per_element(size: int, check: Callable[[Array], Trial], plenty: float, patience: float) -> float:
    """Return how long the check of one element of `size` takes, about: checks some of them, ever more.

    It ends where an element takes no more than `plenty`, and after `patience` seconds, which the first one may exceed.
    Of many that are wrong only some are looked at closely: then the price of two evaluations tells.
    """
    started = time.perf_counter()
    seconds = first = 0.0
    for many in _TRIED:
        elements = np.linspace(0, size - 1, min(size, many)).astype(int)
        before = time.perf_counter()
        trial = check(elements)
        took = time.perf_counter() - before
        if many == 1 or not trial.right:
            seconds = _WHOLE * 2 * took / max(1, trial.evaluations)
        elif took > _CLEARLY * first:  # what a parameter takes beside its elements is in both
            seconds = (took - first) / (elements.size - 1)
        else:
            seconds = took / elements.size
        first = first or took
        if time.perf_counter() - started > patience or many >= size or (many > 1 and seconds <= plenty):
            break
    return seconds


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
    # Where sampled elements are wrong, what is wrong is told by these.
    silent = directions.verdict is Verdict.PASS or elements.verdict is Verdict.FAIL
    said = () if silent else directions.findings
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
