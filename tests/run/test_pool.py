"""Cases in several processes: the same results in the same order, and one that dies or hangs takes only its case."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradcheck_cli.records import CaseResult, RunResult, Verdict
from gradcheck_cli.run.collect import Selected, collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.pool import _Begun, _Worker
from gradcheck_cli.run.progress import Progress
from gradcheck_cli.run.runner import run_cases
from gradcheck_cli.run.stops import Stops
from gradcheck_cli.run.worker import Lost

OPERATORS = '''
import os
import signal
import time
from gradcheck_cli import op

@op
def quick(x):
    """x."""
    return 1 * x

@quick.backward
def _(g):
    return g

@op
def odd(x):
    """x, once something was done."""
    {does}
    return 1 * x

@odd.backward
def _(g):
    return {gradient}
'''

SPEC = """
ops: [my_ops.py]
params: {x: [0.5, 1.5], y: [2.0]}
cases:
  - {name: one, expr: tanh(quick(x)) * y}
  - {name: two, expr: odd(x) * y}
  - {name: three, expr: quick(x) * x * y}
  - {name: four, expr: exp(x) * y}
"""

Cases = Callable[..., list[Selected]]
Write = Callable[[str, str], Path]


@pytest.fixture
def make(write: Write, cases: Cases) -> Callable[..., list[Selected]]:
    """Write operators, one of which does something odd, and return the cases."""

    def selected(does: str = "pass", gradient: str = "g") -> list[Selected]:
        write("my_ops.py", OPERATORS.replace("{does}", does).replace("{gradient}", gradient))
        return cases(SPEC)

    return selected


@pytest.fixture
def _heard() -> Iterator[None]:
    """Hear Ctrl-C, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def untimed(run: RunResult) -> RunResult:
    return replace(run, cases=tuple(replace(case, seconds=0.0) for case in run.cases))


def verdicts(run: RunResult) -> list[str]:
    return [str(case.verdict) for case in run.cases]


def test_two_processes_give_the_results_of_one_in_the_same_order(make: Callable[..., list[Selected]]) -> None:
    selected = make(gradient="2 * g")
    told: list[CaseResult] = []
    two = run_cases(selected, Options(jobs=2), told.append)
    assert untimed(two) == untimed(run_cases(selected, Options()))
    assert verdicts(two) == ["pass", "fail", "pass", "pass"]
    assert tuple(told) == two.cases


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "the process that checked it died: killed by SIGKILL"),
        ("os._exit(7)", "the process that checked it died: exit status 7"),
        # A copy of it holds everything open that tells of its end.
        (
            "os._exit(7) if os.fork() else (time.sleep(15), os.mkdir('slept'))",
            "the process that checked it died: exit status 7",
        ),
    ],
)
def test_a_process_that_dies_is_the_error_of_its_case(
    make: Callable[..., list[Selected]], does: str, said: str
) -> None:
    run = run_cases(make(does), Options(jobs=2))
    assert verdicts(run) == ["pass", "error", "pass", "pass"]
    assert said in (run.cases[1].error or "")
    assert not run.interrupted
    assert not Path("slept").exists()


def test_a_single_case_has_a_process_of_its_own(make: Callable[..., list[Selected]]) -> None:
    assert verdicts(run_cases(make("os._exit(7)")[1:2], Options(jobs=2))) == ["error"]


def test_what_is_told_of_another_case_is_not_believed(make: Callable[..., list[Selected]]) -> None:
    item = make()[1]
    ours, theirs = Pipe()
    worker = _Worker(Options())
    worker._process, worker.connection = SimpleNamespace(is_alive=lambda: True), ours  # type: ignore[assignment]
    worker._begun = _Begun(1, item)
    for number, why in ((0, "stale"), (1, "its own")):
        theirs.send((number, Lost(why)))
    heard = [list(worker.hear(Progress(), Stops(None))) for _ in range(2)]
    assert [[result.error for _, result in each] for each in heard] == [[], ["its own"]]


