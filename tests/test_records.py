"""The records of a run: severity, codes, counts."""

import dataclasses

import pytest

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
