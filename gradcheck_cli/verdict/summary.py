"""Sum a parameter up: from the outcomes of its elements to one verdict, its findings, and what it could have seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np

from gradcheck_cli.knobs import Knobs
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.records import Finding, Verdict
from gradcheck_cli.verdict.outcome import ZERO, Outcome, Status
from gradcheck_cli.verdict.passes import Passes

BLUNT = 1e-3
"""An error bar above this share of the largest gradient leaves a parameter undecided."""

_HIDDEN = 1e12
"""A bar of so many roundings hides nothing any more: it is a thousandth of the value over the parameter."""

_TOLD = 100.0
"""A gradient beyond so many bars isn't hidden by the size of the value, whatever else keeps it from being decided."""

_REMEDY = {
    "rounding-dominates": "rescale the value, or take a large constant part out of it",
    "truncation-dominates": "check at another point, where the function curves less",
    "left-domain": "move the point away from the edge of the domain",
}


class Summary(NamedTuple):
    """The verdict of a parameter, the outcome to show, and the relative error that could have been seen."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    shown: Outcome
    max_rel_err: float
    resolution: float | None


@dataclass(frozen=True, eq=False)
class Elements:
    """The outcomes of a parameter's elements under all cotangents, with what is needed to name and weigh them.

    `passes` are those that aren't among the `outcomes`. `rounding` is the value's rounding, `value_size` its magnitude.
    `rounding_beside` is what bars are wide by: the value's rounding, or, where the value is 0, that of one beside it.
    Gradients up to `vanishing` are zero but for roundings of the point.
    """

    outcomes: Sequence[Outcome]
    label: Callable[[int], str]
    rounding: float
    value_size: float
    knobs: Knobs
    passes: Passes = field(default_factory=Passes.none)
    rounding_beside: float = 0.0
    vanishing: float = 0.0

    def largest(self) -> dict[int, float]:
        """Return the largest gradient, of both sides, under every cotangent."""
        passes = self.passes
        found: dict[int, float] = {}
        if len(passes):
            for number in range(int(passes.cotangent.max()) + 1):
                mine = passes.size if passes.plain is passes else passes.size[passes.cotangent == number]
                if mine.size:
                    found[number] = float(mine.max())
        for outcome in self.outcomes:
            size = outcome.size if np.isfinite(outcome.size) else 0.0
            found[outcome.cotangent] = max(found.get(outcome.cotangent, 0.0), size)
        return found

    @property
    def vacuous(self) -> bool:
        """Whether both sides are zero everywhere, so that nothing was compared.

        The numeric side is zero within a bar that is small for such a value; the analytic one has no
        step to divide its rounding by, so a gradient that only a bar hides is no zero.
        """
        if any(o.status is Status.KINK for o in self.outcomes):
            return False
        hidden = max(_HIDDEN * (self.rounding_beside or self.rounding), self.vanishing)
        zero = max(ZERO * self.rounding, self.vanishing)
        passes = self.passes.plain
        analytic = np.abs(passes.analytic)
        if len(passes) and analytic.max() > zero:
            return False
        numeric, bar = np.abs(passes.numeric), passes.bar
        if not ((numeric <= bar) & (bar <= hidden) & (analytic <= zero)).all():
            return False
        first = [o for o in self.outcomes if o.cotangent == 0]
        return all(abs(o.numeric) <= o.bar <= hidden and abs(o.analytic) <= zero for o in first)


def summarise(elements: Elements, notes: Sequence[Finding] = ()) -> Summary:
    """Decide a parameter: fail, an invalid kink, what can't be decided, jumps, kinks, pass, in this order.

    `notes` are kept as they are.
    """
    largest, knobs, passes = elements.largest(), elements.knobs, elements.passes
    outcomes = [_forgiven(o, largest[o.cotangent], knobs) for o in elements.outcomes]
    by_status: dict[Status, list[Outcome]] = {status: [] for status in Status}
    for outcome in outcomes:
        by_status[outcome.status].append(outcome)
    vacuous = elements.vacuous
    verdict, findings = Verdict.PASS, []
    worst_pass = passes.plain.worst(knobs.rtol)
    chosen = [*([worst_pass] if worst_pass else []), *(o for o in outcomes if o.cotangent == 0)]
    if failed := by_status[Status.FAIL]:
        verdict, chosen = Verdict.FAIL, failed
    elif invalid := by_status[Status.INVALID_AT_KINK]:
        verdict, chosen, findings = Verdict.FAIL, invalid, [_say(elements, _worst(invalid, knobs))]
    elif unclear := by_status[Status.UNCLEAR] or ([] if vacuous else _blunt(elements, by_status[Status.PASS], largest)):
        verdict, chosen = Verdict.INCONCLUSIVE, unclear
        findings = [_say(elements, _worst(unclear, knobs))]
    elif jumps := by_status[Status.JUMP]:
        verdict, chosen, findings = Verdict.INCONCLUSIVE, jumps, [_say(elements, jumps[0])]
    elif vacuous:
        bar = max([*(o.bar for o in outcomes), float(np.max(passes.bar, initial=0.0))])
        message = f"both sides are zero within {bar:.0e}: a gradient that is zero by mistake looks the same"
        findings = [Finding("vacuous", message)]
    if kinks := by_status[Status.KINK]:
        findings.append(_say(elements, kinks[0]))
        if knobs.kinks == "fail" and verdict is Verdict.PASS:
            verdict, chosen = Verdict.FAIL, [o for o in kinks if o.cotangent == 0] or kinks
    if nearby := [*passes.beside_kinks(), *(o for o in by_status[Status.PASS] if o.kink_within)]:
        first = min(nearby, key=lambda o: (o.element, o.cotangent))
        message = f"{elements.label(first.element)}: a kink lies within {first.kink_within:.0e}; judged below it"
        findings.append(Finding("kink-nearby", message))
    smooth = [o.rel_err(knobs.rtol) for o in outcomes if o.status not in (Status.KINK, Status.JUMP)]
    error = max([*smooth, float(passes.rel_err(knobs.rtol).max()) if len(passes) else 0.0])
    resolution = None if vacuous else _resolution(elements, outcomes, largest.get(0, 0.0))
    return Summary(verdict, (*findings, *notes), _worst(chosen, knobs), error, resolution)


def _resolution(elements: Elements, outcomes: Sequence[Outcome], largest: float) -> float:
    """Return the relative error that could have been seen: twice the widest bar, in units of the largest gradient."""
    bars = [2 * o.bar / largest for o in outcomes if o.cotangent == 0 and largest]
    if largest and len(elements.passes.plain):
        bars.append(2 * float(elements.passes.plain.bar.max()) / largest)
    return max([2 * elements.knobs.rtol, elements.knobs.accuracy or 0.0, *bars])


def _blunt(elements: Elements, passed: Sequence[Outcome], largest: Mapping[int, float]) -> list[Outcome]:
    """Return what passes behind a bar that decides nothing, and that `accuracy` doesn't allow either."""
    limit = max(BLUNT, elements.knobs.accuracy or 0.0) * largest.get(0, 0.0)
    wide = elements.passes.plain.bar > limit
    column = elements.passes.plain.worst(elements.knobs.rtol, wide) if wide.any() else None
    return [*([column] if column else []), *(o for o in passed if o.cotangent == 0 and o.bar > limit)]


