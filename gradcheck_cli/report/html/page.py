"""The report for a browser: one page that needs nothing from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from gradcheck_cli import __version__
from gradcheck_cli.records import RunResult
from gradcheck_cli.report.block import View
from gradcheck_cli.report.html.cases import GROUPS, CaseView, case_views
from gradcheck_cli.report.html.engine import digest, render, resource
from gradcheck_cli.report.html.findings import pages_of
from gradcheck_cli.report.numbers import count
from gradcheck_cli.report.terminal import summary


@dataclass(frozen=True)
class Group:
    """The cases of one verdict: how many there are, and where they begin and end on a bar of length 100."""

    key: str
    name: str
    count: int
    start: float
    width: float


def to_html(run: RunResult, view: View | None = None) -> str:
    """Return a run as one HTML page, which loads nothing.

    `view` says how something is run again. The same records give the same page. Raises GradcheckError where the extra
    `report` isn't installed.
    """
    cases = case_views(run, view or View())
    style, script = resource("style.css"), resource("script.js")
    return render(
        "page.html.j2",
        title=_title(run, cases),
        verdict=_verdict(run, cases),
        state=_state(run, cases),
        summary=summary(run),
        interrupted=run.interrupted,
        seed=run.seed,
        groups=_groups(cases),
        cases=cases,
        left_out=sum(case.left_out for case in cases),
        pages=pages_of(run),
        version=__version__,
        style=style,
        script=script,
        style_digest=digest(style),
        script_digest=digest(script),
    )


def _groups(cases: list[CaseView]) -> list[Group]:
    groups, start = [], 0.0
    for key, name in GROUPS.items():
        number = sum(case.group == key for case in cases)
        if number:
            width = 100 * number / len(cases)
            groups.append(Group(key, name, number, round(start, 2), round(width, 2)))
            start += width
    return groups


def _state(run: RunResult, cases: list[CaseView]) -> str:
    """Return the class of the heading: what it says, as a colour."""
    if any(case.is_off for case in cases):
        return "off"
    return "as-expected" if run.ok and cases else "unsure"


def _title(run: RunResult, cases: list[CaseView]) -> str:
    off = sum(case.is_off for case in cases)
    state = f"{off} not as expected" if off else "interrupted" if run.interrupted else "all as expected"
    return f"{state if cases else 'nothing checked'} \N{MIDDLE DOT} gradcheck"


def _verdict(run: RunResult, cases: list[CaseView]) -> str:
    """Say in a sentence how the run ended."""
    off, whole = sum(case.is_off for case in cases), count(len(cases), "case")
    skipped = sum(case.group == "skip" for case in cases)
    if off:
        return f"{off} of {whole} {'is' if off == 1 else 'are'} not as expected"
    if skipped == len(cases):
        return "No case was checked"
    if run.interrupted:
        return "Interrupted: what was checked is as expected"
    if skipped:
        return f"What was checked is as expected; {skipped} of {whole} left out"
    return f"All {whole} are as expected" if len(cases) > 1 else "The case is as expected"
