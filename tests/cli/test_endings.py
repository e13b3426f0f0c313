"""Which of several ends of a command counts, and whose Ctrl-C it was."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from gradcheck_cli.cli.endings import interrupt_first, operators_interrupts, said_too
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.errors import GradcheckError, OperatorError, Problem

RAISES = "from gradcheck_cli import op\n\nraise KeyboardInterrupt\n"
SWALLOWS = """
import os, time
from gradcheck_cli import op

try:
    os.write(2, b"sleeping\\n")
    time.sleep(60)
except BaseException:
    pass

@op
def pressed(x):
    '''x.'''
    return 1 * x

@pressed.backward
def _(g):
    return g
"""
SLEEPS = 'import os, time\n\nos.write(2, b"sleeping\\n")\ntime.sleep(60)\n'
PRESSES = '''
import os
import signal
from gradcheck_cli import op

@op
def pressed(x):
    """x."""
    os.kill(os.getpid(), signal.SIGINT)
    return 1 * x

@pressed.backward
def _(g):
    return g
'''
SPEC = "ops: [my_ops.py]\nexpr: pressed(x)\nparams: {x: 1.5}\n"


@pytest.mark.parametrize(
    "command",
    [
        ["run", "a.grad.yaml"],
        ["run", "--ops", "my_ops.py", "b.grad.yaml"],
        ["check-ops", "--ops", "my_ops.py"],
        ["list-ops", "--ops", "my_ops.py"],
        ["graph", "a.grad.yaml"],
    ],
    ids=" ".join,
)
def test_an_operator_file_that_interrupts_itself_is_a_mistake_with_its_place(
    write: Callable[..., Path], gradcheck: Callable[..., Any], command: list[str]
) -> None:
    path = write("my_ops.py", RAISES)
    write("a.grad.yaml", SPEC)
    write("b.grad.yaml", "expr: tanh(x)\nparams: {x: 1.5}\n")
    ended = gradcheck(*command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"{path}:3: error: an operator file doesn't import: KeyboardInterrupt")
    assert "interrupted" not in ended.err


@pytest.mark.parametrize("text", [SLEEPS, SWALLOWS], ids=["heard", "swallowed"])
def test_ctrl_c_while_operator_files_are_read_is_an_interrupt(
    write: Callable[..., Path], start: Callable[..., subprocess.Popen[bytes]], text: str
) -> None:
    write("my_ops.py", text)
    write("a.grad.yaml", SPEC)
    started = start("run", "a.grad.yaml")
    assert started.stderr is not None
    assert started.stderr.readline() == b"sleeping\n"
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, b"", b"interrupted\n")


def test_an_interrupt_goes_before_a_report_that_cannot_be_written(
    write: Callable[..., Path], process: Callable[..., Any]
) -> None:
    write("my_ops.py", PRESSES)
    write("a.grad.yaml", SPEC)
    write("file", "")
    ended = process("run", "a.grad.yaml", "--report", "json=file/a.json")
    assert ended.code == 130
    assert "file/a.json: error: the report can't be written: " in ended.err
    assert ended.err.endswith("interrupted\n")
    assert "1 skipped" in ended.out or "interrupted" in ended.out
    checked = process("check-ops", "--ops", "my_ops.py", "--report", "json=file/a.json")
    assert checked.code == 130
    assert "the report can't be written" in checked.err


def test_without_an_interrupt_the_error_is_raised(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OSError, match="full"), interrupt_first(lambda: ExitCode.FAILED):
        raise OSError("full")
    with pytest.raises(typer.Exit) as end, interrupt_first(lambda: ExitCode.INTERRUPTED):
        raise OSError("full")
    assert end.value.exit_code == 130
    assert capsys.readouterr().err == "error: full\n"
    with pytest.raises(ValueError, match="a bug"), interrupt_first(lambda: ExitCode.INTERRUPTED):
        raise ValueError("a bug")


def test_what_was_wrong_before_a_report_is_said_before_it() -> None:
    with pytest.raises(GradcheckError) as caught, said_too(GradcheckError(Problem("first"))):
        raise GradcheckError(Problem("second"))
    assert [problem.message for problem in caught.value.problems] == ["first", "second"]


def test_a_key_that_was_pressed_is_told_from_a_raise() -> None:
    with pytest.raises(OperatorError, match="doesn't import: KeyboardInterrupt"), operators_interrupts():
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt), operators_interrupts():
        signal.raise_signal(signal.SIGINT)
        raise KeyboardInterrupt  # where the runner of these tests ignores Ctrl-C


def test_specs_that_cannot_be_read_are_said_with_reports_that_cannot_be_written(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    write("a.grad.yaml", "expr: nowhere(x)\nparams: {x: 1}\n")
    write("file", "")
    ended = gradcheck("run", "--report", "json=file/a.json")
    assert ended.code == 2
    assert "a.grad.yaml:1:7: error: unknown operator 'nowhere'" in ended.err
    assert "file/a.json: error: the report can't be written" in ended.err
