"""Operators in order, each with its own end: right, wrong, too slow, interrupted, broken."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradcheck_cli import arr, ints
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import MissingDevice, Problem, Skipped
from gradcheck_cli.operator_records import OperatorsResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.check_operators import NOTHING_TO_CHECK, check_operator, check_operators
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.progress import Progress
from gradcheck_cli.run.stops import INTERRUPTED
from tests.run.marked import make

OPTIONS = OperatorOptions(samples=1)


def double(x: Any) -> Any:
    return 2 * x


RIGHT = make(double, lambda g: 2 * g)
WRONG = replace(make(double, lambda g: g), name="wrong")


def raising(error: BaseException, after: int = 0) -> Operator:
    """An operator that raises when it has been called so many times."""
    calls: list[int] = []

    def touchy(x: Any) -> Any:
        calls.append(1)
        if len(calls) > after:
            raise error
        return 2 * x

    return make(touchy, lambda g: 2 * g)


def verdicts(result: OperatorsResult) -> dict[str, str]:
    return {each.name: str(each.verdict) for each in result.operators}


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """Start with Python's own handler of Ctrl-C, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_each_operator_has_its_result_in_order() -> None:
    result = check_operators([WRONG, RIGHT], replace(OPTIONS, seed=4))
    assert verdicts(result) == {"wrong": "fail", "double": "pass"}
    assert (result.seed, result.samples, result.ok, result.interrupted) == (4, 1, False, False)
    assert (result.counts[Verdict.FAIL], result.counts[Verdict.PASS]) == (1, 1)
    assert all(each.seconds > 0 for each in result.operators)
    assert check_operators([RIGHT], OPTIONS).ok


def test_a_verdict_does_not_depend_on_the_neighbours() -> None:
    (alone,) = check_operators([RIGHT], OPTIONS).operators
    among = check_operators([WRONG, RIGHT, WRONG], OPTIONS).operators[1]
    assert [each.words for each in alone.variants] == [each.words for each in among.variants]
    for one, other in zip(alone.variants, among.variants, strict=True):
        assert np.array_equal(one.arrays[0], other.arrays[0])
        assert one.case.parameters[0].max_rel_err == other.case.parameters[0].max_rel_err


def test_without_a_gradient_there_is_nothing_to_check() -> None:
    result = check_operator(Operator("count", lambda x: x, (Input("x", ints(below=3)),)), OPTIONS)
    assert (result.verdict, result.ok, result.error, result.variants) == (Verdict.SKIP, True, NOTHING_TO_CHECK, ())


def test_a_wrong_gradient_goes_before_what_raises() -> None:
    """That something couldn't be checked must not hide that something else is wrong."""

    def backward(g: Any, x: Any) -> Any:
        if x.ndim == 0:
            raise IndexError("too few")
        return 2 * g if x.shape != (3,) else g

    def doubled(x: Any) -> Any:
        return 2 * x

    result = check_operator(make(doubled, backward), OPTIONS)
    assert {each.case.verdict for each in result.faults} == {Verdict.ERROR, Verdict.FAIL}
    assert result.verdict is Verdict.FAIL


def test_what_cannot_be_drawn_is_an_error_of_this_operator_alone() -> None:
    odd = replace(make(double, lambda g: 2 * g, x=arr("n k", spd=True)), name="odd")
    result = check_operators([odd, RIGHT], OPTIONS)
    assert verdicts(result) == {"odd": "error", "double": "pass"}
    assert "can't draw arguments for odd" in (result.operators[0].error or "")


def test_what_is_not_written_yet_is_skipped() -> None:
    result = check_operator(raising(Skipped(Problem("not written yet"))), OPTIONS)
    assert (result.verdict, result.error, result.ok) == (Verdict.SKIP, "not written yet", True)


def test_a_missing_device_is_an_error_if_it_is_required() -> None:
    missing = raising(MissingDevice("cuda"))
    assert check_operator(missing, OPTIONS).verdict is Verdict.SKIP
    required = check_operator(missing, replace(OPTIONS, require_devices=("cuda",)))
    assert required.verdict is Verdict.ERROR
    assert "not checked on cuda" in (required.error or "")
    assert check_operator(missing, replace(OPTIONS, require_devices=("mps",))).verdict is Verdict.SKIP


def test_an_operator_that_hangs_runs_out_of_its_time() -> None:
    def slow(x: Any) -> Any:
        time.sleep(60 if x.ndim < 2 else 0)
        return 2 * x

    result = check_operator(make(slow, lambda g: 2 * g), replace(OPTIONS, given={"timeout": 1.5}))
    assert result.verdict is Verdict.ERROR
    assert "slow ran out of its 1.5 s" in (result.error or "")
    assert "--timeout" in (result.error or "")
    assert result.variants  # what was finished is kept


class Strange(BaseException):
    """No Exception."""


def test_what_comes_past_every_net_is_an_error_of_the_operator() -> None:
    result = check_operator(raising(Strange("odd"), after=100), OPTIONS)
    assert result.verdict is Verdict.ERROR
    assert "forward of touchy raised Strange: odd" in (result.error or "")
    assert result.variants


def test_what_the_program_itself_raises_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradcheck_cli.run.operator_trials.variants_of", None)
    with pytest.raises(TypeError, match="not callable"):
        check_operator(RIGHT, OPTIONS)


def test_ctrl_c_keeps_what_was_finished_and_skips_the_rest() -> None:
    calls: list[int] = []

    def stopped(x: Any) -> Any:
        calls.append(1)
        if len(calls) == 100:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        return 2 * x

    result = check_operators([RIGHT, make(stopped, lambda g: 2 * g), WRONG], OPTIONS)
    assert verdicts(result) == {"double": "pass", "stopped": "skip", "wrong": "skip"}
    assert [each.error for each in result.operators[1:]] == [INTERRUPTED, INTERRUPTED]
    assert result.operators[1].variants
    assert result.interrupted
    assert not result.ok


def test_a_keyboard_interrupt_of_the_operators_own_is_an_error() -> None:
    result = check_operators([raising(KeyboardInterrupt()), RIGHT], OPTIONS)
    assert [str(each.verdict) for each in result.operators] == ["error", "pass"]
    assert not result.interrupted


def test_progress_hears_of_operators_and_evaluations() -> None:
    class Heard(Progress):
        def __init__(self) -> None:
            self.names: list[str] = []
            self.evaluations = 0

        def case(self, name: str) -> None:
            self.names.append(name)

        def evaluation(self, count: int = 1) -> None:
            self.evaluations += count

    heard = Heard()
    check_operators([RIGHT, WRONG], OPTIONS, heard)
    assert heard.names == ["double", "wrong"]
    assert heard.evaluations > 50


def test_outside_of_the_main_thread_it_works_as_well() -> None:
    results: list[OperatorsResult] = []
    thread = threading.Thread(target=lambda: results.append(check_operators([RIGHT], OPTIONS)))
    thread.start()
    thread.join()
    assert verdicts(results[0]) == {"double": "pass"}


def test_the_result_says_where_and_on_what() -> None:
    result = check_operator(replace(RIGHT, label="cuda float32"), replace(OPTIONS, seed=9))
    assert (result.name, result.line, result.label, result.seed) == ("double", RIGHT.line, "cuda float32", 9)
    assert result.file == __file__
