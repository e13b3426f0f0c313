"""The parts of the benchmark that take a process each: start-up, growth with its peak memory."""

import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.ours import HERE, bare_loop, load, numbers_phase, whole_check
from benchmarks.timing import clock

SCALAR = "expr: tanh(x)\nparams: {x: 3}\n"
ELEMENTWISE = "expr: tanh(x) * exp(x) / (1 + x * x)\nparams: {{x: {{shape: {n}}}}}\n"
NETWORK = """
params:
  W1: {{shape: {wide} {hidden}, init: xavier}}
  b1: {{shape: {hidden}}}
  W2: {{shape: {hidden} 10, init: xavier}}
  b2: {{shape: 10}}
inputs:
  x: 32 {wide}
  y: {{shape: 32, below: 10}}
expr: cross_entropy(tanh(x @ W1 + b1) @ W2 + b2, y)
"""
LARGE = HERE / "large_parameters.grad.yaml"
EVERY = 20
"""The loop over a large parameter takes one in so many elements."""
SIZES = {"elementwise": (100, 1_000, 10_000, 100_000, 1_000_000), "network": (100, 1_000, 10_000, 100_000)}


def spec_of(kind, size):
    """Return a spec with about so many elements."""
    if kind == "elementwise":
        return ELEMENTWISE.format(n=size)
    hidden = max(1, round((-11 + (121 + 4 * size) ** 0.5) / 2))  # hidden * (hidden + 11) elements, about
    return NETWORK.format(wide=hidden, hidden=hidden)


def peak_memory():
    """Return the peak memory of this process in MiB."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except (OSError, StopIteration):  # what a system without it says includes the process that started this one
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def growth_child(kind, size):
    """Print elements, wall seconds of one check, and peak memory in MiB of this process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "growth.grad.yaml"
        path.write_text(spec_of(kind, size))
        (work,) = load([path])
        started = time.perf_counter()
        whole_check(work)()
        seconds = time.perf_counter() - started
    print(work.elements, seconds, peak_memory())


def large_child(name):
    """Print CPU seconds of the loop and of the check for a case of a large parameter, and peak memory in MiB."""
    (work,) = (work for work in load([LARGE]) if work.name == name)
    loop, numbers = bare_loop(work, EVERY), numbers_phase(work)
    print(EVERY * clock(loop), clock(numbers), peak_memory())


def large():
    """Return the seconds of the loop and of the check, and MiB, of every case, each in a process of its own.

    Both take seconds, and are timed once. The loop's time is multiplied: it costs the same for each element.
    """
    names = [work.name for work in load([LARGE])]
    return {name: dict(zip(("hand loop", "numbers", "MiB"), _child("large", name), strict=True)) for name in names}


def growth(kind, most, repetitions):
    """Return (elements, median seconds, MiB) of specs up to `most` elements, each in a process of its own."""
    rows = []
    for size in (size for size in SIZES[kind] if size <= most):
        elements, seconds, peak = zip(*(_child(kind, size) for _ in range(repetitions)), strict=True)
        rows.append((int(elements[0]), statistics.median(seconds), statistics.median(peak)))
    return rows


def _child(kind, which):
    """Return the numbers that a child prints."""
    argv = [sys.executable, "-m", "benchmarks", "child", kind, str(which)]
    said = subprocess.run(argv, check=True, capture_output=True, text=True, cwd=HERE.parent).stdout
    return [float(word) for word in said.split()]


def startup(repetitions):
    """Return the median wall seconds of whole processes, which are timed in turns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scalar.grad.yaml"
        path.write_text(SCALAR)
        python, ours = [sys.executable, "-c"], [sys.executable, "-m", "gradcheck_cli"]
        scalar = "a = torch.tensor(3.0, dtype=torch.double, requires_grad=True)"
        commands = {
            "gradcheck run, scalar": [*ours, "run", str(path)],
            "import numpy, typer, rich, yaml, pydantic": [
                *python,
                "import numpy, typer, rich.console, rich.table, yaml, pydantic",
            ],
            "gradcheck --version": [*ours, "--version"],
            "import typer": [*python, "import typer"],
        }
        if importlib.util.find_spec("torch"):
            commands["torch gradcheck, scalar"] = [
                *python,
                f"import torch; {scalar}; assert torch.autograd.gradcheck(torch.tanh, (a,))",
            ]
        times = {name: [] for name in commands}
        # Without bytecode on disk every module would be compiled each time, which an installation never is.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "NO_COLOR": "1"}
        for repetition in range(repetitions + 1):
            for name, argv in commands.items():
                started = time.perf_counter()
                subprocess.run(argv, check=True, capture_output=True, env=environment)
                if repetition:  # the first fills caches
                    times[name].append(time.perf_counter() - started)
    return {name: statistics.median(each) for name, each in times.items()}
