"""Running cases in order: what is told to whom, what stops a run, and that nothing is lost."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.progress import Progress
from gradcheck_cli.run.runner import run_cases

SPEC = """
params: {x: [0.5, 1.5]}
cases:
  - {name: one, expr: tanh(x)}
  - {name: two, expr: exp(x), expect: fail}
  - {name: three, expr: x * x}
"""


@pytest.fixture
def selected(cases: Callable[..., list[Selected]]) -> list[Selected]:
    return cases(SPEC)


@pytest.fixture
def _heard() -> Iterator[None]:
    """Hear Ctrl-C, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_results_come_in_order_and_one_by_one(selected: list[Selected]) -> None:
    told: list[CaseResult] = []
    run = run_cases(selected, Options(seed=4), told.append)
    assert [result.name for result in run.cases] == ["one", "two", "three"]
    assert tuple(told) == run.cases
    assert (run.seed, run.interrupted, run.ok) == (4, False, False)
    assert run.counts[Verdict.PASS] == 3


def test_progress_hears_of_each_case_and_evaluation(selected: list[Selected]) -> None:
    heard: list[str] = []

    class Listener(Progress):
        def case(self, name: str) -> None:
            heard.append(name)

        def evaluation(self, count: int = 1) -> None:
            heard.extend(["evaluation"] * count)

    run_cases(selected, Options(), progress=Listener())
    assert [each for each in heard if each != "evaluation"] == [
        f"a.grad.yaml::{name}" for name in ("one", "two", "three")
    ]
    assert heard.count("evaluation") >= 12
    assert heard[0] == "a.grad.yaml::one"


def test_nothing_selected_is_nothing_run() -> None:
    run = run_cases([], Options())
    assert (run.cases, run.ok) == ((), True)


def test_the_first_that_is_not_as_expected_stops_the_run(selected: list[Selected]) -> None:
    run = run_cases(selected, Options(max_failures=1, seed=4))
    assert [str(result.verdict) for result in run.cases] == ["pass", "pass", "skip"]
    assert run.cases[2].error == "not run: two was not as expected (-x)"
    assert run.cases[2].seed == 4
    assert not run.interrupted
    assert not run.ok


def test_all_as_expected_stops_nothing(cases: Callable[..., list[Selected]]) -> None:
    run = run_cases(cases(SPEC.replace(", expect: fail", "")), Options(max_failures=1))
    assert [str(result.verdict) for result in run.cases] == ["pass", "pass", "pass"]
    assert run.ok


@pytest.mark.usefixtures("_heard")
@pytest.mark.parametrize(
    ("pressed_at", "verdicts"),
    [("one", ["pass", "skip", "skip"]), ("two", ["pass", "pass", "skip"]), ("three", ["pass", "pass", "pass"])],
)
def test_ctrl_c_between_two_cases_keeps_what_was_finished(
    selected: list[Selected], pressed_at: str, verdicts: list[str]
) -> None:
    told: list[str] = []

    def tell(result: CaseResult) -> None:
        if result.name == pressed_at:
            signal.raise_signal(signal.SIGINT)
        told.append(result.name)  # what is being written is written to its end

    run = run_cases(selected, Options(), tell)
    assert [str(result.verdict) for result in run.cases] == verdicts
    assert told == ["one", "two", "three"]
    assert run.interrupted
    assert not run.ok
    assert [result.error for result in run.cases if result.verdict is Verdict.SKIP] == ["interrupted"] * verdicts.count(
        "skip"
    )


@pytest.mark.usefixtures("_heard")
def test_ctrl_c_in_a_case_skips_it_and_the_rest(
    write: Callable[[str, str], Path], cases: Callable[..., list[Selected]]
) -> None:
    write(
        "my_ops.py",
        '''
        import signal
        from gradcheck_cli import op

        @op
        def presses(x):
            """x."""
            signal.raise_signal(signal.SIGINT)
            return 1 * x

        @presses.backward
        def _(g):
            return g
        ''',
    )
    run = run_cases(cases("ops: [my_ops.py]" + SPEC.replace("exp(x)", "presses(x)")), Options())
    assert [str(result.verdict) for result in run.cases] == ["pass", "skip", "skip"]
    assert run.interrupted
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("_heard")
def test_a_second_ctrl_c_ends_the_program_at_once(selected: list[Selected]) -> None:
    def hangs(_: CaseResult) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run_cases(selected, Options(), hangs)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
