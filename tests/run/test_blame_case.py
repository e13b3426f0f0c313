"""Blame in a run: where the calls stand, what a stop leaves, and that it costs nothing where everything passes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.findings.blame import blaming
from gradcheck_cli.records import Blame, CaseResult, Verdict
from gradcheck_cli.run.case import Interrupted, check_case
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.deadline import TimeRanOut
from gradcheck_cli.run.interrupt import Interrupts, hearing
from gradcheck_cli.run.options import Options

ROOT = Path(__file__).parent.parent.parent
OPERATORS = '''
import numpy as np
from gradcheck_cli import op

@op
def half_wrong(x, y):
    """x * y, whose gradient for y is wrong."""
    return x * y

@half_wrong.backward
def _(g, x, y):
    return g * y, 2 * g * x

@op
def stairs(x):
    """tanh(x) in steps, which nobody can differentiate."""
    return np.round(np.tanh(x), 4)

@stairs.backward
def _(g, x):
    return g / np.cosh(x) ** 2
'''
SPEC = """
ops: [my_ops.py]
name: a case
params: {x: [1.0, 2.0], y: [3.0, 4.0]}
expr: |
  h = tanh(half_wrong(x, y))
  sum(h * (y
       + half_wrong(h, y)))
"""

Cases = Callable[..., list[Selected]]


@pytest.fixture
def wrong(write: Callable[[str, str], Path], cases: Cases) -> Selected:
    """A case that fails."""
    write("my_ops.py", OPERATORS)
    (item,) = cases(SPEC)
    return item


@pytest.fixture
def heard() -> Iterator[Interrupts]:
    """Hear Ctrl-C, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with hearing() as interrupts:
        yield interrupts
    signal.signal(signal.SIGINT, before)


def blame_of(result: CaseResult) -> Blame:
    assert result.verdict is Verdict.FAIL, result
    assert result.blame is not None
    return result.blame


def stop_at(monkeypatch: pytest.MonkeyPatch, number: int, stop: Callable[[], None]) -> None:
    """Let `stop` be called before the application of that number is checked alone."""
    whole, calls = blaming.check_alone, []

    def check_alone(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == number:
            stop()
        return whole(*arguments)

    monkeypatch.setattr(blaming, "check_alone", check_alone)


def raising(error: BaseException) -> Callable[[], None]:
    def stop() -> None:
        raise error

    return stop


def test_every_wrong_call_is_given_by_line_and_column(wrong: Selected) -> None:
    result = check_case(wrong.case, wrong.parameters, Options())
    (culprit,) = blame_of(result).culprits
    assert (culprit.operator, culprit.argument, culprit.applications) == ("half_wrong", "y", 2)
    assert [str(place) for place in culprit.places] == ["a.grad.yaml:7:10", "a.grad.yaml:5:12"]
    assert (culprit.backward and culprit.backward.line) == 10


def test_an_expected_failure_has_its_blame(cases: Cases, wrong: Selected) -> None:
    (item,) = cases(SPEC + "expect: {y: fail}\n")
    result = check_case(item.case, item.parameters, Options())
    assert result.ok
    assert [culprit.operator for culprit in blame_of(result).culprits] == ["half_wrong"]


def test_what_passes_and_what_is_undecided_has_no_blame(cases: Cases, wrong: Selected) -> None:
    (item,) = cases("expr: tanh(x)\nparams: {x: [1.0]}\n")
    assert check_case(item.case, item.parameters, Options()).blame is None
    assert check_case(wrong.case, [], Options()).blame is None
    (undecided,) = cases("ops: [my_ops.py]\nexpr: stairs(x)\nparams: {x: [1.0]}\n")
    result = check_case(undecided.case, undecided.parameters, Options())
    assert (result.verdict, result.blame) == (Verdict.INCONCLUSIVE, None)


def test_a_deadline_in_the_middle_keeps_verdict_and_culprits(wrong: Selected, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_at(monkeypatch, 2, raising(TimeRanOut()))
    result = check_case(wrong.case, wrong.parameters, Options(knobs={"timeout": 600}))
    blame = blame_of(result)
    assert [culprit.operator for culprit in blame.culprits] == ["half_wrong"]  # a person's own operators come first
    assert blame.notes == (f"the case ran out of its 600 s: 1 of {blame.applications} applications were checked",)
    assert result.error is None


def test_ctrl_c_in_the_middle_keeps_verdict_and_culprits(
    wrong: Selected, heard: Interrupts, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(monkeypatch, 2, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(Interrupted) as caught:
        check_case(wrong.case, wrong.parameters, Options(), interrupts=heard)
    result = caught.value.result
    assert (result.error, result.ok) == (None, False)
    assert [parameter.verdict for parameter in result.parameters] == [Verdict.PASS, Verdict.FAIL]
    blame = blame_of(result)
    assert [culprit.operator for culprit in blame.culprits] == ["half_wrong"]
    assert blame.notes == (f"interrupted: 1 of {blame.applications} applications were checked",)


def test_an_operator_that_raises_in_the_middle_keeps_the_verdict(
    wrong: Selected, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(monkeypatch, 1, raising(OperatorError(Problem("forward of tanh raised"))))
    blame = blame_of(check_case(wrong.case, wrong.parameters, Options()))
    assert blame.culprits == ()
    assert blame.notes == (f"forward of tanh raised: 0 of {blame.applications} applications were checked",)


def test_a_bug_of_blame_is_shown(wrong: Selected, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_at(monkeypatch, 1, raising(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        check_case(wrong.case, wrong.parameters, Options())


@pytest.mark.parametrize(("right", "imported"), [(True, "False"), (False, "True")])
def test_blame_is_imported_only_where_something_fails(
    write: Callable[[str, str], Path], folder: Path, right: bool, imported: str
) -> None:
    write("my_ops.py", OPERATORS)
    write("a.grad.yaml", SPEC.replace("half_wrong", "multiply") if right else SPEC)
    program = (
        "import sys\n"
        "from gradcheck_cli.run.case import check_case\n"
        "from gradcheck_cli.run.collect import collect\n"
        "from gradcheck_cli.run.options import Options\n"
        "(item,) = collect(Options(paths=('a.grad.yaml',)))\n"
        "check_case(item.case, item.parameters, Options())\n"
        "print(any('blame_' in name for name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{program}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == [imported]
