"""Deadlines: by an alarm in the main thread, by looking at the clock elsewhere."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from gradcheck_cli.run.deadline import Deadline, TimeRanOut, deadline


def test_without_a_timeout_nothing_ends() -> None:
    with deadline(None) as limit:
        limit.check()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("how", ["sleep", "loop"])
def test_an_alarm_ends_what_hangs(how: str) -> None:
    started = time.monotonic()
    with pytest.raises(TimeRanOut), deadline(0.05):
        if how == "sleep":
            time.sleep(60)
        while True:
            pass
    assert time.monotonic() - started < 30


def test_the_alarm_is_taken_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with deadline(0.05):
        assert signal.getsignal(signal.SIGALRM) is not before
    time.sleep(0.1)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_an_except_of_an_operator_swallows_it_once_only() -> None:
    with pytest.raises(TimeRanOut), deadline(0.05) as limit:
        try:
            time.sleep(60)
        except BaseException:
            pass
        limit.check()


def test_an_except_for_exceptions_does_not_swallow_it() -> None:
    reached = []
    with pytest.raises(TimeRanOut), deadline(0.05):
        try:
            time.sleep(60)
        except Exception:
            reached.append("swallowed")
    assert reached == []


def test_another_thread_looks_at_the_clock() -> None:
    ends: list[str] = []

    def work() -> None:
        try:
            with deadline(0.02) as limit:
                limit.check()
                ends.append("in time")
                time.sleep(0.05)
                limit.check()
        except TimeRanOut:
            ends.append("too late")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ends == ["in time", "too late"]


@pytest.mark.parametrize("seconds", [1e9, 1e300])
def test_a_deadline_may_be_very_far(seconds: float) -> None:
    with deadline(seconds) as limit:
        limit.check()
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 1e6


def test_a_deadline_may_be_over_at_once() -> None:
    limit = Deadline(1e-9)
    time.sleep(0.001)
    with pytest.raises(TimeRanOut):
        limit.check()
