from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli.errors import Location
from gradcheck_cli.records import CaseResult, Finding
from gradcheck_cli.report.block import View
from gradcheck_cli.report.outcome import Kind, outcome_text, outcomes, sentence
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, SKIP

Make = Callable[..., Any]
CONTRACT = Finding("input-modified", "it wrote to x", Location("my_ops.py", 3), "backward of f")


def kinds(case: CaseResult) -> dict[str, str]:
    return {outcome.name: str(outcome.kind) for outcome in outcomes(case)}


def test_each_parameter_has_an_outcome(layer_norm: CaseResult) -> None:
    assert kinds(layer_norm) == {"layer_norm::x": "fail", "layer_norm::gamma": "pass", "layer_norm::beta": "pass"}
    assert outcomes(layer_norm)[0].id == "specs/layer_norm.grad.yaml::layer_norm::x"


def test_an_error_belongs_to_the_case_alone(case: Make, parameter: Make) -> None:
    result = case(parameter("w", SKIP), parameter("b", SKIP), verdict=ERROR, ok=False, error="no\nsuch file")
    assert kinds(result) == {"a case": "error", "a case::w": "skip", "a case::b": "skip"}
    assert [sentence(outcome) for outcome in outcomes(result)] == [
        "no",
        "not compared: a case has an error",
        "not compared: a case has an error",
    ]


def test_what_failed_before_an_error_counts_as_well(case: Make, parameter: Make) -> None:
    result = case(parameter("w", FAIL), parameter("b", SKIP), verdict=ERROR, ok=False, error="timed out")
    assert kinds(result) == {"a case": "error", "a case::w": "fail", "a case::b": "skip"}


def test_a_broken_contract_belongs_to_the_case_alone(case: Make, parameter: Make) -> None:
    result = case(parameter("w", SKIP), parameter("b"), verdict=FAIL, ok=False, findings=(CONTRACT,))
    assert kinds(result) == {"a case": "fail", "a case::w": "skip", "a case::b": "pass"}
    assert sentence(outcomes(result)[0]) == "FAIL: GC104 input-modified: it wrote to x"
    assert sentence(outcomes(result)[1]) == "not compared after GC104 input-modified"


def test_a_broken_contract_beside_a_wrong_gradient_is_one_more_cause(case: Make, parameter: Make) -> None:
    result = case(parameter("w", FAIL), verdict=FAIL, ok=False, findings=(CONTRACT,))
    assert kinds(result) == {"a case": "fail", "a case::w": "fail"}


def test_an_allowed_finding_is_no_cause(case: Make, parameter: Make) -> None:
    allowed = Finding("not-repeatable", "it varies", accepted=True)
    assert kinds(case(parameter("w"), findings=(allowed,))) == {"a case::w": "pass"}
    failed = case(parameter("w", FAIL), findings=(allowed,))
    assert kinds(failed) == {"a case::w": "fail"}


@pytest.mark.parametrize(("verdict", "kind"), [(FAIL, "expected failure"), (INCONCLUSIVE, "expected failure")])
def test_what_is_expected_is_not_bad(case: Make, parameter: Make, verdict: Any, kind: str) -> None:
    result = case(parameter("w", verdict), parameter("b"), expected=str(verdict), ok=True)
    assert kinds(result) == {"a case::w": kind, "a case::b": "pass"}
    assert not any(outcome.kind.bad for outcome in outcomes(result))


def test_an_expected_broken_contract_is_an_expected_failure(case: Make, parameter: Make) -> None:
    result = case(parameter("w", SKIP), expected="input-modified", verdict=FAIL, ok=True, findings=(CONTRACT,))
    assert kinds(result) == {"a case": "expected failure", "a case::w": "skip"}


def test_a_pass_that_nobody_expected_belongs_to_who_expected_it(case: Make, parameter: Make) -> None:
    whole = case(parameter("w"), parameter("b"), expected="fail", ok=False)
    assert kinds(whole) == {"a case": "unexpected pass", "a case::w": "pass", "a case::b": "pass"}
    assert sentence(outcomes(whole)[0]) == "PASS: expected fail, got pass"
    single = case(parameter("w"), parameter("b"), expected="w: fail", ok=False)
    assert kinds(single) == {"a case::w": "unexpected pass", "a case::b": "pass"}
    assert sentence(outcomes(single)[0]) == "PASS: expected fail, got pass"


def test_an_expected_finding_is_not_bad_where_another_parameter_fails(case: Make, parameter: Make) -> None:
    known = parameter("w", FAIL, findings=(Finding("missing-term", "a sum"),), expected="missing-term")
    result = case(known, parameter("b", FAIL, expected="pass"), ok=False)
    assert kinds(result) == {"a case::w": "expected failure", "a case::b": "fail"}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "pass"),
        ({"verdict": FAIL, "ok": False}, "fail"),
        ({"verdict": FAIL, "ok": True, "expected": "fail"}, "expected failure"),
        ({"verdict": ERROR, "ok": False, "error": "no"}, "error"),
        ({"verdict": SKIP, "ok": True, "error": "interrupted"}, "skip"),
    ],
)
def test_a_case_without_parameters_has_an_outcome(case: Make, changes: dict[str, Any], kind: str) -> None:
    assert kinds(case(**changes)) == {"a case": kind}


def test_what_was_finished_before_an_interrupt_counts(case: Make, parameter: Make) -> None:
    result = case(parameter("w", FAIL), parameter("b", SKIP), verdict=SKIP, ok=True, error="interrupted")
    assert kinds(result) == {"a case::w": "fail", "a case::b": "skip"}
    assert sentence(outcomes(result)[1]) == "interrupted"


def test_a_sentence_is_one_line_of_verdict_element_and_finding(layer_norm: CaseResult) -> None:
    assert sentence(outcomes(layer_norm)[0]) == (
        "FAIL: x[0,4] analytic +0.260035 numeric -0.103406 ± 2e-11; GC203 missing-term: "
        "The difference is constant along axis 1: a mean or a sum over it is missing."
    )


def test_a_sentence_has_no_control_characters(case: Make, parameter: Make) -> None:
    wrong = parameter("w", FAIL, worst=None, findings=(Finding("unexplained", "one\ntwo\x1b\u2028"),))
    assert sentence(outcomes(case(wrong))[0]) == r"FAIL: GC214 unexplained: one; two\x1b\u2028"


def test_the_text_of_a_parameter_is_a_block_without_the_others(layer_norm: CaseResult) -> None:
    x, gamma, _ = (outcome_text(outcome, View()) for outcome in outcomes(layer_norm))
    assert "GC203 missing-term   my_ops.py:16" in x
    assert "rerun    gradcheck run specs/layer_norm.grad.yaml::layer_norm::x --seed 7" in x
    assert "gamma" not in x
    assert gamma.splitlines()[2:] == [" gamma       8          8/8        2.4e-11        1e-07   PASS"]


def test_the_line_is_the_parameters_where_it_is_known(case: Make, parameter: Make) -> None:
    lines = [outcome.line for outcome in outcomes(case(parameter("w", line=12), parameter("b"), line=7))]
    assert lines == [12, 7]


def test_every_kind_says_whether_it_fails_a_run() -> None:
    assert [kind for kind in Kind if kind.bad] == [Kind.ERROR, Kind.FAILED, Kind.UNEXPECTED, Kind.INCONCLUSIVE]
