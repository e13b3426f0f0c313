"""Judge one parameter: survey, screen every element, examine the suspicious ones, sum up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.ladder import take_pair
from gradcheck_cli.numeric.noise import Noise, scaled_norm
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.numeric.steps import SWEEP, default_eps, step_size
from gradcheck_cli.numeric.survey import survey
from gradcheck_cli.records import Finding, ParameterResult, SweepPoint, Verdict, WorstElement
from gradcheck_cli.verdict.cotangents import balanced, signed_weights
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.joint_kinks import Kinked
from gradcheck_cli.verdict.outcome import Cotangent, Outcome, Status, rel_err
from gradcheck_cli.verdict.screen import WIDER, acquitted, confirms, figures, screen
from gradcheck_cli.verdict.summary import Elements, summarise

_PROBE = 0.125
"""Elements without any effect are probed once more, together, by this share of their scale."""

GradientOf = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The outcomes of all elements under all cotangents, with the noise that they were judged by."""

    cotangents: list[Cotangent]
    outcomes: list[Outcome]
    noise: Noise

    def rounding(self, point: Point) -> float:
        """Return the rounding of the value over the parameter's magnitude: below it a gradient may be zero."""
        u = self.cotangents[0].u
        return scaled_norm(self.noise.epsilon * u * point.base) / point.typical

    @property
    def notes(self) -> list[Finding]:
        """What is worth knowing about the outputs as a whole."""
        single = self.noise.epsilon >= np.finfo(np.float32).eps
        if not single.any() or self.declared_single:
            return []
        message = "outputs hold single precision values only: judged by float32's rounding"
        return [Finding("float32-inside", message)]

    declared_single: bool = False


def compare(
    point: Point, weights: Array, gradient_of: GradientOf, knobs: Knobs, elements: Array, rng: np.random.Generator
) -> Comparison:
    """Compare the analytic gradient with differences at `elements`.

    `weights` is the first cotangent, `gradient_of` runs the backward with weights of the outputs and
    returns the parameter's gradient as a vector.
    """
    eps = knobs.eps or default_eps(point.values[point.name].dtype)
    steps = np.array([step_size(scale, eps) for scale in point.scales])
    noise, sensitivity = survey(point, steps, rng)
    cotangents = [Cotangent(weights, gradient_of(weights))]
    if weights.size > 1:
        even = balanced(signed_weights(weights.size, rng), sensitivity)
        second = gradient_of(even)
        if np.isfinite(second).all():
            cotangents.append(Cotangent(even, second))
    outcomes: list[Outcome] = []
    silent, suspicious = [], []
    for element in elements:
        seen = _screened(point, int(element), cotangents, noise, steps[element], knobs.rtol)
        if seen is None:
            suspicious.append(int(element))
        elif not seen:
            silent.append(int(element))
        else:
            outcomes += seen
    loud = _loud(point, np.array(silent, dtype=int), rng)
    outcomes += [
        _silent(point, e, number, c, noise) for e in silent if e not in loud for number, c in enumerate(cotangents)
    ]
    for element in sorted([*suspicious, *loud]):
        outcomes += examine(point, element, cotangents, noise, steps[element], knobs.rtol, gradient_of)
    declared = bool((point.outputs.epsilon >= np.finfo(np.float32).eps).any())
    return Comparison(cotangents, outcomes, noise, declared)


def _screened(
    point: Point, element: int, cotangents: Sequence[Cotangent], noise: Noise, step: float, rtol: float
) -> list[Outcome] | None:
    """Screen one element; return its outcomes, an empty list if nothing moved at all, None if it is suspicious."""
    pair = take_pair(point, element, step)
    if not (pair.plus.any() or pair.minus.any() or any(c.gradient[element] for c in cotangents)):
        return []
    wider = None
    passed = []
    for number, cotangent in enumerate(cotangents):
        analytic = float(cotangent.gradient[element])
        seen = figures(pair, cotangent.u, point.base, noise)
        answer = screen(seen, analytic, rtol)
        if answer == "suspicious":
            return None
        if answer == "noisy":
            wider = wider or take_pair(point, element, WIDER * step)
            broad = figures(wider, cotangent.u, point.base, noise)
            if not confirms(broad, seen, analytic, rtol):
                return None
            seen = broad
        passed.append(acquitted(element, number, cotangent, seen))
    return passed


