"""Checked operators as the cases of a run: nothing is lost, nothing counted twice."""

from __future__ import annotations

from dataclasses import replace

from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantKind, VariantResult
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.report.operator_run import as_run

CASE = CaseResult("scale, as declared", "ops.py", 4, "scale, as declared", "pass", Verdict.PASS, ok=True)
WRONG = replace(CASE, verdict=Verdict.FAIL, ok=False)


def variant(case: CaseResult, skipped: str = "") -> VariantResult:
    return VariantResult(VariantKind.BASE, "as declared", case, skipped=skipped)


def cases_of(operator: OperatorResult) -> tuple[CaseResult, ...]:
    return as_run(OperatorsResult(0, 1, (operator,))).cases


def test_each_variant_that_counts_is_a_case() -> None:
    operator = OperatorResult("scale", "ops.py", 4, Verdict.FAIL, (variant(CASE), variant(WRONG), variant(WRONG, "no")))
    assert cases_of(operator) == (CASE, WRONG)


def test_an_operator_that_could_not_be_tried_is_a_case_of_its_own() -> None:
    operator = OperatorResult("scale", "ops.py", 4, Verdict.ERROR, error="it raised", seconds=2.0)
    (case,) = cases_of(operator)
    assert (case.id, case.file, case.line, case.error, case.seconds) == ("scale", "ops.py", 4, "it raised", 2.0)
    assert (case.verdict, case.ok) == (Verdict.ERROR, False)


def test_a_skipped_operator_is_a_skipped_case() -> None:
    (case,) = cases_of(OperatorResult("scale", "ops.py", 4, Verdict.SKIP, error="no domain"))
    assert (case.verdict, case.ok) == (Verdict.SKIP, True)


def test_what_a_guessed_operator_need_not_take_leaves_it_undecided() -> None:
    operator = OperatorResult("scale", "ops.py", 4, Verdict.INCONCLUSIVE, (variant(CASE), variant(WRONG)))
    run = as_run(OperatorsResult(0, 1, (operator,)))
    assert [case.verdict for case in run.cases] == [Verdict.PASS, Verdict.INCONCLUSIVE]
    assert not run.ok


def test_a_verdict_that_no_variant_explains_is_a_case_of_its_own() -> None:
    operator = OperatorResult("scale", "ops.py", 4, Verdict.INCONCLUSIVE, (variant(CASE),), notes=("forgotten?",))
    assert [(case.name, case.verdict) for case in cases_of(operator)] == [
        ("scale, as declared", Verdict.PASS),
        ("scale", Verdict.INCONCLUSIVE),
    ]


def test_an_interrupt_and_the_time_are_kept() -> None:
    run = as_run(OperatorsResult(3, 1, (), interrupted=True), 1.5)
    assert (run.seed, run.interrupted, run.seconds, run.ok) == (3, True, 1.5, False)
