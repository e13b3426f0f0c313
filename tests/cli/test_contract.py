"""What breaks the contract of a backward is named before any number: the operator, and where its backward stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OPERATOR = '''
import numpy as np
from gradcheck_cli import keep, op

calls = 0

@op
def mine(x, y):
    """2x + 3y."""
    {forward}

@mine.backward
def _(g, x):
    {backward}
'''
RIGHT = {"forward": "return 2 * x + 3 * y", "backward": "return 2 * g, 3 * g"}

# What is changed, the finding, what is said of it, and how the line begins that is blamed.
BREACHES = {
    "one gradient of two": (
        {"backward": "return 2 * g"},
        "GC101 gradient-count",
        "returned 1 gradient for 2 inputs",
        "def _",
    ),
    "three gradients of two": ({"backward": "return g, g, g"}, "GC101 gradient-count", "returned 3 gradients", "def _"),
    "None": ({"backward": "return 2 * g, None"}, "GC101 gradient-count", "returned None for y", "def _"),
    "wrong shape": (
        {"backward": "return 2 * g, 3 * g[:1]"},
        "GC102 gradient-shape",
        "y has shape (1,), y has (3,)",
        "def _",
    ),
    "missing sum": (
        {"backward": "return 2 * g, g + np.zeros((2, 3))"},
        "GC102 gradient-shape",
        "a sum over axis 0",
        "def _",
    ),
    "integer dtype": (
        {"backward": "return 2 * g, np.ones(3, int)"},
        "GC103 gradient-dtype",
        "y has dtype int64",
        "def _",
    ),
    "float32": (
        {"backward": "return 2 * g, np.float32(3) * g.astype('f')"},
        "GC103 gradient-dtype",
        "float32",
        "def _",
    ),
    "complex": ({"backward": "return 2 * g, 3j * g"}, "GC103 gradient-dtype", "complex128", "def _"),
    "text": ({"backward": "return 2 * g, 'three'"}, "GC103 gradient-dtype", "y", "def _"),
    "forward in place": (
        {"forward": "x *= 2; return x + 3 * y"},
        "GC104 input-modified",
        "forward writes to x",
        "def mine",
    ),
    "backward in place": (
        {"backward": "g *= 2; return g, 1.5 * g"},
        "GC104 input-modified",
        "backward writes to g",
        "def _",
    ),
    "input in place in the backward": (
        {"backward": "x += 1; return 2 * g, 3 * g"},
        "GC104 input-modified",
        "writes to x",
        "def _",
    ),
    "state between calls": (
        {"forward": "global calls; calls += 1; return 2 * x + 3 * y + calls"},
        "GC105 not-repeatable",
        "two calls with the same arguments differ",
        "def mine",
    ),
    "generator of its own": (
        {"forward": "return 2 * x + 3 * y + np.random.default_rng().normal(size=3)"},
        "GC105 not-repeatable",
        "two calls with the same arguments differ",
        "def mine",
    ),
    "backward that is nan": (
        {"backward": "return 2 * g, g / (g - g)"},
        "GC107 non-finite",
        "gradient of y is infinite",
        "def _",
    ),
}


@pytest.mark.parametrize("breach", BREACHES, ids=[name.replace(" ", "-") for name in BREACHES])
def test_a_breach_is_named_with_the_operator_and_its_place(
    write: Callable[..., Path], gradcheck: Callable[..., Any], breach: str
) -> None:
    changes, finding, said, blamed = BREACHES[breach]
    file = write("my_ops.py", OPERATOR.format(**{**RIGHT, **changes}))
    line = 1 + [text.startswith(blamed) for text in file.read_text().splitlines()].index(True)
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: tanh(mine(x, y))\nparams: {x: [1.0, 2.0, 3.0], y: [0.5, 1.5, 2.5]}\n")
    ended = gradcheck("run", "a.grad.yaml")
    assert (ended.code, ended.err) == (1, "")
    assert f"{finding}   my_ops.py:{line}" in ended.out
    assert "mine: " in ended.out
    assert said in ended.out
    (case,) = gradcheck("run", "a.grad.yaml", "--format", "json").json["cases"]
    (found,) = case["findings"]
    assert f"{found['code']} {found['name']}" == finding
    assert (found["file"], found["line"]) == (str(file), line)
    assert [each["verdict"] for each in case["parameters"]] == ["skip", "skip"]


def test_what_keeps_the_contract_passes(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    """The partner of the tests above."""
    write("my_ops.py", OPERATOR.format(**RIGHT))
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: tanh(mine(x, y))\nparams: {x: [1.0, 2.0, 3.0], y: [0.5, 1.5, 2.5]}\n")
    assert gradcheck("run", "a.grad.yaml").code == 0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_randomness_of_the_global_generators_is_held_still(
    write: Callable[..., Path], gradcheck: Callable[..., Any], dtype: str
) -> None:
    """A mask that is drawn again in the backward is caught; one that is kept is right."""
    kept = "mask = np.random.random(x.shape) < 0.5; return keep(x * mask + 3 * y, mask=mask)"
    spec = f"ops: [my_ops.py]\nexpr: mine(x, y)\nparams: {{x: 20, y: 20}}\ncheck: {{dtype: {dtype}}}\n"
    write("a.grad.yaml", spec)
    text = OPERATOR.replace("(g, x)", "(g, mask)")
    write("my_ops.py", text.format(forward=kept, backward="return g * mask, 3 * g"))
    assert gradcheck("run", "a.grad.yaml").code == 0
    again = "return g * (np.random.random(mask.shape) < 0.5), 3 * g"
    write("my_ops.py", text.format(forward=kept, backward=again))
    assert gradcheck("run", "a.grad.yaml").code == 1


@pytest.mark.parametrize(
    ("expr", "points", "operator", "kind"),
    [
        ("sum(2 * log(x))", "[1.0, 0.0]", "log", "infinite"),
        ("sum(exp(x) - 1 / x)", "[1.0, 0.0]", "divide", "infinite"),
        ("sum(sqrt(x))", "[1.0, -1.0]", "sqrt", "nan"),
        ("sum(tanh(exp(x)) * exp(x))", "[1.0, 1000.0]", "exp", "infinite"),
    ],
)
def test_the_first_operator_that_went_bad_is_named(
    write: Callable[..., Path], gradcheck: Callable[..., Any], expr: str, points: str, operator: str, kind: str
) -> None:
    write("a.grad.yaml", f"expr: {expr}\nparams: {{x: {points}}}\n")
    ended = gradcheck("run", "a.grad.yaml")
    assert ended.code == 1
    assert "GC107 non-finite" in ended.out
    assert f"first at {operator} (" in ended.out
    assert "whose inputs range from" in ended.out
    json_of = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert json_of.json["cases"][0]["value"] in (kind[:3], f"-{kind[:3]}", "nan")


def test_an_infinite_slope_is_blamed_on_the_backward(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", "expr: sum(sqrt(x))\nparams: {x: [1.0, 0.0]}\n")
    ended = gradcheck("run", "a.grad.yaml")
    assert ended.code == 1
    assert "GC107 non-finite" in ended.out
    assert "sqrt: the gradient of x is infinite in 1 of 2 elements" in ended.out
