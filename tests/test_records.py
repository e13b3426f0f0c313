"""The records of a run: severity, codes, counts."""

import dataclasses

import pytest

from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantKind, VariantResult
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, RunResult, Verdict


def case(verdict, ok):
    return CaseResult(
        id="a.yaml::a", file="a.yaml", line=1, name="a", expected="pass", verdict=verdict, ok=ok
    )  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ([], "pass"),
        (["pass", "pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["fail", "inconclusive", "pass"], "fail"),
        (["fail", "error", "pass"], "error"),
        (["pass", "skip"], "skip"),
        (["skip", "fail"], "fail"),
    ],
    ids=str,
)
def test_the_worst_verdict_counts(verdicts, worst):
    assert Verdict.worst([Verdict(verdict) for verdict in verdicts]) == worst
    assert Verdict.worst([Verdict(verdict) for verdict in reversed(verdicts)]) == worst


def test_a_finding_knows_its_code():
    assert Finding("missing-term", "over axis 1").code == "GC203"
    with pytest.raises(KeyError):
        _ = Finding("no-such-finding", "").code


def test_a_run_counts_every_verdict():
    run = RunResult(7, (case(Verdict.PASS, True), case(Verdict.FAIL, True), case(Verdict.FAIL, False)))
    assert run.counts == {"pass": 1, "skip": 0, "inconclusive": 0, "fail": 2, "error": 0}
    assert not run.ok


def test_a_run_is_ok_when_every_case_ended_as_expected_and_none_was_left_out():
    assert RunResult(None, (case(Verdict.PASS, True), case(Verdict.FAIL, True))).ok
    assert not RunResult(None, (case(Verdict.PASS, True),), interrupted=True).ok
    assert RunResult(None, ()).ok


def test_records_are_frozen():
    for record in (case(Verdict.PASS, True), ParameterResult("x", (), 1, 1, Verdict.PASS), RunResult(None, ())):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.name = "other"


def variant(verdict, skipped="", rel_err=1e-9, resolution=2e-7, words="somehow"):
    parameter = ParameterResult("x", (3,), 3, 3, verdict, rel_err, resolution)
    found = dataclasses.replace(case(verdict, verdict == "pass"), parameters=(parameter,), evaluations=5)
    return VariantResult(VariantKind.BASE, words, found, skipped=skipped)


def operator(verdict, *variants):
    return OperatorResult("f", "f.py", 1, Verdict(verdict), variants)


def test_an_operator_counts_what_was_checked():
    result = operator(
        "pass",
        variant(Verdict.PASS, rel_err=1e-9),
        variant(Verdict.PASS, rel_err=1e-8, resolution=3e-7),
        variant(Verdict.FAIL, skipped="degenerate", rel_err=1.0, resolution=1.0),
        variant(Verdict.PASS, rel_err=None, resolution=None),
    )
    assert (len(result.variants), len(result.counted)) == (4, 3)
    assert (result.elements, result.evaluations) == (9, 20)
    assert (result.max_rel_err, result.resolution) == (1e-8, 3e-7)
    assert operator("skip").max_rel_err is None


def test_what_speaks_against_an_operator_comes_in_order_and_undecided_last():
    result = operator(
        "fail",
        variant(Verdict.INCONCLUSIVE, words="undecided"),
        variant(Verdict.PASS, words="right"),
        variant(Verdict.FAIL, words="wrong"),
        variant(Verdict.FAIL, skipped="degenerate", words="aside"),
        variant(Verdict.ERROR, words="raised"),
    )
    assert [each.words for each in result.faults] == ["wrong", "raised", "undecided"]


@pytest.mark.parametrize(
    ("verdict", "ok"), [("pass", True), ("skip", True), ("inconclusive", False), ("fail", False), ("error", False)]
)
def test_an_operator_is_ok_where_nothing_speaks_against_it(verdict, ok):
    whole = OperatorsResult(0, 2, (operator("pass"), operator(verdict)))
    assert whole.operators[1].ok is ok
    assert whole.ok is ok
    assert whole.counts[Verdict(verdict)] == 1 + (verdict == "pass")
    assert not dataclasses.replace(whole, interrupted=True).ok
