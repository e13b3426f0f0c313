"""Ctrl-C and SIGTERM: what was finished is reported, as text and as JSON that is whole, and no process stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT

# `slow` says on standard error that it sleeps, from which a test knows how far the run is.
OPERATORS = '''
import os
import signal
import time
from gradcheck_cli import op

first, moves = None, 0

@op
def quick(x):
    """x."""
    return 1 * x

@quick.backward
def _(g):
    return g

@op
def slow(x):
    """x."""
    global first, moves
    first = x.tobytes() if first is None else first
    moves += x.tobytes() != first
    if {when}:
        {wait}
    return 1 * x

@slow.backward
def _(g):
    return g

@op
def interrupts(x):
    """x."""
    os.kill(os.getpid(), signal.SIGINT)
    return 1 * x

@interrupts.backward
def _(g):
    return g
'''

SPEC = """
ops: [my_ops.py]
params: {x: [1.0, 2.0], y: [3.0, 4.0]}
cases:
  - {name: finished, expr: quick(x) * y}
  - {name: stopped, expr: quick(x) * slow(y)}
  - {name: not begun, expr: quick(x) * y}
"""

SAYS = 'os.write(2, b"sleeping\\n")'
SLEEPS = f"{SAYS}; time.sleep(60)"

WAYS = {
    "in a sleep": SLEEPS,
    "in a busy loop": f"{SAYS}\n        while True: pass",
    "swallowed": f"""
        try:
            {SAYS}
            time.sleep(0.5)
        except:
            pass
""",
}

SWALLOWS = f"""{SAYS}
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass
"""

Start = Callable[..., "subprocess.Popen[bytes]"]


def interrupt(
    started: subprocess.Popen[bytes], number: signal.Signals = signal.SIGINT, times: int = 1
) -> tuple[int, str, str]:
    """Press Ctrl-C once the operator sleeps; return exit code, output and the rest of standard error.

    That ends only when all processes have ended that the program started: they share it.
    """
    assert started.stderr is not None
    assert started.stderr.readline() == b"sleeping\n"
    for _ in range(times):
        started.send_signal(number)
        time.sleep(0.4 * (times > 1))
    out, err = started.communicate(timeout=40)
    return started.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("way", WAYS, ids=[name.replace(" ", "-") for name in WAYS])
def test_what_was_finished_is_reported(write: Callable[..., Path], start: Start, way: str) -> None:
    write("my_ops.py", OPERATORS.format(when="True", wait=WAYS[way]))
    write("a.grad.yaml", SPEC)
    code, out, err = interrupt(start("run", "a.grad.yaml"))
    assert code == 130
    assert err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err
    blocks = [line for line in out.splitlines() if line.startswith("a.grad.yaml")]
    assert blocks == [
        "a.grad.yaml  finished",
        "a.grad.yaml  stopped   SKIP   interrupted",
        "a.grad.yaml  not begun   SKIP   interrupted",
    ]
    assert out.splitlines()[-1].startswith("0 failed, 1 passed, 2 skipped, 4 elements, ")
    assert out.splitlines()[-1].endswith(", interrupted")


def test_finished_parameters_of_the_case_are_kept_and_json_is_whole(write: Callable[..., Path], start: Start) -> None:
    """The operator sleeps once y is moved alone, and then x was looked at: twice both move, to compare a replay."""
    write("my_ops.py", OPERATORS.format(when="moves > 2", wait=SLEEPS))
    write("a.grad.yaml", SPEC)
    code, out, err = interrupt(start("run", "a.grad.yaml", "--format", "json"))
    ended = json.loads(out)
    assert (code, err) == (130, "interrupted\n")
    assert [(case["name"], case["verdict"]) for case in ended["cases"]] == [
        ("finished", "pass"),
        ("stopped", "skip"),
        ("not begun", "skip"),
    ]
    stopped = ended["cases"][1]
    assert stopped["error"] == "interrupted"
    assert [(each["name"], each["verdict"]) for each in stopped["parameters"]] == [("x", "pass"), ("y", "skip")]
    assert ended["summary"] == {"pass": 1, "fail": 0, "inconclusive": 0, "error": 0, "skip": 2, "ok": False}


def test_an_interrupt_while_a_spec_is_loaded(write: Callable[..., Path], start: Start) -> None:
    write("my_ops.py", "import os, time\nos.write(2, b'sleeping\\n')\ntime.sleep(60)\n")
    write("a.grad.yaml", SPEC)
    assert interrupt(start("run", "a.grad.yaml")) == (130, "", "interrupted\n")
    assert interrupt(start("list-ops", "--ops", "my_ops.py")) == (130, "", "interrupted\n")


def test_sigterm_does_what_ctrl_c_does(write: Callable[..., Path], start: Start) -> None:
    write("my_ops.py", OPERATORS.format(when="True", wait=SLEEPS))
    write("a.grad.yaml", SPEC)
    for jobs, ctrl_c in (("1", signal.SIG_DFL), ("2", signal.SIG_DFL), ("2", signal.SIG_IGN)):
        code, out, err = interrupt(start("run", "a.grad.yaml", "-j", jobs, ctrl_c=ctrl_c), signal.SIGTERM)
        assert (code, err) == (143, "terminated\n")
        assert "a.grad.yaml  stopped   SKIP   interrupted\n" in out
        assert out.endswith(", interrupted\n")


def test_processes_end_with_the_one_that_started_them(write: Callable[..., Path], start: Start) -> None:
    write("my_ops.py", OPERATORS.format(when="True", wait=SWALLOWS))
    write("a.grad.yaml", SPEC)
    assert interrupt(start("run", "a.grad.yaml", "-j", "2"), signal.SIGKILL)[0] == -signal.SIGKILL


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_who_presses_again_gets_out_whatever_operators_swallow(
    write: Callable[..., Path], start: Start, jobs: str
) -> None:
    write("my_ops.py", OPERATORS.format(when="True", wait=SWALLOWS))
    write("a.grad.yaml", SPEC)
    started = time.monotonic()
    code, _, err = interrupt(start("run", "a.grad.yaml", "-j", jobs), times=3)
    assert code == 130
    assert "Traceback" not in err
    assert time.monotonic() - started < 30


# Python imports this before anything else. `typer` is what the command line imports first.
EARLY = """
import os, signal, sys

