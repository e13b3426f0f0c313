"""A scratch repository with an operator and its spec, and a PATH on which this checkout's program is found."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent

OPERATOR = '''\
"""An operator with a backward of its own."""

import numpy as np
from gradcheck_cli import op


@op
def softsign(x):
    """x / (1 + |x|)."""
    return x / (1 + np.abs(x))


@softsign.backward
def _(g, x):
    return g / (1 + np.abs(x)) ** 2
'''
WRONG_OPERATOR = OPERATOR.replace("return g / (1 + np.abs(x)) ** 2", "return -g / (1 + np.abs(x)) ** 2")
SPEC = "ops: [my_ops.py]\nexpr: softsign(x)\nparams: {x: [-2, -0.5, 0.5, 1.5]}\n"


def run_module(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run somebody else's program, a module of this environment; its output holds both streams."""
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )


class Scratch:
    """A folder, with a PATH on which `gradcheck` and `python` are those of this checkout and this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repository"
        self.folder.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()
        python = shlex.quote(sys.executable)
        self.program("gradcheck", f'PYTHONPATH={shlex.quote(str(ROOT))} exec {python} -m gradcheck_cli "$@"')
        self.program("python", f'exec {python} "$@"')
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT", "SKIP"))
        }
        self.environment = {
            **kept,
            "PATH": os.pathsep.join([str(self.bin), os.environ.get("PATH", os.defpath)]),
            "HOME": str(folder),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "PRE_COMMIT_HOME": str(folder / "pre-commit"),
        }

    def program(self, name: str, script: str) -> None:
        """Put a shell script on the PATH."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def write(self, name: str, text: str) -> Path:
        """Write a file of the repository; return its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(
        self, command: Sequence[str], more: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the repository, with `more` in its environment; its output holds both streams."""
        return subprocess.run(
            command,
            cwd=folder or self.folder,
            env={**self.environment, **(more or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )

    def git(self, *arguments: str) -> str:
        """Run git and return its output; it has to succeed."""
        done = self.run(["git", *arguments])
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()
