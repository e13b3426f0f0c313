"""Findings as the report tells them: what, where, the sentences, and the page that explains them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradcheck_cli.findings.page import pages, shown
from gradcheck_cli.records import CaseResult, Finding, RunResult
from gradcheck_cli.report.html.page_markup import page_markup
from gradcheck_cli.report.plain import from_here, paths_from_here


@dataclass(frozen=True)
class FindingView:
    """One finding; `place` is where to look."""

    code: str
    name: str
    place: str
    sentences: tuple[str, ...]
    accepted: bool


@dataclass(frozen=True)
class PageView:
    """The page of a finding; `body` is HTML."""

    code: str
    name: str
    summary: str
    outcome: str
    body: str


def finding_view(finding: Finding) -> FindingView:
    """Return what is shown of a finding."""
    where = from_here(finding.location) if finding.location else ""
    place = ", ".join(part for part in (where, finding.subject) if part)
    return FindingView(finding.code, finding.name, place, sentences(finding.message), finding.accepted)


def sentences(text: str | None) -> tuple[str, ...]:
    """Return the lines of a message, the paths in them written from the current folder; none for no message."""
    # A path at the start of a line is found behind a space, as any other is.
    return tuple(paths_from_here(f" {line}")[1:] for line in text.split("\n")) if text else ()


def pages_of(run: RunResult) -> list[PageView]:
    """Return the pages of all findings of a run, each once, in the order of the codes."""
    names = {finding.name for case in run.cases for finding in _all(case)}
    return [
        PageView(page.code, page.name, page.summary, page.outcome, page_markup(shown(page.body)))
        for page in pages().values()
        if page.name in names
    ]


def _all(case: CaseResult) -> Iterator[Finding]:
    yield from case.findings
    yield from case.health
    for parameter in case.parameters:
        yield from parameter.findings
    for symptom in case.graph.symptoms if case.graph else ():
        yield symptom.finding
