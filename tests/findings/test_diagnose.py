"""Causes are added to parameters that failed, and to no others."""

import sys

import numpy as np
import pytest

from gradcheck_cli import check, op
from gradcheck_cli.findings.diagnose import diagnose
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.judgement import Judgement
from tests.findings.stories import evidence

N = np.random.default_rng(2).standard_normal(6)


@op
def averaged(x, w):
    """x @ w, whose gradient of w is divided by the number of rows."""
    return x @ w


@averaged.backward
def _(g, x, w):
    return g @ w.T, x.T @ g / len(x)


@op
def rectified(x):
    """3 * max(x, 0), whose gradient is a tenth too large above 1."""
    return 3 * np.maximum(x, 0)


@rectified.backward
def _(g, x):
    return 3 * g * (x > 0) * np.where(x > 1, 1.1, 1)


def failed(name="w", verdict=Verdict.FAIL, findings=()):
    return ParameterResult(name, (6,), 6, 6, verdict, findings=findings)


def diagnosed(result, found, **how):
    judgement = Judgement(parameters=[result], evidence={"w": found} if found else {})
    diagnose(judgement, {"w": (6,)}, **how)
    return judgement.parameters[0].findings


def test_a_mean_in_a_weight_gradient_is_named():
    rng = np.random.default_rng(0)
    result = check(averaged, {"x": rng.normal(size=(5, 4)), "w": rng.normal(size=(4, 3))}, seed=1)
    right, wrong = result.parameters
    assert (right.verdict, right.findings) == ("pass", ())
    (finding,) = wrong.findings
    assert wrong.verdict == "fail"
    assert finding.name in ("constant-factor", "mean-instead-of-sum")
    assert "5" in finding.message


def test_given_inputs_count_as_sizes():
    found = diagnosed(failed(), evidence(N / 5, N))
    assert "1/5" in found[0].message
    judgement = Judgement(parameters=[failed()], evidence={"w": evidence(N / 5, N)})
    diagnose(judgement, {"x": (5, 6), "w": (6,)})
    assert "axis 0 of x" in judgement.parameters[0].findings[0].message


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.FAIL])
def test_what_did_not_fail_gets_no_cause(verdict):
    assert diagnosed(failed(verdict=verdict), evidence(-N, N)) == ()


def test_what_has_a_cause_gets_no_other():
    known = (Finding("invalid-at-kink", "known"),)
    assert diagnosed(failed(findings=known), evidence(-N, N)) == known


def test_notes_stand_behind_the_cause():
    note = Finding("float32-inside", "a note")
    assert [each.name for each in diagnosed(failed(findings=(note,)), evidence(-N, N))] == [
        "sign-flipped",
        "float32-inside",
    ]


def test_a_failure_that_the_plain_cotangent_does_not_show_is_unexplained():
    (found,) = diagnosed(failed(), evidence(N, N))
    assert (found.name, "another cotangent" in found.message) == ("unexplained", True)


def test_elements_at_kinks_are_no_mismatch():
    (wrong,) = check(rectified, {"x": np.array([-1, 0, 0, 0.5, 0.7, 0.9, 0.3, 2, 3, 4, 2.5])}, seed=1).parameters
    assert [each.name for each in wrong.findings] == ["some-elements", "kink-at-point"]
    assert "(4 of 8)" in wrong.findings[0].message or "4 of 8" in wrong.findings[0].message


def test_a_kink_that_is_refused_has_no_other_cause():
    (wrong,) = check(rectified, {"x": np.array([-1, 0, 0.5, 0.7])}, kinks="fail").parameters
    assert (wrong.verdict, [each.name for each in wrong.findings]) == ("fail", ["kink-at-point"])


def test_operators_speak_before_the_parameter():
    of_operator = Suspect(evidence(3 * N, N, name="x"), {}, None)
    found = diagnosed(failed(), evidence(-N, N), operators={"w": [of_operator]})
    assert [each.message.split()[3] for each in found] == ["x"]


def test_detectors_are_loaded_only_where_something_failed(monkeypatch):
    monkeypatch.delitem(sys.modules, "gradcheck_cli.findings.causes", raising=False)
    check(lambda x: x * x, {"x": N})
    assert "gradcheck_cli.findings.causes" not in sys.modules
    check(averaged, {"w": N.reshape(3, 2)}, inputs={"x": N.reshape(2, 3)})
    assert "gradcheck_cli.findings.causes" in sys.modules
