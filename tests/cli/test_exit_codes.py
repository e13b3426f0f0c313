"""Exit codes: where several apply, 3, 130, 2, 1, 5; and nothing runs before every spec is valid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli.checking import exit_code
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.records import CaseResult, RunResult, Verdict

PASSES = "{name: passes, expr: tanh(x)}"
FAILS = "{name: fails, expr: tanh(x), expect: fail}"
JUMPS = '{name: jumps, expr: "where(x > 0.5, x + 1, x)"}'
ERRS = "{name: errs, expr: x @ y, inputs: {y: [1.0, 2.0, 3.0]}}"


@pytest.mark.parametrize(
    ("cases", "code"),
    [
        ([PASSES], 0),
        ([PASSES, FAILS], 1),
        ([PASSES, JUMPS], 1),
        ([ERRS], 2),
        ([PASSES, FAILS, ERRS], 2),
        ([ERRS, FAILS, JUMPS], 2),
    ],
    ids=["pass", "fail", "inconclusive", "error", "error after fail", "error before fail"],
)
def test_the_worst_case_decides(
    write: Callable[..., Path], gradcheck: Callable[..., Any], cases: list[str], code: int
) -> None:
    text = "params: {x: [0.5, 1.5]}\ncases:\n" + "".join(f"  - {case}\n" for case in cases)
    write("a.grad.yaml", text)
    assert gradcheck("run", "a.grad.yaml").code == code
    assert gradcheck("run", "a.grad.yaml", "-q").code == code
    assert gradcheck("run", "a.grad.yaml", "--format", "json").code == code


def _case(verdict: Verdict, ok: bool) -> CaseResult:
    return CaseResult("a::b", "a", 1, "b", "pass", verdict, ok)


@pytest.mark.parametrize(
    ("cases", "interrupted", "code"),
    [
        ([], False, ExitCode.OK),
        ([(Verdict.PASS, True), (Verdict.FAIL, True), (Verdict.SKIP, True)], False, ExitCode.OK),
        ([(Verdict.PASS, True), (Verdict.PASS, False)], False, ExitCode.FAILED),
        ([(Verdict.FAIL, False), (Verdict.ERROR, False)], False, ExitCode.COULD_NOT_CHECK),
        ([(Verdict.FAIL, False), (Verdict.ERROR, False)], True, ExitCode.INTERRUPTED),
        ([(Verdict.PASS, True)], True, ExitCode.INTERRUPTED),
    ],
)
def test_the_order_of_the_codes(cases: list[tuple[Verdict, bool]], interrupted: bool, code: ExitCode) -> None:
    run = RunResult(None, tuple(_case(verdict, ok) for verdict, ok in cases), interrupted)
    assert exit_code(run) is code


def test_the_codes_are_those_that_are_documented() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "OK": 0,
        "FAILED": 1,
        "COULD_NOT_CHECK": 2,
        "INTERNAL_ERROR": 3,
        "NOTHING_SELECTED": 5,
        "INTERRUPTED": 130,
        "TERMINATED": 143,
    }


TOUCHES = '''
from pathlib import Path
from gradcheck_cli import op

@op
def touches(x):
    """x."""
    Path("touched").touch()
    return 1 * x

@touches.backward
def _(g):
    return g
'''


def test_nothing_runs_before_every_spec_is_valid(
    write: Callable[..., Path], folder: Path, gradcheck: Callable[..., Any]
) -> None:
    write("my_ops.py", TOUCHES)
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: touches(x)\nparams: {x: 3}\n")
    bad = write("b.grad.yaml", "expr: tanh(x)\nparams: {y: 3}\n")
    ended = gradcheck("run", "a.grad.yaml", "b.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("b.grad.yaml:1:12: error: ")
    assert not (folder / "touched").exists()
    # The same where the bad case isn't even selected: its file was named.
    assert gradcheck("run", ".", "-k", "touches").code == 2
    assert not (folder / "touched").exists()
    bad.unlink()
    assert gradcheck("run", ".").code == 0
    assert (folder / "touched").exists()


def test_a_mistake_is_stronger_than_an_empty_selection(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    write("a.grad.yaml", "expr: tahn(x)\nparams: {x: 3}\n")
    assert gradcheck("run", ".", "-k", "nothing").code == 2
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    assert gradcheck("run", ".", "-k", "nothing").code == 5
