"""Operators that raise, hang or end the program: an error of their case, and the other cases run on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OPERATORS = '''
import sys
import time
from gradcheck_cli import op

class Strange(BaseException):
    """No Exception."""

class Trap:
    def __array__(self, *_, **__):
        raise RuntimeError("looked at")

def deep(n):
    return deep(n + 1)

@op
def bad(x):
    """x."""
    {forward}
    return 1 * x

@bad.backward
def _(g):
    {backward}
    return g

@op
def good(x):
    """x."""
    return 1 * x

@good.backward
def _(g):
    return g
'''
SPEC = """
ops: [my_ops.py]
params: {x: [1.0, 2.0]}
cases:
  - {name: before, expr: good(x)}
  - {name: raises, expr: good(bad(x))}
  - {name: after, expr: good(x)}
"""

RAISES = {
    "ValueError": ("raise ValueError('no such luck')", "raised ValueError: no such luck"),
    "no message": ("raise ValueError", "raised ValueError: no message"),
    "several lines": ("raise ValueError('one\\ntwo')", "raised ValueError: one"),
    "SystemExit": ("sys.exit(7)", "raised SystemExit: 7"),
    "SystemExit 0": ("sys.exit()", "raised SystemExit"),
    "MemoryError": ("raise MemoryError", "raised MemoryError"),
    "RecursionError": ("deep(0)", "raised RecursionError: maximum recursion depth exceeded"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    "GeneratorExit": ("raise GeneratorExit", "raised GeneratorExit"),
    "no Exception": ("raise Strange('odd')", "raised Strange: odd"),
    "what it returns": ("return Trap()", "raised RuntimeError: looked at"),
    "BrokenPipeError": ("raise BrokenPipeError", "raised BrokenPipeError"),
}


@pytest.mark.parametrize("where", ["forward", "backward"])
@pytest.mark.parametrize("what", RAISES, ids=[name.replace(" ", "-") for name in RAISES])
def test_an_exception_is_an_error_of_its_case(
    write: Callable[..., Path], gradcheck: Callable[..., Any], what: str, where: str
) -> None:
    statement, said = RAISES[what]
    file = write("my_ops.py", OPERATORS.format(**{"forward": "pass", "backward": "pass", where: statement}))
    write("a.grad.yaml", SPEC)
    ended = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert ended.code == 2
    assert ended.verdicts == {"before": "pass", "raises": "error", "after": "pass"}
    error = ended.json["cases"][1]["error"]
    assert said in error
    assert str(file) in error
    if what != "what it returns":  # whoever looks at that isn't the operator
        assert f"error: {where} of bad raised" in error
    if what != "what it returns" and where == "forward":
        assert error.startswith("a.grad.yaml:5:31: ")
        assert f"bad is defined at {file}:" in error
    assert "Traceback" not in ended.out + ended.err
    assert [each["verdict"] for each in ended.json["cases"][1]["parameters"]] == ["skip"]


def test_the_call_and_the_line_that_raised_are_named(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    statement = "raise ValueError('no such luck')"
    file = write("my_ops.py", OPERATORS.format(forward=statement, backward="pass"))
    lines = [line.strip() for line in file.read_text().splitlines()]
    write("a.grad.yaml", SPEC)
    out = gradcheck("run", "a.grad.yaml").out
    assert "a.grad.yaml:5:31: error: forward of bad raised ValueError: no such luck [operator-raised]" in out
    assert "{name: raises, expr: good(bad(x))}" in out
    assert (
        f"bad is defined at {file}:{1 + lines.index('def bad(x):')}, and raised at {file}:{1 + lines.index(statement)}"
        in out
    )
    assert "the shapes here are (2,)" in out
    assert "rerun    gradcheck run a.grad.yaml::raises --seed 0" in out
    assert "0 failed, 2 passed, 1 error" in out


def test_an_operator_that_raises_at_a_step_only_can_not_be_told(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    statement = "if x[1] != 2.0: raise ValueError('too fine')"
    write("my_ops.py", OPERATORS.format(forward=statement, backward="pass"))
    write("a.grad.yaml", SPEC)
    ended = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert ended.code == 1
    assert ended.verdicts == {"before": "pass", "raises": "inconclusive", "after": "pass"}
    (finding,) = ended.json["cases"][1]["parameters"][0]["findings"]
    assert finding["name"] == "left-domain"
    assert "x[1]" in finding["message"]


def test_what_was_compared_before_an_error_is_kept(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    # Everything moves once through the function and once through its replay, before y does and then x.
    forward = "moved.append(x[1] != 2.0)\n    if sum(moved) > 2: raise Strange('odd')"
    write("my_ops.py", "moved = []\n" + OPERATORS.format(forward=forward, backward="pass"))
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: y * bad(x)\nparams: {y: 3, x: [1.0, 2.0]}\n")
    ended = gradcheck("run", "a.grad.yaml", "--format", "json")
    (case,) = ended.json["cases"]
    assert (ended.code, case["verdict"]) == (2, "error")
    assert "forward of bad raised Strange: odd" in case["error"]
    assert [(each["name"], each["verdict"]) for each in case["parameters"]] == [("y", "pass"), ("x", "skip")]


HANGS = {
    "sleep": "time.sleep(60)",
    "busy loop": "while True: pass",
    "swallowed": """
    try:
        time.sleep(0.3)
    except:
        pass
""",
}


@pytest.mark.parametrize("where", ["forward", "backward"])
@pytest.mark.parametrize("how", HANGS, ids=[name.replace(" ", "-") for name in HANGS])
def test_a_case_that_takes_too_long_is_ended(
    write: Callable[..., Path], gradcheck: Callable[..., Any], how: str, where: str
) -> None:
    write("my_ops.py", OPERATORS.format(**{"forward": "pass", "backward": "pass", where: HANGS[how]}))
    write("a.grad.yaml", SPEC.replace("cases:", "check: {timeout: 0.2}\ncases:"))
    ended = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert ended.code == 2
    assert ended.verdicts == {"before": "pass", "raises": "error", "after": "pass"}
    error = ended.json["cases"][1]["error"]
    assert error.startswith("a.grad.yaml:6:5: error: the case ran out of its 0.2 s [timeout]")
    assert ended.json["cases"][1]["seconds"] < 10


@pytest.mark.parametrize("timeout", ["60", "1e300"])
def test_a_long_timeout_ends_nothing(write: Callable[..., Path], gradcheck: Callable[..., Any], timeout: str) -> None:
    write("a.grad.yaml", f"expr: tanh(x)\nparams: {{x: 3}}\ncheck: {{timeout: {timeout}}}\n")
    assert gradcheck("run", "a.grad.yaml").code == 0


@pytest.mark.parametrize("timeout", ["0", "-1", ".nan", ".inf", "soon"])
def test_a_timeout_out_of_range_is_a_mistake(
    write: Callable[..., Path], gradcheck: Callable[..., Any], timeout: str
) -> None:
    write("a.grad.yaml", f"expr: tanh(x)\nparams: {{x: 3}}\ncheck: {{timeout: {timeout}}}\n")
    ended = gradcheck("run", "a.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "a.grad.yaml:3:" in ended.err
    assert "timeout" in ended.err
