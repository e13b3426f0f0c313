"""Cases as the report shows them: a row for each, and below it what is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gradcheck_cli.records import CaseResult, ParameterResult, RunResult, Verdict
from gradcheck_cli.report.blame import blame_sentences
from gradcheck_cli.report.block import View, rerun_command, was_left_out
from gradcheck_cli.report.expectation import case_word, difference, is_off
from gradcheck_cli.report.html.findings import FindingView, finding_view, sentences
from gradcheck_cli.report.html.graph_picture import GraphPicture, draw_graph
from gradcheck_cli.report.html.parameters import (
    Closer,
    ParameterRow,
    closer_look,
    is_looked_at,
    parameter_row,
    verdict_kind,
)
from gradcheck_cli.report.numbers import count, relative

MOST_DRAWN = 30
"""Parameters with curve and map: with more of them a page grows slow, and nobody reads them."""
_MOST_OPEN = 5

GROUPS = {
    "fail": "failed",
    "error": "error",
    "inconclusive": "inconclusive",
    "skip": "skipped",
    "expected-fail": "expected failure",
    "expected-inconclusive": "expected inconclusive",
    "pass": "passed",
}
"""The verdicts that cases are filtered by, those that need a look first; they are counted as the summary does."""
_UNEXPECTED = ("fail", "error", "inconclusive")


@dataclass(frozen=True)
class CaseView:
    """One case: its row, what it is sorted and filtered by, and what stands below the row.

    `number` counts the cases of the run from 1, `rank` is the place of its group. `left_out` counts the parameters
    for whose curve and map there was no room. `is_off` tells that something isn't as expected: of a case that was
    interrupted that may be a parameter only.
    """

    number: int
    rank: int
    group: str
    kind: str
    word: str
    name: str
    file: str
    line: int
    label: str
    error: float
    error_text: str
    seconds: float
    seconds_text: str
    parameters_text: str
    terms: str
    raised: tuple[str, ...]
    difference: str
    rows: tuple[ParameterRow, ...]
    closer: tuple[Closer, ...]
    blame: tuple[str, ...]
    findings: tuple[FindingView, ...]
    health: tuple[FindingView, ...]
    notes: tuple[str, ...]
    rerun: str
    cost: str
    graph: GraphPicture | None
    left_out: int
    is_off: bool
    is_open: bool = False


def case_views(run: RunResult, wanted: View) -> list[CaseView]:
    """Return all cases, those that need a look first and otherwise in the order of the specs.

    Curves, maps and graphs are made for the first MOST_DRAWN parameters that aren't as expected.
    """
    order = list(GROUPS)
    numbered = sorted(enumerate(run.cases, start=1), key=lambda each: (order.index(group_of(each[1])), each[0]))
    room, views = MOST_DRAWN, []
    for number, case in numbered:
        view = _view(number, case, wanted, room)
        views.append(view)
        room -= sum(look.drawn for look in view.closer) or (view.graph is not None)
    needing = [place for place, view in enumerate(views) if view.is_off]
    opened = needing if len(needing) <= _MOST_OPEN else needing[:1]
    return [replace(view, is_open=place in opened) for place, view in enumerate(views)]


def group_of(case: CaseResult) -> str:
    """Return the group in which a case is counted: one that passes against its expectation has failed."""
    if case.verdict in (Verdict.ERROR, Verdict.SKIP):
        return str(case.verdict)
    if not case.ok:
        return "inconclusive" if case.verdict is Verdict.INCONCLUSIVE else "fail"
    return "pass" if case.verdict is Verdict.PASS else f"expected-{case.verdict}"


def _view(number: int, case: CaseResult, wanted: View, room: int) -> CaseView:
    group = group_of(case)
    error = _error(case)
    off = [parameter for parameter in case.parameters if is_off(case, parameter)]
    is_off_at_all = bool(off) or group in _UNEXPECTED
    drawn = {parameter.name for parameter in off[: max(0, room)]}
    return CaseView(
        number=number,
        rank=list(GROUPS).index(group),
        group=group,
        kind=verdict_kind(case.verdict, case_word(case)),
        word=case_word(case),
        name=case.name,
        file=case.file,
        line=case.line,
        label=case.label,
        error=error,
        error_text=relative(error if error >= 0 else None),
        seconds=case.seconds,
        seconds_text=_seconds(case.seconds),
        parameters_text=_parameters_text(case.parameters),
        terms=_terms(case),
        raised=sentences(case.error),
        difference=difference(case),
        rows=() if was_left_out(case) else tuple(parameter_row(case, each) for each in case.parameters),
        closer=tuple(
            closer_look(case, each, wanted, each.name in drawn) for each in case.parameters if is_looked_at(case, each)
        ),
        blame=tuple(blame_sentences(case.blame)) if case.blame else (),
        findings=tuple(map(finding_view, case.findings)),
        health=tuple(map(finding_view, case.health)),
        notes=tuple(line for note in case.notes for line in sentences(note)),
        rerun="" if off else rerun_command(case.id, case.seed, wanted),
        cost=f"seed {case.seed}, {count(case.evaluations, 'evaluation')} in {case.seconds:.2f} s",
        graph=draw_graph(case) if room > 0 and is_off_at_all else None,
        left_out=len(off) - len(drawn),
        is_off=is_off_at_all,
    )


def _error(case: CaseResult) -> float:
    """Return the largest relative error of a case, -1 where nothing was compared; no number is larger than any."""
    errors = [parameter.max_rel_err for parameter in case.parameters if parameter.max_rel_err is not None]
    return max((math.inf if math.isnan(error) else error for error in errors), default=-1.0)


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.01 else f"{1000 * seconds:.1f} ms"


def _parameters_text(parameters: Sequence[ParameterResult]) -> str:
    """Write how many parameters passed, of how many."""
    passed = sum(parameter.verdict is Verdict.PASS for parameter in parameters)
    return f"{passed}/{len(parameters)}" if parameters else ""


def _terms(case: CaseResult) -> str:
    """Write words by which a case is found beside its row: the parameters, and the findings."""
    found = [*case.findings, *case.health, *(each for parameter in case.parameters for each in parameter.findings)]
    words = [f"{finding.code} {finding.name}" for finding in found]
    return " ".join(dict.fromkeys([*words, *(parameter.name for parameter in case.parameters)]))
