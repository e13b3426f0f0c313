"""What all commands share: version, help, usage, and how every kind of end becomes an exit code."""

from __future__ import annotations

import errno
import signal
from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli import __version__
from gradcheck_cli.errors import OperatorError, Problem, SpecError


def test_the_version_is_shown(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("--version")
    assert (ended.code, ended.out, ended.err) == (0, f"gradcheck {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["run", "-h"], ["list-ops", "--help"], ["show-op", "--help"]]
)
def test_help_is_shown(gradcheck: Callable[..., Any], arguments: list[str]) -> None:
    ended = gradcheck(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Usage: ")
    assert "\x1b" not in ended.out


def test_the_help_lists_commands_and_exit_codes(gradcheck: Callable[..., Any]) -> None:
    commands = gradcheck("--help").out
    assert all(name in commands for name in ("run", "list-ops", "show-op"))
    assert "5 nothing selected, 130 interrupted" in gradcheck("run", "--help").out


def test_without_a_command_the_help_is_shown_as_a_mistake(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck()
    assert ended.code == 2
    assert "Usage: " in ended.out + ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rum"], "No such command 'rum'. Did you mean 'run'?"),
        (["a.grad.yaml"], "No such command 'a.grad.yaml'. To check it: gradcheck run a.grad.yaml"),
        (["a.yaml::gates", "-q"], "To check it: gradcheck run a.yaml::gates"),
        (["."], "To check it: gradcheck run ."),
        (["run", "--no-such-option"], "No such option: --no-such-option"),
        (["run", "--seed"], "Option '--seed' requires an argument"),
        (["run", "-Z"], "No such option: -Z"),
        (["list-ops", "a", "b"], "unexpected extra argument"),
    ],
)
def test_a_usage_error_is_a_mistake(gradcheck: Callable[..., Any], arguments: list[str], said: str) -> None:
    ended = gradcheck(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


ENDS = [
    (SpecError(Problem("two", code="a-code")), 2, "error: two [a-code]\n"),
    (OperatorError([Problem("one"), Problem("two")]), 2, "error: one\nerror: two\n"),
    (KeyboardInterrupt(), 130, "interrupted\n"),
    (OSError(errno.ENOSPC, "No space left on device"), 2, "error: No space left on device\n"),
    (PermissionError(errno.EACCES, "Permission denied", "a\x1bb"), 2, "error: Permission denied: 'a\\x1bb'\n"),
    (BrokenPipeError(errno.EPIPE, "Broken pipe"), 0, ""),
]


@pytest.mark.parametrize(("error", "code", "said"), ENDS, ids=[type(error).__name__ for error, _, _ in ENDS])
def test_each_kind_of_end_has_its_code(
    gradcheck: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    ended = _with(error, gradcheck, monkeypatch)
    assert (ended.code, ended.out, ended.err) == (code, "", said)


@pytest.mark.parametrize(
    "error", [RuntimeError("odd"), RecursionError(), AssertionError("odd\nness"), GeneratorExit()], ids=repr
)
def test_a_bug_of_ours_is_told_from_a_mistake(
    gradcheck: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    ended = _with(error, gradcheck, monkeypatch)
    assert (ended.code, ended.out) == (3, "")
    assert "Traceback" in ended.err
    assert f"internal error: {type(error).__name__}" in ended.err.splitlines()[-2]
    assert "please report it" in ended.err.splitlines()[-1]


def _with(error: BaseException, gradcheck: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a check that is ended by `error`."""

    def fail(*_: object) -> None:
        if isinstance(error, KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)  # one that nobody pressed is the mistake of an operator file
        raise error

    monkeypatch.setattr("gradcheck_cli.cli.checking.collect_all", fail)
    return gradcheck("run")
