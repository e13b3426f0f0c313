"""What becomes of a case as a test: what fails says why, and what passes says how far."""

from __future__ import annotations

import re
import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.pytest_plugin.conftest import Project

Write = Callable[[str, str], Path]

SPEC = """
    ops: [../my_ops.py]
    params: {x: [-2, -0.5, 0.5, 1.5]}
    cases:
      - name: square is missing
        expr: softsign(x)
      - {name: known, expr: softsign(x), expect: missing-chain-factor}
      - {name: surprise, expr: tanh(x), expect: fail}
      - {name: breaks, expr: raising(x)}
      - {name: right, expr: tanh(x)}
      - {name: at its kink, expr: relu(x), params: {x: [0, 1, 2, 3]}}
"""
OUTCOMES = {
    "specs/a.grad.yaml::square is missing": "failed",
    "specs/a.grad.yaml::known": "passed",
    "specs/a.grad.yaml::surprise": "failed",
    "specs/a.grad.yaml::breaks": "failed",
    "specs/a.grad.yaml::right": "passed",
    "specs/a.grad.yaml::at its kink": "passed",
}
REPORT = """\
specs/a.grad.yaml  square is missing
 parameter   shape   checked   max rel err   resolution   verdict
 x           4          4/4        5.0e-01        2e-07   FAIL

 x[0]   analytic -2.76316   numeric -0.921054 ± 4e-11
 eps       1e-2   1e-3   1e-4   1e-5   1e-6   1e-7   1e-8
 rel err   0.50   0.50   0.50   0.50   0.50   0.50   0.50   flat: the gradient is wrong
 GC204 missing-chain-factor   my_ops.py:14, backward of softsign for x
   the gradient of x lacks the factor 1 / (1 + abs(x))
 rerun    gradcheck run 'specs/a.grad.yaml::square is missing::x' --seed 0

 blame    my_ops.py:14, backward of softsign for x, called at specs/a.grad.yaml:5:11
"""


def section(out: str, title: str) -> str:
    """Return what pytest wrote under the title of a failure, without what was printed and the worker's line."""
    found = re.search(
        rf"^_+ {re.escape(title)} _+\n(?:\[gw\d\][^\n]*\n)?(.*?)^[-_=]{{3}}", out, re.DOTALL | re.MULTILINE
    )
    assert found, out
    return found[1]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "two workers"])
def test_a_planted_mistake_fails_with_its_report(project: Project, write: Write, workers: list[str]) -> None:
    write("specs/a.grad.yaml", SPEC)
    junit = ("--junitxml=junit.xml", "-o", "junit_family=xunit1")
    ran = project.pytest("specs", *junit, *workers, COLUMNS="120")
    assert ran.tests == OUTCOMES
    assert ran.status == pytest.ExitCode.TESTS_FAILED
    assert section(ran.out, "square is missing") == REPORT
    assert "pytest_plugin.py" not in ran.out
    assert "FAILED specs/a.grad.yaml::square is missing - FAIL x: GC204 missing-chain-factor\n" in ran.out
    assert "FAILED specs/a.grad.yaml::surprise - expected fail, got pass\n" in ran.out
    broken = section(ran.out, "breaks").splitlines()
    assert broken[0] == "specs/a.grad.yaml  breaks"
    assert "error: forward of raising raised RuntimeError: out of order" in broken[1]

    cases = {case.get("name"): case for case in ElementTree.parse(project.folder / "junit.xml").iter("testcase")}
    assert len(cases) == len(OUTCOMES)
    wrong = cases["square is missing"]
    assert (wrong.get("file"), wrong.get("line")) == ("specs/a.grad.yaml", "3")
    failure = wrong.find("failure")
    assert failure is not None
    assert failure.get("message") == "FAIL x: GC204 missing-chain-factor"
    assert failure.text == REPORT.rstrip("\n")
    assert list(cases["right"]) == []


def test_the_line_that_runs_a_case_again_does(project: Project, write: Write) -> None:
    write("specs/a.grad.yaml", SPEC)
    ran = project.pytest("specs", "-k", "square")
    command = next(line for line in ran.out.splitlines() if line.startswith(" rerun "))
    name, *words = shlex.split(command)[1:]
    assert name == "gradcheck"
    again = project.gradcheck(*words)
    assert again.returncode == 1
    assert again.stdout.startswith(REPORT.partition("\n\n")[0])


