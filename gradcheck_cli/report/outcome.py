"""What a case counts as where others count tests: an outcome for each parameter, and one for what none tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from gradcheck_cli.errors import printable
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, Verdict
from gradcheck_cli.report.block import View, case_text, worst_line
from gradcheck_cli.report.expectation import difference, expected_of, is_off

_SIGNS = (".", ":", ";", ",", "!", "?")


class Kind(StrEnum):
    """How an outcome counts; the value is the word for it. The order is that of importance, the worst first."""

    ERROR = "error"
    FAILED = "fail"
    UNEXPECTED = "unexpected pass"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skip"
    EXPECTED = "expected failure"
    PASSED = "pass"

    @property
    def bad(self) -> bool:
        """Whether it makes a run fail."""
        return self in (Kind.ERROR, Kind.FAILED, Kind.UNEXPECTED, Kind.INCONCLUSIVE)


@dataclass(frozen=True)
class Outcome:
    """What became of one parameter of a case; of the case itself where `parameter` is None."""

    case: CaseResult
    parameter: ParameterResult | None
    kind: Kind

    @property
    def name(self) -> str:
        """The name within the file: `case::parameter`, or the case's alone."""
        return self._of(self.case.name)

    @property
    def id(self) -> str:
        """What a command line takes to check it again."""
        return self._of(self.case.id)

    @property
    def line(self) -> int:
        """The line of the spec, 0 where unknown."""
        return (self.parameter and self.parameter.line) or self.case.line

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found about it, without what the spec allows."""
        found = self.case.findings if self.parameter is None else self.parameter.findings
        return tuple(finding for finding in found if not finding.accepted)

    def _of(self, case: str) -> str:
        return case if self.parameter is None else f"{case}::{self.parameter.name}"


def outcomes(case: CaseResult) -> list[Outcome]:
    """Return an outcome for each parameter, behind one for the case itself where it has something of its own.

    That is an error, a broken contract, a verdict that no parameter is to blame for, or a case without parameters:
    each cause of a failure is in exactly one outcome.
    """
    own = _own_kind(case)
    itself = [] if own is None else [Outcome(case, None, own)]
    return itself + [Outcome(case, parameter, _kind(case, parameter)) for parameter in case.parameters]


def sentence(outcome: Outcome) -> str:
    """Sum an outcome up in one line without control characters: the verdict, the worst element, the first finding."""
    case, parameter = outcome.case, outcome.parameter
    if outcome.kind is Kind.SKIPPED:
        return printable(_why_skipped(case))
    if outcome.kind is Kind.ERROR and parameter is None and case.error:
        return printable(case.error.split("\n")[0])
    verdict = (case if parameter is None else parameter).verdict
    told = printable("; ".join(filter(None, _parts(outcome))))
    return f"{verdict.upper()}: {told}" if told else verdict.upper()


def _parts(outcome: Outcome) -> list[str]:
    case, parameter = outcome.case, outcome.parameter
    first = [finding_line(finding) for finding in outcome.findings[:1]]
    if parameter is None:
        return first or [difference(case)]
    if outcome.kind is Kind.UNEXPECTED:
        return [f"expected {expected_of(case, parameter.name)}, got pass"]
    worst = [" ".join(worst_line(parameter, View()).plain.split())] if parameter.worst else []
    return worst + first


def finding_line(finding: Finding) -> str:
    """Write a finding in one line: its code, its name and what it says."""
    message = _in_one_line(finding.message)
    return f"{finding.code} {finding.name}: {message}" if message else f"{finding.code} {finding.name}"


def _in_one_line(text: str) -> str:
    """Join lines, with a sign between those that end without one."""
    lines = list(filter(None, text.split("\n")))
    return " ".join([line if line.endswith(_SIGNS) else f"{line};" for line in lines[:-1]] + lines[-1:])


def _why_skipped(case: CaseResult) -> str:
    """Say why a parameter of `case` was not compared."""
    if case.verdict is Verdict.SKIP and case.error:
        return _in_one_line(case.error)
    if case.error:
        return f"not compared: {case.name} has an error"
    broken = _broken(case)
    return f"not compared after {broken[0].code} {broken[0].name}" if broken else "not compared"


def outcome_text(outcome: Outcome, view: View) -> str:
    """Return the block of a terminal for it: the case with no other parameter, or the whole case."""
    case, parameter = outcome.case, outcome.parameter
    if parameter is None:
        return case_text(case, view)
    # Judged by itself, since another parameter may have given the case a worse verdict.
    alone = replace(case, parameters=(parameter,), verdict=parameter.verdict, ok=not outcome.kind.bad)
    return case_text(alone, view)


def _own_kind(case: CaseResult) -> Kind | None:
    if case.verdict is Verdict.ERROR:
        return Kind.ERROR
    broken = bool(_broken(case))
    if not case.ok:
        blamed = any(is_off(case, parameter) for parameter in case.parameters)
        return _bad(case.verdict) if broken or not blamed else None
    if case.verdict is Verdict.SKIP:
        return None if case.parameters else Kind.SKIPPED
    return _as_expected(case.verdict) if broken or not case.parameters else None


def _kind(case: CaseResult, parameter: ParameterResult) -> Kind:
    if parameter.verdict is Verdict.SKIP:
        return Kind.SKIPPED
    return _bad(parameter.verdict) if is_off(case, parameter) else _as_expected(parameter.verdict)


def _bad(verdict: Verdict) -> Kind:
    return Kind.UNEXPECTED if verdict is Verdict.PASS else Kind(str(verdict))


def _as_expected(verdict: Verdict) -> Kind:
    return Kind.PASSED if verdict is Verdict.PASS else Kind.EXPECTED


def _broken(case: CaseResult) -> list[Finding]:
    return [finding for finding in case.findings if not finding.accepted]
