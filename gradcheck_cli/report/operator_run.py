"""Checked operators as the cases of a run, for formats that know only those."""

from __future__ import annotations

from dataclasses import replace

from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantResult
from gradcheck_cli.records import CaseResult, RunResult, Verdict


def as_run(result: OperatorsResult, seconds: float | None = None) -> RunResult:
    """Return what became of operators with a case for each variant that counts, at the place of the operator."""
    cases = tuple(case for operator in result.operators for case in _cases(operator))
    return RunResult(result.seed, cases, result.interrupted, result.problems, seconds)


def _cases(operator: OperatorResult) -> list[CaseResult]:
    found = [_case(operator, variant) for variant in operator.counted]
    if Verdict.worst([case.verdict for case in found]) is operator.verdict and found:
        return found
    return [*found, _own(operator)]


def _case(operator: OperatorResult, variant: VariantResult) -> CaseResult:
    """Return a variant as a case; one that a guessed operator need not take leaves it undecided."""
    case = variant.case
    if operator.verdict is Verdict.INCONCLUSIVE and case.verdict is Verdict.FAIL:
        return replace(case, verdict=Verdict.INCONCLUSIVE, ok=False)
    return replace(case, ok=case.verdict in (Verdict.PASS, Verdict.SKIP))


def _own(operator: OperatorResult) -> CaseResult:
    """Return what no variant tells: that the operator couldn't be tried, or that all of it together decides nothing."""
    return CaseResult(
        id=operator.name,
        file=operator.file,
        line=operator.line,
        name=operator.name,
        expected="pass",
        verdict=operator.verdict,
        ok=operator.ok,
        seconds=0.0 if operator.counted else operator.seconds,
        error=operator.error,
        seed=operator.seed,
        notes=operator.notes,
        label=operator.label,
    )
