"""The command line as a person calls it: in this process where that is enough, in its own where it matters."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli.main import main
from tests.cli.checked_operators import OPERATORS, RIGHT

ROOT = Path(__file__).parents[2]

Write = Callable[[str, str], Path]


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which has to be JSON and nothing else."""
        return json.loads(self.out)

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each case by its name."""
        return {case["name"]: case["verdict"] for case in self.json["cases"]}

    @property
    def ids(self) -> list[str]:
        """The ids of what was checked, FILE::case::param."""
        return [f"{case['id']}::{each['name']}" for case in self.json["cases"] for each in case["parameters"]]


@pytest.fixture
def write(folder: Path, write: Write) -> Write:
    """Write a file of the current folder."""
    return write


@pytest.fixture
def mine(write: Write) -> Callable[..., Path]:
    """Write my_ops.py, with `shift` as the gradient of an argument; return its path."""

    def put(shift: str = RIGHT) -> Path:
        return write("my_ops.py", OPERATORS.replace("{shift}", shift))

    return put


@pytest.fixture
def gradcheck(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Call the command line in this process, in the folder."""

    def call(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        try:
            with pytest.raises(SystemExit) as end:
                main([str(argument) for argument in arguments])
        finally:
            gc.enable()  # the process goes on here
        written = capsys.readouterr()
        return Ended(int(end.value.code or 0), written.out, written.err)

    return call


def environment(**changes: str | None) -> dict[str, str]:
    """Return the environment of a new process, in which the checkout can be imported; None removes a variable."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    return {name: value for name, value in variables.items() if value is not None}


@pytest.fixture
def start(folder: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start the command line in a process of its own, in the folder.

    `env` adds to the environment, `closed` are file descriptors that the process doesn't have, and
    `ctrl_c` is what it starts with; other keywords go to Popen.
    """

    def popen(
        *arguments: str | Path,
        env: dict[str, str | None] | None = None,
        closed: Sequence[int] = (),
        ctrl_c: signal.Handlers = signal.SIG_DFL,
        **how: Any,
    ) -> subprocess.Popen[bytes]:
        def prepare() -> None:
            # A test run that was started in the background ignores Ctrl-C, and its children would too.
            signal.signal(signal.SIGINT, ctrl_c)
            for descriptor in closed:
                os.close(descriptor)

        return subprocess.Popen(
            [sys.executable, "-m", "gradcheck_cli", *map(str, arguments)],
            env=environment(**(env or {})),
            preexec_fn=prepare,  # noqa: PLW1509 (no threads here)
            **{"cwd": folder, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how},
        )

    return popen


@pytest.fixture
def process(start: Callable[..., subprocess.Popen[bytes]]) -> Callable[..., Ended]:
    """Run the command line in a process of its own, in the folder, to its end."""

    def run(*arguments: str | Path, text: bytes | None = None, **how: Any) -> Ended:
        if text is not None:
            how["stdin"] = subprocess.PIPE
        started = start(*arguments, **how)
        out, err = started.communicate(text, timeout=60)
        return Ended(started.returncode, (out or b"").decode(), (err or b"").decode())

    return run
