"""One line that says why a case isn't as expected, for lists of failures."""

from __future__ import annotations

from gradcheck_cli.errors import printable
from gradcheck_cli.records import CaseResult
from gradcheck_cli.report.expectation import difference, is_off


def headline(case: CaseResult) -> str:
    """Sum up why a case isn't as expected: `FAIL x: GC203 missing-term`."""
    if case.error:
        return printable(case.error.split("\n")[0])
    if text := difference(case):
        return text
    off = [parameter for parameter in case.parameters if is_off(case, parameter)]
    found = [*case.findings, *(finding for parameter in off for finding in parameter.findings)]
    named = [f"{finding.code} {finding.name}" for finding in found if not finding.accepted]
    words = " ".join([case.verdict.upper(), ", ".join(parameter.name for parameter in off)]).rstrip()
    return ": ".join([words, *named[:1]])
