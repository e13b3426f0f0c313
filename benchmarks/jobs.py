"""The part of the benchmark that asks what a second process brings: whole runs of one heavy suite."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HIDDEN = 58
"""How wide each network is: HIDDEN * (HIDDEN + 11) + 10 elements, some 4,000."""

_SUITE = """
params:
  W1: {{shape: {hidden} {hidden}, init: xavier}}
  b1: {{shape: {hidden}}}
  W2: {{shape: {hidden} 10, init: xavier}}
  b2: {{shape: 10}}
inputs:
  x: 32 {hidden}
  y: {{shape: 32, below: 10}}
cases:
"""
_CASE = "  - {{name: network {number}, expr: 'cross_entropy(tanh(x @ W1 + b1) @ W2 + b2, y)', seed: {number}}}\n"
_TIMES = re.compile(r"\bin \d+\.\d\d s\b")


def suite(cases, hidden=HIDDEN):
    """Return the text of the suite."""
    return _SUITE.format(hidden=hidden) + "".join(_CASE.format(number=number) for number in range(cases))


def without_times(text):
    """Return the text of a run with its times left out."""
    return _TIMES.sub("in TIME", text)


def jobs(repetitions, cases, hidden=HIDDEN):
    """Return the median wall seconds of `run -j 1` and `-j 2`, and whether they say the same but for times.

    They are whole processes, timed in turns.
    """
    environment = {**os.environ, "NO_COLOR": "1"}
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        environment.pop(name, None)
    times, said = {1: [], 2: []}, set()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "jobs.grad.yaml").write_text(suite(cases, hidden))
        for _ in range(repetitions):
            for number, seconds in times.items():
                argv = [sys.executable, "-m", "gradcheck_cli", "run", "--isolated", "-v", "-j", str(number)]
                started = time.perf_counter()
                done = subprocess.run(
                    [*argv, "jobs.grad.yaml"], check=True, capture_output=True, text=True, env=environment, cwd=folder
                )
                seconds.append(time.perf_counter() - started)
                said.add(without_times(done.stdout))
    return {number: statistics.median(seconds) for number, seconds in times.items()}, len(said) == 1