def test_what_passed_shows_its_resolution_where_that_is_asked_for(project: Project, write: Write) -> None:
    write("specs/a.grad.yaml", SPEC)
    ran = project.pytest("specs", "-rP", "-k", "right or known or kink")
    right, known, kink = (section(ran.out, name) for name in ("right", "known", "at its kink"))
    assert right == ""  # its report stands in a section of its own
    assert re.search(r"- gradcheck -+\nspecs/a.grad.yaml  right\n.*\n x +4 +4/4 .* PASS\n", ran.out)
    assert re.search(r"- gradcheck -+\nspecs/a.grad.yaml  known\n.*\n x +4 +4/4 .* FAIL \(expected\)\n", ran.out)
    assert "GC301 kink-at-point" in ran.out
    assert known == kink == ""
    assert project.pytest("specs", "-k", "right").out.count("PASS") == 0


def test_what_operators_print_is_captured(project: Project, write: Write) -> None:
    write("specs/a.grad.yaml", SPEC)
    quiet = project.pytest("specs", "-k", "known")
    assert "in the backward" not in quiet.out
    loud = project.pytest("specs", "-k", "known", "-s")
    assert "in the backward" in loud.out


def test_an_operator_file_is_loaded_once(project: Project, write: Write) -> None:
    for name in "abc":
        write(f"specs/{name}.grad.yaml", SPEC)
    assert project.pytest("-s", "--collect-only").out.count("loading my_ops") == 1


def test_short_tracebacks_point_to_the_case(project: Project, write: Write) -> None:
    spec = write("specs/a.grad.yaml", SPEC)
    ran = project.pytest("specs", "--tb=line")
    assert f"{spec}:4: FAIL x: GC204 missing-chain-factor\n" in ran.out
    assert "pytest_plugin.py" not in ran.out


def test_a_skipped_case_is_skipped_at_its_line_with_the_reason(project: Project, write: Write) -> None:
    write("todo.py", "def cube_forward(x):\n    pass\n\n\ndef cube_backward(dout, cache):\n    pass\n")
    write("todo.grad.yaml", "ops: [todo.py]\nparams: {x: 3}\ncases:\n  - {name: later, expr: cube(x)}\n")
    ran = project.pytest("-rs")
    assert ran.tests == {"todo.grad.yaml::later": "skipped"}
    assert "SKIPPED [1] todo.grad.yaml:4: not written yet: the forward of cube returns nothing\n" in ran.out


def test_other_plugins_may_mark_a_case(project: Project, write: Write) -> None:
    write("specs/a.grad.yaml", SPEC)
    write(
        "conftest.py",
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.xfail(reason="under work", raises=AssertionError))
        """,
    )
    ran = project.pytest("specs", "-rx", "-k", "square")
    assert ran.status == 0
    assert "XFAIL specs/a.grad.yaml::square is missing - under work\n" in ran.out


STUCK = """
    ops: [my_ops.py]
    params: {x: 3}
    cases:
      - {name: hangs, expr: stuck(x), check: {timeout: TIMEOUT}}
      - {name: right, expr: tanh(x)}
"""


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "two workers"])
def test_a_timeout_ends_a_case_and_no_other(project: Project, write: Write, workers: list[str]) -> None:
    write("a.grad.yaml", STUCK.replace("TIMEOUT", "0.3"))
    ran = project.pytest(*workers)
    assert ran.tests == {"a.grad.yaml::hangs": "failed", "a.grad.yaml::right": "passed"}
    assert "timeout" in section(ran.out, "hangs")


def test_what_is_left_out_is_among_the_warnings(project: Project, write: Write) -> None:
    write("a.grad.yaml", "params: {x: {shape: 2000}}\nexpr: mean(cumsum(x) ** 2)\n")
    ran = project.pytest(GRADCHECK_BUDGET="0.001")
    assert ran.tests == {"a.grad.yaml::a": "passed"}
    assert re.search(r"SampledWarning: \S+ of 2,000 elements of x, seed 0, and 2 random directions", ran.out), ran.out


def test_ctrl_c_ends_the_session_at_once(project: Project, write: Write) -> None:
    write("a.grad.yaml", STUCK.replace("TIMEOUT", "60"))
    started = project.start()
    limit = time.monotonic() + 60
    while not (project.folder / "begun").exists():
        assert time.monotonic() < limit
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    asked = time.monotonic()
    ran = project.ended(started)
    assert time.monotonic() - asked < 15
    assert ran.status == pytest.ExitCode.INTERRUPTED
    assert "!!! KeyboardInterrupt !!!" in ran.out
    assert ran.tests == {}
