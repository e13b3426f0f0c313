"""Check a parameter along a few random directions, where a check of every element costs too much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.noise import scaled_norm
from gradcheck_cli.numeric.pairs import take_pairs
from gradcheck_cli.numeric.point import Line, Point
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.records import Finding, ParameterResult, Verdict, WorstElement
from gradcheck_cli.verdict.compare import Basis, compare, prepare
from gradcheck_cli.verdict.cotangents import signed_cotangent
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.outcome import Cotangent, GradientOf, Outcome, Status
from gradcheck_cli.verdict.parameter import precision_notes, sweep_of
from gradcheck_cli.verdict.passes import Passes
from gradcheck_cli.verdict.screen import figures, screen_elements
from gradcheck_cli.verdict.summary import Elements, Summary, summarise
from gradcheck_cli.verdict.zeros import rounding_of


@dataclass(frozen=True, eq=False)
class _Sight:
    """One direction: the line, the direction itself, and its outcomes."""

    line: Line
    direction: Array
    cotangents: list[Cotangent]
    outcomes: list[Outcome]


def judge_directions(
    point: Point,
    u: Array,
    gradient_of: GradientOf,
    knobs: Knobs,
    rng: np.random.Generator,
    others: Array | None = None,
) -> ParameterResult:
    """Judge the gradient along so many random signed directions as the knob says, by the rule for single elements.

    They go across all elements, or only across those for which the mask `others` is true. A direction that fails is
    halved down to the element that fails it.
    """
    count = knobs.directions or 1
    basis = prepare(point, u, gradient_of, knobs, rng)
    sights = [_look(point, basis, gradient_of, knobs, rng, others) for _ in range(count)]
    outcomes = [o._replace(element=number) for number, sight in enumerate(sights) for o in sight.outcomes]

    def label(number: int) -> str:
        return f"{point.name} along direction {number + 1}"

    size = scaled_norm(u * point.base)
    summary = summarise(
        Elements(outcomes, label, rounding_of(basis, point.base), size, knobs),
        precision_notes(point, basis),
    )
    result = ParameterResult(
        point.name,
        point.values[point.name].shape,
        point.x.size,
        0,
        summary.verdict,
        summary.max_rel_err,
        summary.resolution,
        WorstElement((), summary.shown.analytic, summary.shown.numeric, summary.shown.bar),
        findings=summary.findings,
        directions=count,
        element_resolution=_element_resolution(summary, basis, sights),
    )
    if summary.verdict is not Verdict.FAIL:
        return result
    return _blame(result, point, basis, gradient_of, knobs, sights[summary.shown.element], summary.shown, rng)


def _look(
    point: Point,
    basis: Basis,
    gradient_of: GradientOf,
    knobs: Knobs,
    rng: np.random.Generator,
    others: Array | None,
) -> _Sight:
    """Compare along one direction, signed and scaled per element."""
    direction = signed_cotangent(point.x.size, rng) * point.scales
    if others is not None:
        direction = np.where(others, direction, 0.0)
    line = Line(point, direction)
    cotangents = _along(basis.cotangents, direction)

    def slope_of(u: Array) -> Array:
        return np.array([gradient_of(u) @ direction])

    step = float(np.median(basis.steps / point.scales))
    weights = Weights([c.u for c in cotangents], basis.noise)
    analytic = np.array([c.gradient for c in cotangents])
    first = np.zeros(1, dtype=int)
    seen = screen_elements(line, first, weights, np.array([step]), analytic, knobs.rtol)
    if seen.passed.all():
        passes = Passes.of(first, analytic, seen.numeric, seen.bar)
        outcomes = [passes.outcome(row) for row in range(len(passes))]
    else:
        outcomes = examine(Ladder(line, 0), cotangents, basis.noise, step, knobs.rtol, slope_of)
    return _Sight(line, direction, cotangents, outcomes)


def _along(cotangents: Sequence[Cotangent], direction: Array) -> list[Cotangent]:
    return [Cotangent(c.u, np.array([c.gradient @ direction])) for c in cotangents]


def _blame(
    result: ParameterResult,
    point: Point,
    basis: Basis,
    gradient_of: GradientOf,
    knobs: Knobs,
    sight: _Sight,
    shown: Outcome,
    rng: np.random.Generator,
) -> ParameterResult:
    """Find the element that makes a direction fail, and show it in place of the direction."""
    element = _halve(point, basis, sight.direction, shown)
    compared = compare(point, basis, gradient_of, knobs.rtol, np.array([element]), rng)
    passes = compared.passes
    alone = [*(passes.outcome(row) for row in range(len(passes))), *compared.outcomes]
    worst = max(alone, key=lambda outcome: (outcome.status, outcome.rel_err(knobs.rtol)))
    order = _taylor_order(sight, shown)
    message = f"the Taylor remainder along the direction has order {order:.1f} (2 is right)"
    if worst.status < Status.INVALID_AT_KINK:
        message += f"; no single element shows the difference, the nearest is {point.label(element)}"
        return replace(result, findings=(*result.findings, Finding("unexplained", message)))
    return replace(
        result,
        checked=1,
        worst=WorstElement(point.index(element), worst.analytic, worst.numeric, worst.bar),
        sweep=sweep_of(point, worst, basis),
        max_rel_err=worst.rel_err(knobs.rtol),
        findings=(*result.findings, Finding("some-elements", f"{point.label(element)} is wrong; {message}")),
    )


def _halve(point: Point, basis: Basis, direction: Array, shown: Outcome) -> int:
    """Return the element that holds the difference, following the half that shows most of it: two evaluations each."""
    cotangent = basis.cotangents[shown.cotangent]
    weights = Weights([cotangent.u], basis.noise)
    first, step = np.zeros(1, dtype=int), np.median(basis.steps / point.scales, keepdims=True)
    difference = shown.analytic - shown.numeric
    group = np.flatnonzero(direction)
    while group.size > 1:
        half = group[: group.size // 2]
        part = np.zeros_like(direction)
        part[half] = direction[half]
        seen = figures(take_pairs(Line(point, part), first, step, weights))
        found = float(cotangent.gradient @ part - seen.central[0, 0])
        if abs(found) >= 0.5 * abs(difference):
            group, difference = half, found
        else:
            group, difference = group[group.size // 2 :], difference - found
    return int(group[0])


def _taylor_order(sight: _Sight, shown: Outcome) -> float:
    """Return the order of |phi(t) - phi(0) - t * slope| between two steps: 2 for a right gradient."""
    u = sight.cotangents[shown.cotangent].u
    remainders = [abs(float(u @ sight.line.moved(0, t)[1]) - t * shown.analytic) for t in (1e-2, 1e-3)]
    return float(np.log10(remainders[0] / remainders[1])) if all(remainders) else float("nan")


def _element_resolution(summary: Summary, basis: Basis, sights: Sequence[_Sight]) -> float | None:
    """Return the relative error that a single element with the median gradient could hide in a direction."""
    if summary.resolution is None:
        return None
    hidden = []
    for sight in sights:
        across = sight.direction != 0
        median = float(np.median(np.abs(basis.cotangents[0].gradient[across] * sight.direction[across])))
        slope = abs(float(sight.cotangents[0].gradient[0]))
        hidden.append(summary.resolution * slope / median if median else float("inf"))
    return max(hidden)
