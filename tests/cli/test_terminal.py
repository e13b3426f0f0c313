"""A run at a terminal, as a person sees it: of 80 columns and of 200, with colour and without."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import environment

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs pseudo terminals")

SPEC = """
params: {weights: 3 4, x: 4 1}
cases:
  - {name: right, expr: tanh(weights @ x)}
  - {name: a kink that is far away, expr: relu(weights @ x) + 10}
  - {name: jumps, expr: "sum(where(x > 0.5, x + 1, x)) * sum(weights)"}
  - {name: wrong, expr: exp(weights @ x), expect: fail}
"""
STYLE = re.compile(r"\x1b\[[\d;]*m")
COLORS = {"colour": {"TERM": "xterm"}, "NO_COLOR": {"TERM": "xterm", "NO_COLOR": "1"}, "dumb": {"TERM": "dumb"}}


def at_terminal(folder: Path, columns: int, variables: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Run a command with a terminal of so many columns for all of its streams; return exit code and screen."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    started = subprocess.Popen(
        [sys.executable, "-m", "gradcheck_cli", *arguments],
        cwd=folder,
        env=environment(COLUMNS=None, LINES=None, **variables),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    screen = b""
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:  # Linux says so at the end
            break
        if not read:
            break
        screen += read
    os.close(ours)
    return started.wait(timeout=60), screen.decode().replace("\r\n", "\n")


@pytest.fixture
def specs(write: Callable[..., Path], folder: Path) -> Path:
    """Return a folder with cases that pass, kink and fail."""
    write("a.grad.yaml", SPEC)
    return folder


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("color", COLORS)
def test_a_run_fits_the_terminal_and_nothing_is_cut(specs: Path, columns: int, color: str) -> None:
    code, screen = at_terminal(specs, columns, COLORS[color], "run", "-v", "--sweep")
    plain = STYLE.sub("", screen)
    assert code == 1
    assert ("\x1b" in screen) == (color == "colour")
    assert "\x1b" not in plain
    assert "..." not in plain
    assert "…" not in plain
    for name in ("right", "a kink that is far away", "jumps", "wrong"):
        assert f"\na.grad.yaml  {name}" in f"\n{plain}"
    assert "gradcheck run 'a.grad.yaml::wrong'" in plain or "gradcheck run a.grad.yaml::wrong" in plain
    assert re.search(r"failed, \d passed.* evaluations in \d", plain.splitlines()[-1])
    wide = [line for line in plain.splitlines() if len(line) > columns and not line.lstrip().startswith("gradcheck")]
    assert wide == []


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("color", COLORS)
def test_a_run_that_is_right_ends_well(specs: Path, columns: int, color: str) -> None:
    code, screen = at_terminal(specs, columns, COLORS[color], "run", "-k", "right", "--report", "json=a.json")
    assert code == 0
    assert STYLE.sub("", screen).splitlines()[-1].startswith("0 failed, 1 passed")
    assert (specs / "a.json").exists()


@pytest.mark.parametrize("columns", [80, 200])
def test_the_table_of_operators_fits_the_terminal(folder: Path, columns: int) -> None:
    code, screen = at_terminal(folder, columns, COLORS["NO_COLOR"], "check-ops", "tanh", "relu", "matmul")
    assert code == 0
    assert "\x1b" not in screen
    assert {"tanh", "relu", "matmul"} <= set(screen.split())
    assert [line for line in screen.splitlines() if len(line) > columns] == []
