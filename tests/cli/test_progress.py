"""The progress bar: on a terminal, for a run that takes longer than a second, and gone before anything is written."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli import progress
from gradcheck_cli.cli.progress import ProgressBar

OPERATORS = '''
import time
from gradcheck_cli import op

@op
def slow(x):
    """x."""
    time.sleep(0.1)
    return 1 * x

@slow.backward
def _(g):
    return g
'''

SPEC = """
ops: [my_ops.py]
params: {x: [1.0]}
cases:
  - {name: quick, expr: tanh(x)}
  - {name: takes a while, expr: slow(x)}
  - {name: last, expr: tanh(x)}
"""


@pytest.fixture
def on_a_terminal(start: Callable[..., subprocess.Popen[bytes]]) -> Callable[..., str]:
    """Run the command line on a terminal; return what it was sent."""

    def run(*arguments: str, only_stderr: bool = False, **variables: str) -> str:
        master, slave = pty.openpty()
        out = subprocess.DEVNULL if only_stderr else slave
        env = {"TERM": "xterm", "COLUMNS": "100", "LINES": "24", **variables}
        started = start("run", *arguments, env=env, stdin=slave, stdout=out, stderr=slave)
        os.close(slave)
        sent = b""
        while chunk := _read(master):
            sent += chunk
        os.close(master)
        assert started.wait(timeout=60) == 0
        return sent.decode()

    return run


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end was closed
        return b""


def screen(sent: str) -> list[str]:
    """Return the lines that are left on a screen: those that a bar was drawn on are wiped and written over."""
    lines = [""]
    for part in re.split(r"(\r\n|\r|\x1b\[\d*[A-Za-z]|\x1b\[[?;\d]*[A-Za-z])", sent):
        if part == "\r\n":
            lines.append("")
        elif part == "\x1b[1A":
            lines.pop()
        elif part in ("\r", "\x1b[2K"):
            lines[-1] = "" if part == "\x1b[2K" else lines[-1]
        elif not part.startswith("\x1b"):
            lines[-1] += part
    return lines


def test_the_bar_is_shown_and_leaves_the_report_whole(
    write: Callable[..., Path], on_a_terminal: Callable[..., str]
) -> None:
    write("my_ops.py", OPERATORS)
    write("a.grad.yaml", SPEC)
    sent = on_a_terminal("a.grad.yaml", "--color", "never")
    assert "1/3" in sent
    assert "a.grad.yaml::takes a while" in sent
    assert "\x1b[?25h" in sent.split("\x1b[?25l")[-1]  # the cursor is there again
    left = screen(sent)
    assert [line for line in left if line.startswith("a.grad.yaml")] == [
        "a.grad.yaml  quick",
        "a.grad.yaml  takes a while",
        "a.grad.yaml  last",
    ]
    assert not any("━" in line for line in left)
    assert left[-2].startswith("0 failed, 3 passed")


def test_json_on_a_file_leaves_the_bar_to_the_terminal(
    write: Callable[..., Path], on_a_terminal: Callable[..., str]
) -> None:
    write("my_ops.py", OPERATORS)
    write("a.grad.yaml", SPEC)
    sent = on_a_terminal("a.grad.yaml", "--format", "json", only_stderr=True)
    assert "a.grad.yaml::takes a while" in sent
    assert [line for line in screen(sent) if line] == []


def test_there_is_no_bar_off_a_terminal(write: Callable[..., Path], process: Callable[..., Any]) -> None:
    """Not even where variables force colour into files, as continuous integration does."""
    write("my_ops.py", OPERATORS)
    write("a.grad.yaml", SPEC)
    forced = {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "TTY_INTERACTIVE": "1"}
    ended = process("run", "a.grad.yaml", env=forced)
    assert (ended.code, ended.err) == (0, "")
    assert "1/3" not in ended.out


def test_a_quick_run_shows_no_bar(write: Callable[..., Path], on_a_terminal: Callable[..., str]) -> None:
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    assert "::" not in on_a_terminal("a.grad.yaml")


def test_a_terminal_without_a_cursor_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr("sys.stderr", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setattr(progress, "_DELAY", -1.0)
    monkeypatch.setattr(ProgressBar, "_show", lambda self: drawn.append(os.environ["TERM"]))
    for terminal in ("dumb", "xterm"):
        monkeypatch.setenv("TERM", terminal)
        with ProgressBar(2) as bar:
            bar.case("a.grad.yaml::one")
            bar.evaluation()
    assert drawn == ["xterm"]
