"""Judge one parameter: compare its elements, sum them up, and show the element that decided."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.noise import scaled_norm
from gradcheck_cli.numeric.pairs import take_pairs
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import SWEEP, step_size
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.records import Finding, ParameterResult, SweepPoint, Verdict, WorstElement
from gradcheck_cli.verdict.appeal import Appeal
from gradcheck_cli.verdict.compare import Basis, compare, prepare
from gradcheck_cli.verdict.evidence import Evidence, gather
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.gradient import Gradient
from gradcheck_cli.verdict.outcome import CONVICTED, Outcome, Status, plain_rel_err
from gradcheck_cli.verdict.screen import figures
from gradcheck_cli.verdict.summary import Elements, summarise
from gradcheck_cli.verdict.zeros import rounding_of

if TYPE_CHECKING:
    from gradcheck_cli.verdict.joint_kinks import Kinked
    from gradcheck_cli.verdict.ties import Suspect


class JudgedParameter(NamedTuple):
    """The result of a parameter, with what was measured, its elements at kinks, and those to be looked at again."""

    result: ParameterResult
    evidence: Evidence | None = None
    kinked: Kinked | None = None
    suspect: Suspect | None = None


def judge_parameter(
    point: Point,
    u: Array,
    gradient: Gradient,
    knobs: Knobs,
    elements: Array,
    rng: np.random.Generator,
    stopped: Callable[[ParameterResult], None] | None = None,
) -> JudgedParameter:
    """Judge the gradient of the parameter that moves at `point`, at `elements`; see `prepare` for the arguments.

    When an exception stops it, `stopped` hears what was finished, if anything was.
    """
    shape = point.values[point.name].shape
    if elements.size == 0:
        finding = Finding("nothing-checked", f"{point.name} has no elements")
        return JudgedParameter(ParameterResult(point.name, shape, 0, 0, Verdict.INCONCLUSIVE, findings=(finding,)))
    basis = prepare(point, u, gradient, knobs, rng)
    appeal = Appeal(basis, gradient, point)
    # What `accuracy` forgives depends on the largest gradient, so that nothing is decided before the end.
    finished = Finished(knobs.accuracy is not None, appeal.excused)
    try:
        compare(point, basis, gradient, knobs.rtol, elements, rng, finished)
    except BaseException as error:
        if isinstance(error, MemoryError):  # what it ran out for is let go, so that the rest has room
            traceback.clear_frames(error.__traceback__)
        if stopped is not None and finished.elements.size:
            stopped(_partial(point, u, basis, knobs, finished))
        raise
    rounding, size = rounding_of(basis, point.base), scaled_norm(u * point.base)
    beside = rounding or _rounding_beside(point, basis)
    seen = Elements(finished.outcomes, point.label, rounding, size, knobs, finished.passes, beside)
    notes = precision_notes(point, basis)
    summary = summarise(seen, notes)
    if summary.verdict is not Verdict.PASS:
        seen = appeal.vanished(seen)
        summary = summarise(seen, notes)
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
        WorstElement(point.index(shown.element), shown.analytic, shown.numeric, shown.bar),
        sweep_of(point, shown, basis) if asked else (),
        summary.findings,
    )
    evidence = gather(point.name, shape, finished)
    at_kinks = [outcome for outcome in seen.outcomes if outcome.status is Status.KINK]
    if not at_kinks and summary.verdict is not Verdict.FAIL:
        return JudgedParameter(result, evidence)
    noise = float(basis.noise.of(u, np.abs(point.base), np.ones(point.base.shape, dtype=bool)))
    suspect = _suspect(finished, evidence, basis.cotangents[0].gradient, noise)
    if not at_kinks:
        return JudgedParameter(result, evidence, suspect=suspect)
    from gradcheck_cli.verdict.joint_kinks import Kinked  # here, since most parameters have none

    kinks = np.array(sorted({outcome.element for outcome in at_kinks}))
    step = min(outcome.kink_within or np.inf for outcome in at_kinks)
    kinked = Kinked(point, kinks, basis.cotangents[0].gradient[kinks], step, noise)
    return JudgedParameter(result, evidence, kinked, suspect)


def _suspect(finished: Finished, evidence: Evidence, gradient: Array, noise: float) -> Suspect:
    """Return the elements that were called wrong, or sit at kinks, and what differences show of all of them."""
    from gradcheck_cli.verdict.ties import Suspect  # here, since most parameters are right

    marked = [outcome for outcome in finished.outcomes if outcome.status in (*CONVICTED, Status.KINK)]
    numeric = gradient.copy()
    numeric[evidence.elements] = evidence.numeric
    elements = np.array(sorted({outcome.element for outcome in marked}), dtype=int)
    return Suspect(elements, numeric, any(outcome.status is not Status.FAIL for outcome in marked), noise)


def _partial(point: Point, u: Array, basis: Basis, knobs: Knobs, finished: Finished) -> ParameterResult:
    """Return the result of a parameter that was stopped: what is wrong stays wrong, the rest was skipped."""
    rounding, size = rounding_of(basis, point.base), scaled_norm(u * point.base)
    seen = Elements(finished.outcomes, point.label, rounding, size, knobs, finished.passes)
    summary = summarise(seen, ())
    shown = summary.shown
    # What `accuracy` forgives depends on the largest gradient, which may be still to come.
    wrong = summary.verdict is Verdict.FAIL and knobs.accuracy is None
    return ParameterResult(
        point.name,
        point.values[point.name].shape,
        point.x.size,
        finished.elements.size,
        Verdict.FAIL if wrong else Verdict.SKIP,
        summary.max_rel_err,
        summary.resolution,
        WorstElement(point.index(shown.element), shown.analytic, shown.numeric, shown.bar),
        findings=summary.findings if wrong else (),
    )


def _rounding_beside(point: Point, basis: Basis) -> float:
    """Return the rounding of the value a scale away, by which to tell a wide bar where the value has none.

    0 where it isn't finite: such a value is out of all proportion, and tells nothing of the point.
    """
    rounding = rounding_of(basis, point.together(point.scales[None])[0])
    return rounding if np.isfinite(rounding) else 0.0


def precision_notes(point: Point, basis: Basis) -> list[Finding]:
    """Say that outputs were computed in single precision, unless their dtype says so."""
    if basis.noise.epsilon is point.outputs.epsilon:  # the survey saw nothing else
        return []
    single = float(np.finfo(np.float32).eps)
    if (point.outputs.epsilon >= single).any() or not (basis.noise.epsilon >= single).any():
        return []
    return [Finding("float32-inside", "outputs hold single precision values only: judged by float32's rounding")]


def sweep_of(point: Point, shown: Outcome, basis: Basis) -> tuple[SweepPoint, ...]:
    """Evaluate one element at the steps that a report shows, without the error bar that decides."""
    u = basis.cotangents[shown.cotangent].u
    elements = np.full(len(SWEEP), shown.element)
    steps = np.array([step_size(point.scales[shown.element], eps) for eps in SWEEP])
    pairs = take_pairs(point, elements, steps, Weights([u], basis.noise))
    # A step may be lost in the spacing of the element's dtype.
    kept = np.flatnonzero((pairs.above != 0) & (pairs.below != 0))
    central = figures(pairs).central[0]
    return tuple(SweepPoint(SWEEP[k], plain_rel_err(shown.analytic, float(central[k]))) for k in kept)
