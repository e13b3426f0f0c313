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
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.records import Finding, ParameterResult, Verdict, WorstElement
from gradcheck_cli.verdict.compare import Basis, compare, prepare
from gradcheck_cli.verdict.cotangents import signed_cotangent
from gradcheck_cli.verdict.evidence import Evidence
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.outcome import Cotangent, GradientOf, Outcome, Status
from gradcheck_cli.verdict.parameter import JudgedParameter, precision_notes, sweep_of
from gradcheck_cli.verdict.passes import Passes
from gradcheck_cli.verdict.screen import figures, screen_elements
from gradcheck_cli.verdict.summary import Elements, Summary, summarise
from gradcheck_cli.verdict.zeros import rounding_of

_CLEAR = 0.2
"""An order of the Taylor remainder is told that is so close to 1."""

_LOOKED_AT, _SEVERAL = 32, 2
"""Elements that are looked at where a direction fails, and how many wrong ones of them are no exception."""

_TRUNCATED = 1e-6
"""The share of a difference quotient that may be truncation."""


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
) -> JudgedParameter:
    """Judge the gradient along so many random signed directions as the knob says, by the rule for single elements.

    They go across all elements, or only across those for which the mask `others` is true. A direction that fails is
    halved down to the element that fails it; where that isn't the only one, some elements are evidence.
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
        return JudgedParameter(result)
    found = _blame(result, point, basis, gradient_of, knobs, sights[summary.shown.element], summary.shown, rng)
    evidence = _evidence(point, basis, rng) if others is None else None
    if evidence is None:
        return JudgedParameter(found)
    findings = tuple(finding for finding in found.findings if finding.name != "some-elements")
    return JudgedParameter(replace(found, findings=findings), evidence)


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
    remainder = _taylor_remainder(sight, shown)
    if worst.status < Status.INVALID_AT_KINK:
        message = f"{remainder}no single element shows the difference, the nearest is {point.label(element)}"
        return replace(result, findings=(*result.findings, Finding("unexplained", message)))
    message = f"{remainder}{point.label(element)} is wrong, at least"
    return replace(
        result,
        checked=1,
        worst=WorstElement(point.index(element), worst.analytic, worst.numeric, worst.bar),
        sweep=sweep_of(point, worst, basis),
        max_rel_err=worst.rel_err(knobs.rtol),
        findings=(*result.findings, Finding("some-elements", message)),
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


def _taylor_remainder(sight: _Sight, shown: Outcome) -> str:
    """Say which order |phi(t) - phi(0) - t * slope| has between two steps; nothing where that isn't clearly 1.

    It is 2 for a right gradient. Far from the point the function may do anything.
    """
    u = sight.cotangents[shown.cotangent].u
    remainders = [abs(float(u @ sight.line.moved(0, t)[1]) - t * shown.analytic) for t in (1e-2, 1e-3)]
    order = float(np.log10(remainders[0] / remainders[1])) if all(remainders) else np.nan
    clear = abs(order - 1) < _CLEAR
    return f"the Taylor remainder along the direction has order {order:.1f} (2 is right); " if clear else ""


def _evidence(point: Point, basis: Basis, rng: np.random.Generator) -> Evidence | None:
    """Return what two evaluations of some random elements show, if several of them are wrong."""
    elements = np.sort(rng.choice(point.x.size, min(point.x.size, _LOOKED_AT), replace=False))
    first = basis.cotangents[0]
    pairs = take_pairs(point, elements, basis.steps[elements], Weights([first.u], basis.noise))
    seen, analytic = figures(pairs), first.gradient[elements]
    bar = SAFETY * seen.noise[0] + _TRUNCATED * np.abs(seen.central[0])
    known = np.isfinite(seen.central[0]) & ~seen.kinked[0]
    wrong = known & (np.abs(analytic - seen.central[0]) > bar)
    if wrong.sum() < _SEVERAL:
        return None
    shape, columns = point.values[point.name].shape, (elements, analytic, seen.central[0], bar)
    return Evidence(point.name, shape, *(column[known] for column in columns))


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
