"""A project whose tests pytest runs, in a process of its own in which gradcheck counts as installed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

# What a wheel says about itself: by this pytest finds the plugin.
INSTALLED = {
    "METADATA": "Metadata-Version: 2.1\nName: gradcheck-cli\nVersion: 0.1.0\n",
    "entry_points.txt": "[pytest11]\ngradcheck = gradcheck_cli.pytest_plugin\n",
}

# Notes the outcome of each test, and which modules the process had loaded in the end.
RECORDER = """
import json, os, sys

tests = {}

def pytest_runtest_logreport(report):
    if report.when == "call" or not report.passed:
        tests[report.nodeid] = report.outcome

def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        with open(os.environ["RECORDED"], "w", encoding="utf-8") as stream:
            json.dump({"tests": tests, "modules": sorted(sys.modules)}, stream)
"""

# Operators of the project, in my_ops.py; the gradient of softsign lacks a square.
OPERATORS = """
    import numpy as np
    from gradcheck_cli import op

    print("loading my_ops")


    @op
    def softsign(x):
        \"\"\"x / (1 + |x|).\"\"\"
        return x / (1 + np.abs(x))


    @softsign.backward
    def _(g, x):
        print("in the backward")
        return g / (1 + np.abs(x))


    @op
    def stuck(x):
        \"\"\"x, if it came back.\"\"\"
        import pathlib, time
        pathlib.Path("begun").touch()
        time.sleep(30)
        return x


    @stuck.backward
    def _(g):
        return g


    @op
    def raising(x):
        \"\"\"Nothing.\"\"\"
        raise RuntimeError("out of order")


    @raising.backward
    def _(g):
        return g
"""


@dataclass(frozen=True)
class Ran:
    """How a run of pytest ended: its exit status, what it wrote, and the outcome of each test by its id."""

    status: int
    out: str
    tests: dict[str, str]
    modules: list[str]

    @property
    def ours(self) -> set[str]:
        """The modules of gradcheck that were loaded."""
        return {name for name in self.modules if name.split(".")[0] == "gradcheck_cli"}


@dataclass(frozen=True)
class Project:
    """A project in a folder of its own."""

    folder: Path
    support: Path

    def environment(self, **changes: str) -> dict[str, str]:
        """Return the environment of pytest's process, without what a run of these tests by pytest put into ours."""
        ours = ("PYTEST_", "COV_", "CI", "BUILD_NUMBER", "GRADCHECK_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        path = os.pathsep.join([str(self.support), str(ROOT)])
        return {**kept, "PYTHONPATH": path, "RECORDED": str(self.support / "recorded.json"), **changes}

    def start(self, *arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        """Start pytest in the project, or in another folder."""

        def prepare() -> None:
            # A test run that was started in the background ignores Ctrl-C, and its children would too.
            signal.signal(signal.SIGINT, signal.default_int_handler)

        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "recorder", *arguments],
            cwd=cwd or self.folder,
            env=self.environment(**variables),
            preexec_fn=prepare,  # noqa: PLW1509 (no threads here)
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def pytest(self, *arguments: str, cwd: Path | None = None, **variables: str) -> Ran:
        """Run pytest to its end."""
        return self.ended(self.start(*arguments, cwd=cwd, **variables))

    def ended(self, started: subprocess.Popen[str]) -> Ran:
        """Wait for the end of what was started."""
        out, _ = started.communicate(timeout=120)
        recorded: dict[str, Any] = json.loads((self.support / "recorded.json").read_text("utf-8"))
        return Ran(started.returncode, out, recorded["tests"], recorded["modules"])

    def gradcheck(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line in the project."""
        command = [sys.executable, "-m", "gradcheck_cli", *arguments]
        environment = self.environment()
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
        )


@pytest.fixture
def project(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, write: Callable[[str, str], Path]) -> Project:
    """A project in a folder of its own, with operators in my_ops.py."""
    support = tmp_path_factory.mktemp("support")
    installed = support / "gradcheck_cli-0.1.0.dist-info"
    installed.mkdir()
    for name, text in INSTALLED.items():
        (installed / name).write_text(text, "utf-8")
    (support / "recorder.py").write_text(RECORDER, "utf-8")
    write("pyproject.toml", "[tool.pytest.ini_options]\n")
    write("my_ops.py", OPERATORS)
    return Project(tmp_path, support)
