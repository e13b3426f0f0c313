"""Parameters as the report shows them: a row for each, and a closer look at those that aren't as expected."""

from __future__ import annotations

from dataclasses import dataclass

from gradcheck_cli.records import CaseResult, ParameterResult, Verdict
from gradcheck_cli.report.block import View, rerun_command
from gradcheck_cli.report.expectation import is_off, verdict_word
from gradcheck_cli.report.html.curve import Curve, draw_curve
from gradcheck_cli.report.html.findings import FindingView, finding_view
from gradcheck_cli.report.html.heat_map import HeatMap, draw_heat_map, element_name
from gradcheck_cli.report.numbers import count, dimensions, pair, relative, rounded_up, scientific, short
from gradcheck_cli.report.sweep_words import closing_word

_TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True)
class ParameterRow:
    """A row of a case's table; `kind` is the class of its verdict, `below` what else is to be said of its figures."""

    name: str
    shape: str
    checked: str
    error: str
    resolution: str
    word: str
    kind: str
    below: str


@dataclass(frozen=True)
class Closer:
    """A closer look at one parameter.

    `analytic`, `numeric` and `bar` belong to the `element` that decided, empty where none did. `sweep` says how its
    error goes with the step, `steps` what it is at each. `drawn` tells that curve and map were drawn, as far as there
    is anything to draw.
    """

    name: str
    word: str
    kind: str
    element: str
    analytic: str
    numeric: str
    bar: str
    sweep: str
    steps: str
    findings: tuple[FindingView, ...]
    rerun: str
    drawn: bool
    curve: Curve | None
    heat_map: HeatMap | None


def parameter_row(case: CaseResult, parameter: ParameterResult) -> ParameterRow:
    """Return what the table of a case shows of a parameter."""
    hidden = parameter.element_resolution
    return ParameterRow(
        parameter.name,
        dimensions(parameter.shape, _TIMES),
        _checked(parameter),
        relative(parameter.max_rel_err),
        rounded_up(parameter.resolution),
        verdict_word(case, parameter),
        verdict_kind(parameter.verdict, verdict_word(case, parameter)),
        "" if hidden is None else f"one element with the median gradient hides {rounded_up(hidden)}",
    )


def verdict_kind(verdict: Verdict, word: str) -> str:
    """Return the class that colours a verdict: what is expected looks calm, an unexpected pass doesn't."""
    if word.endswith("(unexpected)"):
        return "fail"
    return f"{verdict} expected" if word.endswith("(expected)") else str(verdict)


def is_looked_at(case: CaseResult, parameter: ParameterResult) -> bool:
    """Tell whether a parameter gets a closer look: it isn't plainly right, or a sweep was asked for."""
    if is_off(case, parameter) or parameter.findings:
        return True
    return parameter.verdict not in (Verdict.PASS, Verdict.SKIP) or bool(parameter.sweep)


def closer_look(case: CaseResult, parameter: ParameterResult, wanted: View, drawn: bool) -> Closer:
    """Return all that is known about a parameter; with curve and map only where they are to be `drawn`."""
    word = verdict_word(case, parameter)
    worst = parameter.worst
    analytic, numeric = pair(worst.analytic, worst.numeric) if worst else ("", "")
    off = is_off(case, parameter)
    return Closer(
        parameter.name,
        word,
        verdict_kind(parameter.verdict, word),
        element_name(parameter) if worst else "",
        analytic,
        numeric,
        rounded_up(worst.error_bar) if worst else "",
        closing_word(parameter.sweep, parameter.verdict, parameter.resolution),
        ", ".join(f"{short(point.rel_err)} at {scientific(point.eps)}" for point in parameter.sweep),
        tuple(map(finding_view, parameter.findings)),
        rerun_command(f"{case.id}::{parameter.name}", case.seed, wanted) if off else "",
        drawn,
        draw_curve(case, parameter, element_name(parameter)) if drawn else None,
        draw_heat_map(parameter) if drawn else None,
    )


def _checked(parameter: ParameterResult) -> str:
    directions = count(parameter.directions, "direction")
    if parameter.planned:
        return f"{parameter.checked}/{parameter.elements} + {directions}"
    return directions if parameter.directions else f"{parameter.checked}/{parameter.elements}"