def test_a_process_that_hangs_where_no_alarm_reaches_is_ended(
    make: Callable[..., list[Selected]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradcheck_cli.run.pool._GRACE", 0.2)
    hangs = "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM}); time.sleep(60)"
    started = time.monotonic()
    run = run_cases(make(hangs), Options(jobs=2, knobs={"timeout": 1.0}))
    assert verdicts(run) == ["pass", "error", "pass", "pass"]
    assert "ran out of its 1 s" in (run.cases[1].error or "")
    assert time.monotonic() - started < 50


def test_an_alarm_ends_a_case_in_its_process(make: Callable[..., list[Selected]]) -> None:
    run = run_cases(make("time.sleep(60)"), Options(jobs=2, knobs={"timeout": 1.0}))
    assert verdicts(run) == ["pass", "error", "pass", "pass"]
    assert "ran out of its 1 s" in (run.cases[1].error or "")


def test_after_the_first_failure_nothing_more_is_begun(make: Callable[..., list[Selected]]) -> None:
    selected = make(gradient="2 * g")
    run = run_cases([selected[1], *selected * 5], Options(jobs=2, max_failures=1))
    skipped = [case for case in run.cases if case.verdict is Verdict.SKIP]
    assert verdicts(run)[0] == "fail"
    assert len(skipped) > 10
    assert {case.error for case in skipped} == {"not run: two was not as expected (-x)"}


@pytest.mark.usefixtures("_heard")
def test_ctrl_c_keeps_what_was_finished(make: Callable[..., list[Selected]], tmp_path: Path) -> None:
    asleep = tmp_path / "asleep"
    selected = make(f"open({str(asleep)!r}, 'w').close(); time.sleep(60)")

    def press() -> None:
        while not asleep.exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    # The second case sleeps; the ones before it and beside it were through, or are skipped.
    run = run_cases(selected[:2], Options(jobs=2))
    assert run.interrupted
    assert run.cases[1].verdict is Verdict.SKIP
    assert run.cases[1].error == "interrupted"
    assert not run.ok


def test_a_fault_of_the_program_itself_is_told_as_one(
    make: Callable[..., list[Selected]], write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    selected = make()
    # A worker imports this before it works, as Python does with any module of this name.
    write("broken/sitecustomize.py", "import gradcheck_cli.run.case as c\nc._judge = lambda *a: 1 / 0\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["broken", *os.environ.get("PYTHONPATH", "").split(os.pathsep)]))
    with pytest.raises(RuntimeError, match=r"in the process that checked a\.grad\.yaml::(?s:.)*ZeroDivisionError"):
        run_cases(selected, Options(jobs=2))


def test_a_spec_that_changes_meanwhile_is_an_error(make: Callable[..., list[Selected]], write: Write) -> None:
    selected = make()
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 1.0}\n")
    run = run_cases(selected, Options(jobs=2))
    assert verdicts(run) == ["error"] * 4
    assert "a.grad.yaml was changed while it was checked" in (run.cases[0].error or "")


def test_standard_input_is_handed_to_every_process(
    make: Callable[..., list[Selected]], monkeypatch: pytest.MonkeyPatch
) -> None:
    selected = make()
    piped = [replace(item, file=replace(item.file, path=None, shown="-", text=SPEC)) for item in selected]
    assert verdicts(run_cases(piped, Options(jobs=2))) == ["pass"] * 4


def test_news_of_the_workers_reach_who_watches(make: Callable[..., list[Selected]]) -> None:
    heard: list[str] = []

    class Listener(Progress):
        def case(self, name: str) -> None:
            heard.append(name)

        def evaluation(self, count: int = 1) -> None:
            heard.append("evaluation")

        def expect(self, evaluations: int, seconds: float) -> None:
            heard.append("expectation")

    run_cases(make("time.sleep(0.1)"), Options(jobs=2), progress=Listener())
    assert [each for each in heard if not each.startswith("e")] == [
        f"a.grad.yaml::{name}" for name in ("one", "two", "three", "four")
    ]
    assert {"evaluation", "expectation"} < set(heard)


TWO_LARGE = """
params: {x: {shape: 20000}}
cases:
  - {name: one, expr: mean(cumsum(x) ** 2), check: {budget: 0.001}}
  - {name: two, expr: mean(cumsum(x) ** 2), check: {budget: 0.001}}
"""


def test_news_are_told_of_the_case_that_they_are_of(write: Write) -> None:
    write("large.grad.yaml", TWO_LARGE)
    told: list[str] = []

    class Listener(Progress):
        name = ""

        def case(self, name: str) -> None:
            self.name = name

        def about(self, name: str) -> None:
            self.name = name

        def plan(self, text: str) -> None:
            told.append(self.name)

    options = Options(paths=("large.grad.yaml",), jobs=2)
    run_cases(collect(options), options, progress=Listener())
    assert sorted(told) == ["large.grad.yaml::one", "large.grad.yaml::two"]