class Presses:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Presses())
"""
LATE = """
import atexit, os, signal

atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
"""


@pytest.mark.parametrize(("when", "out"), [(EARLY, ""), (LATE, "gradcheck ")], ids=["early", "late"])
def test_ctrl_c_gives_no_traceback_while_the_program_starts_and_ends(
    write: Callable[..., Path], start: Start, when: str, out: str
) -> None:
    write("starts/sitecustomize.py", when)
    started = start("--version", env={"PYTHONPATH": os.pathsep.join(["starts", str(ROOT)])})
    written, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (130, b"interrupted\n")
    assert written.decode().startswith(out)


@pytest.fixture
def heard() -> Iterator[None]:
    """Hear Ctrl-C in this process, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_is_stronger_than_a_failure(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    """130 comes before 2 and 1; here the operator itself sends the signal, at a place that is always the same."""
    write("my_ops.py", OPERATORS.format(when="True", wait="pass"))
    write(
        "a.grad.yaml",
        """
        ops: [my_ops.py]
        params: {x: [1.0, 2.0]}
        cases:
          - {name: fails, expr: quick(x), expect: fail}
          - {name: error, expr: "x @ y", inputs: {y: [1.0, 2.0, 3.0]}}
          - {name: stopped, expr: interrupts(x)}
          - {name: not begun, expr: quick(x)}
        """,
    )
    ended = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert ended.code == 130
    assert ended.err == "interrupted\n"
    assert ended.verdicts == {"fails": "pass", "error": "error", "stopped": "skip", "not begun": "skip"}


def test_a_process_that_ignores_ctrl_c_runs_to_its_end(write: Callable[..., Path], start: Start) -> None:
    """As shells start jobs in the background, and `nohup`."""
    write("my_ops.py", OPERATORS.format(when="True", wait="pass"))
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: interrupts(x)\nparams: {x: [1.0, 2.0]}\n")
    started = start("run", "a.grad.yaml", ctrl_c=signal.SIG_IGN)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (0, b"")
    assert b"PASS" in out


@pytest.mark.usefixtures("heard")
def test_the_signal_handler_is_given_back(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    assert gradcheck("run", "a.grad.yaml").code == 0
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