def _loud(point: Point, elements: Array, rng: np.random.Generator) -> set[int]:
    """Return which of the elements without effect have one after all: a joint probe, halved where something moves."""
    signs = rng.choice([-1.0, 1.0], point.x.size)
    stack, loud = [elements] if elements.size else [], set()
    while stack:
        group = stack.pop()
        change = point.moved(group, signs[group] * _PROBE * point.scales[group])[1]
        if not change.any():
            continue
        if group.size == 1:
            loud.add(int(group[0]))
        else:
            stack += [group[: group.size // 2], group[group.size // 2 :]]
    return loud


def _silent(point: Point, element: int, number: int, cotangent: Cotangent, noise: Noise) -> Outcome:
    """Return the pass of an element with no effect: both sides are zero, up to the rounding of the outputs."""
    everything = np.ones(point.base.shape, dtype=bool)
    bar = noise.of(cotangent.u, np.abs(point.base), everything) / (_PROBE * point.scales[element])
    return Outcome(element, number, Status.PASS, 0.0, 0.0, float(bar))


def judge_parameter(
    point: Point, weights: Array, gradient_of: GradientOf, knobs: Knobs, elements: Array, rng: np.random.Generator
) -> tuple[ParameterResult, Kinked | None]:
    """Judge the gradient of the parameter that moves at `point`; see `compare` for the arguments.

    Returns the result, and the elements that sit at kinks if there are any.
    """
    shape = point.values[point.name].shape
    if elements.size == 0:
        finding = Finding("nothing-checked", f"{point.name} has no elements")
        return ParameterResult(point.name, shape, 0, 0, Verdict.INCONCLUSIVE, findings=(finding,)), None
    comparison = compare(point, weights, gradient_of, knobs, elements, rng)

    def label(element: int) -> str:
        return element_label(point.name, shape, element)

    seen = Elements(comparison.outcomes, label, comparison.rounding(point), scaled_norm(weights * point.base), knobs)
    summary = summarise(seen, comparison.notes)
    shown = summary.shown
    asked = knobs.sweep or summary.verdict is not Verdict.PASS
    result = ParameterResult(
        point.name,
        shape,
        point.x.size,
        len(elements),
        summary.verdict,
        summary.max_rel_err,
        summary.resolution,
        WorstElement(element_index(shape, shown.element), shown.analytic, shown.numeric, shown.bar),
        sweep_of(point, shown, comparison, knobs.rtol) if asked else (),
        summary.findings,
    )
    kinks = np.array(sorted({o.element for o in comparison.outcomes if o.status is Status.KINK}), dtype=int)
    return result, Kinked(point, kinks, comparison.cotangents[0].gradient[kinks]) if kinks.size else None


def sweep_of(point: Point, shown: Outcome, comparison: Comparison, rtol: float) -> tuple[SweepPoint, ...]:
    """Evaluate one element at the steps that a report shows."""
    u = comparison.cotangents[shown.cotangent].u
    points = []
    for eps in SWEEP:
        pair = take_pair(point, shown.element, step_size(point.scales[shown.element], eps))
        if not (pair.above and pair.below):  # lost in the spacing of the element's dtype
            continue
        seen = figures(pair, u, point.base, comparison.noise)
        points.append(SweepPoint(eps, rel_err(shown.analytic, seen.central, SAFETY * seen.noise, rtol)))
    return tuple(points)


def element_index(shape: tuple[int, ...], element: int) -> tuple[int, ...]:
    """Return the index of an element counted in C order."""
    return tuple(int(i) for i in np.unravel_index(element, shape))


def element_label(name: str, shape: tuple[int, ...], element: int) -> str:
    """Name an element as NumPy does: x[0,4]; a scalar is x."""
    index = element_index(shape, element)
    return f"{name}[{','.join(map(str, index))}]" if index else name
