"""`assert_gradients` in a test of Python: the failure is the report, and the traceback ends in the test."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pytest_plugin.conftest import Project

TESTS = """
    import numpy as np
    from gradcheck_cli import assert_gradients
    from my_ops import softsign

    X = np.array([-2, -0.5, 0.5, 1.5])


    def test_right():
        assert_gradients(lambda x: np.sum(x**3), X, grad=lambda x: 3 * x**2)


    def test_wrong():
        assert_gradients(softsign, X)


    def test_misspelt():
        assert_gradients(softsign, X, rtl=1e-6)
"""
WRONG = """
    def test_wrong():
>       assert_gradients(softsign, X)
E       AssertionError: softsign: FAIL x: GC204 missing-chain-factor
E       my_ops.py  softsign
E        parameter   shape   checked   max rel err   resolution   verdict
E        x           4          4/4        5.0e-01        2e-07   FAIL
E
E        x[0]   analytic -2.24338   numeric -0.747795 ± 3e-11
E        eps       1e-2   1e-3   1e-4   1e-5   1e-6   1e-7   1e-8
E        rel err   0.50   0.50   0.50   0.50   0.50   0.50   0.50   flat: the gradient is wrong
E        GC204 missing-chain-factor   my_ops.py:14, backward of softsign for x
E          the gradient of x lacks the factor 1 / (1 + abs(x))
E
E        blame    my_ops.py:14, backward of softsign for x, called at test_ops.py:13

test_ops.py:13: AssertionError
"""


def test_a_failed_assertion_is_the_report(project: Project, write: Callable[[str, str], Path]) -> None:
    write("test_ops.py", TESTS)
    ran = project.pytest("--show-capture=no")
    assert ran.tests == {
        "test_ops.py::test_right": "passed",
        "test_ops.py::test_wrong": "failed",
        "test_ops.py::test_misspelt": "failed",
    }
    assert ran.status == pytest.ExitCode.TESTS_FAILED
    out = "\n".join(line.rstrip() for line in ran.out.splitlines())
    assert WRONG in out
    assert "api.py" not in ran.out
    assert "ValueError: unknown knob 'rtl'. did you mean 'rtol'?" in ran.out


RAISING = """
    from gradcheck_cli import assert_gradients, check
    from my_ops import raising

    def helper(x):
        try:
            return {}["scale"] * x
        except KeyError as missing:
            raise LookupError("no scale") from missing

    def loss(x):
        return helper(x)

    def ready(x):
        return raising(x)

    def test_recorded():
        assert_gradients(loss, [1.0, 2.0])

    def test_its_gradient():
        assert_gradients(lambda x: x[0], [1.0, 2.0], grad=loss)

    def test_both():
        check(loss, [1.0, 2.0], value_and_grad=True)

    def test_operator():
        assert_gradients(ready, [1.0, 2.0])

    def test_returned():
        assert_gradients(lambda x: None, [1.0, 2.0])
"""


def test_an_exception_of_the_function_shows_its_own_frames_alone(
    project: Project, write: Callable[[str, str], Path]
) -> None:
    write("test_raising.py", RAISING)
    ran = project.pytest("--tb=short")
    assert set(ran.tests.values()) == {"failed"}
    parts = re.split(r"^_+ (test_\w+) _+$", ran.out.partition("short test summary")[0], flags=re.MULTILINE)
    shown = {
        name: re.findall(r"^(\S+):\d+: in (\S+)$", text, re.MULTILINE)
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    here = "test_raising.py"
    loss = [(here, "helper"), (here, "loss"), (here, "helper")]
    assert shown == {
        "test_recorded": [loss[0], (here, "test_recorded"), *loss[1:]],
        "test_its_gradient": [loss[0], (here, "test_its_gradient"), *loss[1:]],
        "test_both": [loss[0], (here, "test_both"), *loss[1:]],
        "test_operator": [("my_ops.py", "raising"), (here, "test_operator"), (here, "ready")],
        "test_returned": [(here, "test_returned")],
    }
    assert ran.out.count("KeyError: 'scale'\n\nThe above exception was the direct cause") == 3
    assert "RuntimeError: out of order" in ran.out
    assert "TypeError: the function returned NoneType" in ran.out
