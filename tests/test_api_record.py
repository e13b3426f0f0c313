"""The Python front door: the record of a check, and the assertion that raises with its report."""

from __future__ import annotations

import dataclasses
import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import assert_gradients, check
from gradcheck_cli.records import CaseResult
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from tests.checked_functions import X, squares, wrong_tanh

SPECS = Path(__file__).parents[1] / "specs"


def test_a_sample_is_seeded_and_says_how_many_of_how_many():
    x = np.arange(1.0, 101.0)
    results = [check(squares, x, grad=lambda x: 2 * x, sample=4, seed=seed) for seed in (5, 5, 6)]
    assert [(r.parameters[0].checked, r.parameters[0].elements) for r in results] == [(4, 100)] * 3
    assert results[0].parameters == results[1].parameters
    assert results[0].parameters != results[2].parameters
    assert [r.seed for r in results] == [5, 5, 6]


def test_the_record_is_that_of_a_spec_s_case():
    (item,) = collect(Options(paths=(str(SPECS / "worked_example.grad.yaml"),)))
    from_spec = check_case(item.case, item.parameters, Options())
    from_python = check(
        lambda x, w, b, t: (F.sigmoid(x * w + b) - t) ** 2, {"x": 0.5, "w": 1.2, "b": -0.3}, inputs={"t": 0.8}
    )
    own = {"id", "file", "line", "name", "seconds", "parameters"}
    for field in dataclasses.fields(CaseResult):
        if field.name not in own:
            assert getattr(from_python, field.name) == getattr(from_spec, field.name), field.name
    for ours, theirs in zip(from_python.parameters, from_spec.parameters, strict=True):
        # What is drawn to measure the noise depends on the name of the case.
        assert ours.worst is not None
        assert theirs.worst is not None
        assert 1 / 3 < ours.worst.error_bar / theirs.worst.error_bar < 3
        assert dataclasses.replace(ours, worst=None) == dataclasses.replace(theirs, worst=None, line=0)
        assert (ours.worst.index, ours.worst.analytic) == (theirs.worst.index, theirs.worst.analytic)


def test_the_record_says_which_function_was_checked():
    result = check(squares, X, grad=lambda x: 2 * x)
    assert (result.name, Path(result.file).name, result.line) == (
        "squares",
        "checked_functions.py",
        squares.__code__.co_firstlineno,
    )
    assert result.id == f"{result.file}::squares"
    assert (result.expected, result.ok, result.error) == ("pass", True, None)
    assert result.value == 5.25
    assert result.seconds > 0


def test_a_function_without_a_file_goes_by_its_name():
    result = check(np.tanh, X)
    assert (result.id, result.file, result.line) == ("tanh", "", 0)


def test_evaluations_are_those_that_were_made():
    calls = itertools.count()

    def value(x):
        next(calls)
        return float(x @ x)

    result = check(value, X, grad=lambda x: 2 * x)
    assert result.evaluations == next(calls)
    assert result.evaluations >= 2 * X.size


def test_what_is_right_raises_nothing():
    assert assert_gradients(lambda x: F.sum(F.tanh(x)), X) is None
    assert assert_gradients(squares, X, grad=lambda x: 2 * x, rtol=1e-6) is None


def test_what_is_wrong_raises_with_the_report():
    with pytest.raises(AssertionError) as caught:
        assert_gradients(lambda x: F.sum(wrong_tanh(x)), X)
    report = str(caught.value)
    assert "\x1b" not in report
    assert "FAIL" in report
    shown = re.search(r"analytic (-0\.\d{4})\S*   numeric (\+0\.\d{4})", report)
    assert shown is not None
    assert float(shown[1]) == -float(shown[2])
    assert "1e-08" in report or "1e-8" in report
    assert "gradcheck run" not in report


def test_the_report_has_no_escapes_even_if_colour_is_forced(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(AssertionError) as caught:
        assert_gradients(lambda x: F.sum(wrong_tanh(x)), X)
    assert "\x1b" not in str(caught.value)


def test_a_broken_contract_raises_with_the_finding():
    with pytest.raises(AssertionError, match="gradient-count") as caught:
        assert_gradients(squares, (X,), grad=lambda x: (x, x))
    assert "2 gradients for 1 parameter" in str(caught.value)


def test_what_can_not_be_decided_raises_too():
    with pytest.raises(AssertionError, match="jump"):
        assert_gradients(lambda x: float(np.floor(x)), 2.0, grad=lambda x: 0.0)


def test_a_failing_assertion_hides_the_checker_s_own_frames(tmp_path):
    test = tmp_path / "test_mine.py"
    test.write_text(
        "import numpy as np\n"
        "from gradcheck_cli import assert_gradients\n\n"
        "def test_mine():\n"
        "    assert_gradients(lambda x: x @ x, np.ones(2), grad=lambda x: x)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAIL" in done.stdout
    assert "__tracebackhide__" not in done.stdout
