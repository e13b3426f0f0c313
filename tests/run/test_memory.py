"""Memory that runs out in a run, in a process of its own: what was finished stays, and what to do is said."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("resource")
if not Path("/proc/self/statm").exists():
    pytest.skip("the size of a process is read from /proc", allow_module_level=True)

ROOT = Path(__file__).parents[2]

# The limit counts from what the process has taken once everything is loaded.
RUN = """
import resource, sys
sys.path.insert(0, sys.argv.pop(1))
more = int(sys.argv.pop(1)) << 20
import numpy as np
import gradcheck_cli.ops
from gradcheck_cli.cli.main import main
import gradcheck_cli.run.runner, gradcheck_cli.verdict.judge, gradcheck_cli.verdict.tier2
square = np.ones((128, 128))
square @ square  # OpenBLAS takes its buffer, and would end the process if it couldn't
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + more, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[1:]))
"""

# What takes one of the last elements needs more than there is.
HEAVY = '''
import numpy as np
from gradcheck_cli import op

first = None

@op
def heavy(x):
    """3 x."""
    global first
    first = x.copy() if first is None else first
    moved = np.flatnonzero(x != first)
    if {fails}:
        np.ones(2**33)
    return 3 * x

@heavy.backward
def _(g):
    return 3 * g
'''


def run(folder: Path, mebibytes: int, *arguments: str) -> tuple[int, Any, str]:
    """Run a spec with so much memory more than the program itself takes; return exit code, the case, and errors."""
    command = [sys.executable, "-c", RUN, str(ROOT), str(mebibytes), "run", "a.grad.yaml", "--format", "json"]
    ended = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "Traceback" not in ended.stdout + ended.stderr
    return ended.returncode, json.loads(ended.stdout)["cases"][0], ended.stderr


def test_chunks_that_cant_be_weighed_are_halved_until_they_fit(folder: Path, write: Callable[..., Path]) -> None:
    """What is made of a chunk takes several times the chunk itself."""
    write(
        "a.grad.yaml",
        "cases: [{name: big, expr: sum(tanh(sum(x) * big)), params: {x: {shape: 24}}, "
        "inputs: {big: {shape: 400 400}}}]",
    )
    code, case, _ = run(folder, 110, "--memory", "4096", "--budget", "none")
    assert (code, case["verdict"], case["error"]) == (0, "pass", None)
    assert [each["checked"] for each in case["parameters"]] == [24]


def test_memory_that_runs_out_in_a_forward_keeps_what_was_finished(folder: Path, write: Callable[..., Path]) -> None:
    write("my_ops.py", HEAVY.format(fails="moved.size == 1 and moved[0] >= 100"))
    write("a.grad.yaml", "ops: [my_ops.py]\ncases: [{name: heavy, expr: heavy(x), params: {x: {shape: 150}}}]")
    code, case, _ = run(folder, 512)
    (x,) = case["parameters"]
    assert (code, case["verdict"]) == (2, "error")
    assert (x["verdict"], x["checked"], x["findings"]) == ("skip", 100, [])
    assert case["evaluations"] >= 2 * x["checked"]
    assert "my_ops.py:13: error: " in case["error"]
    assert "forward of heavy raised MemoryError: Unable to allocate" in case["error"]
    assert "[out-of-memory]" in case["error"]
    assert "memory ran out: lower --memory" in case["error"]
    assert "--sample" in case["error"]


def test_memory_that_runs_out_as_everything_moves_is_said(folder: Path, write: Callable[..., Path]) -> None:
    write("my_ops.py", HEAVY.format(fails="moved.size > 1"))
    write("a.grad.yaml", "ops: [my_ops.py]\ncases: [{name: heavy, expr: heavy(x), params: {x: {shape: 150}}}]")
    code, case, _ = run(folder, 512)
    assert (code, case["verdict"], case["parameters"][0]["checked"]) == (2, "error", 0)
    assert "forward of heavy raised MemoryError: Unable to allocate" in case["error"]