def _forgiven(outcome: Outcome, largest: float, knobs: Knobs) -> Outcome:
    """Let a difference pass that `accuracy` allows: a share of the parameter's largest gradient."""
    allowed = (knobs.accuracy or 0.0) * largest
    if outcome.status in (Status.FAIL, Status.UNCLEAR) and outcome.difference <= allowed and outcome.bar <= allowed:
        return Outcome(outcome.element, outcome.cotangent, Status.PASS, outcome.analytic, outcome.numeric, outcome.bar)
    return outcome


def _worst(outcomes: Sequence[Outcome], knobs: Knobs) -> Outcome:
    """Return the outcome to show: the most severe, then the largest deciding number, then the widest bar."""
    return max(
        outcomes, key=lambda o: (o.status, np.nan_to_num(o.rel_err(knobs.rtol), nan=np.inf), o.bar, -o.cotangent)
    )


def _say(elements: Elements, outcome: Outcome) -> Finding:
    """Say what was seen at an element, and what would decide it."""
    cause = outcome.cause or "rounding-dominates"
    detail = outcome.detail or f"the numeric gradient is only known to within {outcome.bar:.0e}"
    message = f"{elements.label(outcome.element)}: {detail}"
    if cause == "rounding-dominates" and np.isfinite(outcome.bar) and outcome.size <= _TOLD * outcome.bar:
        message += f"; the value's size, {elements.value_size:.0e}, hides gradients below {outcome.bar:.0e}"
    if cause in _REMEDY:
        message += f". To decide it, {_REMEDY[cause]}"
    return Finding(cause, message)
