"""Ctrl-C in this process: heard once, raised where a case runs, remembered elsewhere."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from gradcheck_cli.run.interrupt import Interrupts, hearing


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """Start with Python's own handler, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_it_is_raised_where_a_case_runs() -> None:
    with hearing() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.stopping():
            press()
        assert interrupts.pressed
        assert interrupts.blamed()


def test_it_is_remembered_elsewhere() -> None:
    with hearing() as interrupts:
        press()
        assert interrupts.pressed
        with pytest.raises(KeyboardInterrupt), interrupts.stopping():
            pytest.fail("a case began after Ctrl-C")


def test_a_second_one_is_always_raised() -> None:
    """Who presses again wants out at once, also while something is written."""
    with hearing():
        press()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_who_presses_again_is_heard_whatever_user_code_swallows(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr("os._exit", done.append)
    with hearing() as interrupts:
        interrupts.at_once = lambda: done.append("at once")
        for expected in ([], ["at once"], ["at once", "at once", 130]):
            try:
                press()
            except KeyboardInterrupt:
                pass
            assert done == expected


def test_a_patient_process_is_ended_by_others() -> None:
    interrupts = Interrupts(patient=True)
    interrupts.hear()
    try:
        for _ in range(3):
            press()
        with pytest.raises(KeyboardInterrupt), interrupts.stopping():
            pytest.fail("a case began after Ctrl-C")
    finally:
        interrupts.leave()


def test_one_that_user_code_swallowed_is_raised_at_the_next_look() -> None:
    with hearing() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.stopping():
        interrupts.check()
        try:
            press()
        except KeyboardInterrupt:
            pass
        interrupts.check()


def test_a_keyboard_interrupt_without_ctrl_c_is_not_the_users() -> None:
    with hearing() as interrupts:
        assert not interrupts.blamed()


def test_the_handler_is_given_back() -> None:
    with hearing():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    "handler", [signal.SIG_IGN, signal.SIG_DFL, lambda number, frame: None], ids=["ignored", "default", "own"]
)
def test_the_handler_of_somebody_else_stays(handler: signal.Handlers) -> None:
    signal.signal(signal.SIGINT, handler)
    with hearing() as interrupts:
        assert signal.getsignal(signal.SIGINT) is handler
        assert interrupts.blamed()  # nobody can tell whose it is
    assert signal.getsignal(signal.SIGINT) is handler


def test_another_thread_hears_nothing() -> None:
    heard: list[bool] = []

    def work() -> None:
        with hearing() as interrupts, interrupts.stopping():
            interrupts.check()
            heard.append(interrupts.pressed)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert heard == [False]


def test_nothing_is_heard_without_listening() -> None:
    interrupts = Interrupts()
    interrupts.leave()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not interrupts.pressed
