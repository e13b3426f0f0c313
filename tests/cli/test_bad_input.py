"""Bad input: exit 2, each mistake with its place and what to do, no traceback, nothing on standard output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# The spec, and what standard error has to hold: the place, the message, the hint.
MISTAKES = {
    "unknown key": (
        "expr: tanh(x)\nparms: {x: 3}\n",
        ["bad.grad.yaml:2:1: error: ", "'parms'", "[unknown-key]", "did you mean 'params'?"],
    ),
    "unknown key of a parameter": (
        "expr: tanh(x)\nparams:\n  x: {shape: 3, lo: 0}\n",
        ["bad.grad.yaml:3:17: error: ", "'lo'", "[unknown-key]"],
    ),
    "duplicate key": (
        "expr: tanh(x)\nparams: {x: 3}\nexpr: exp(x)\n",
        ["bad.grad.yaml:3:1: error: ", "'expr'", "[duplicate-key]"],
    ),
    "unknown operator": (
        "expr: 2 * sigmoyd(x)\nparams: {x: 3}\n",
        ["bad.grad.yaml:1:11: error: unknown operator 'sigmoyd' [unknown-operator]", "did you mean 'sigmoid'?"],
    ),
    "undefined name": (
        "expr: tanh(x) + weigth\nparams: {x: 3, weight: 3}\n",
        ["bad.grad.yaml:1:17: error: undefined name 'weigth' [undefined-name]", "did you mean 'weight'?"],
    ),
    "unused parameter": (
        "expr: tanh(x)\nparams:\n  x: 3\n  spare: 3\n",
        ["bad.grad.yaml:4:3: error: ", "'spare'"],
    ),
    "wrong type": (
        "expr: tanh(x)\nparams: {x: 3}\nseed: seven\n",
        ["bad.grad.yaml:3:7: error: ", "seed", "[wrong-type]"],
    ),
    "wrong type of a knob": (
        "expr: tanh(x)\nparams: {x: 3}\ncheck: {rtol: tight}\n",
        ["bad.grad.yaml:3:15: error: ", "rtol"],
    ),
    "not YAML": (
        "expr: tanh(x)\nparams: {x: [1, 2}\n",
        ["bad.grad.yaml:2:18: error: ", "]"],
    ),
    "not a mapping": (
        "- tanh(x)\n",
        ["bad.grad.yaml:1:1: error: ", "[wrong-type]"],
    ),
    "empty file": (
        "",
        ["bad.grad.yaml:1:1: error: the file holds no spec [empty-spec]"],
    ),
    "a file of comments": (
        "# later\n",
        ["bad.grad.yaml:1:1: error: the file holds no spec [empty-spec]"],
    ),
    "unknown verdict": (
        "expr: tanh(x)\nparams: {x: 3}\nexpect: fials\n",
        ["bad.grad.yaml:3:9: error: 'fials' is no verdict [unknown-verdict]", "did you mean 'fail'?"],
    ),
    "unknown dim": (
        "expr: tanh(x)\nparams: {x: rows colums}\ndims: {rows: 2, columns: 3}\n",
        ["bad.grad.yaml:2:", "error: ", "'colums'", "did you mean 'columns'?"],
    ),
    "operator file that isn't there": (
        "ops: [my_op.py]\nexpr: tanh(x)\nparams: {x: 3}\n",
        ["bad.grad.yaml:1:7: error: no operator file 'my_op.py'"],
    ),
    "operator file out of reach": (
        "ops: [../../my_ops.py]\nexpr: tanh(x)\nparams: {x: 3}\n",
        ["bad.grad.yaml:1:7: error: ", "outside"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=[name.replace(" ", "-") for name in MISTAKES])
def test_a_mistake_in_a_spec_is_said_with_its_place(
    write: Callable[..., Path], gradcheck: Callable[..., Any], mistake: str
) -> None:
    text, said = MISTAKES[mistake]
    write("bad.grad.yaml", text)
    ended = gradcheck("run", "bad.grad.yaml")
    assert (ended.code, ended.out) == (2, ""), ended.err
    assert "Traceback" not in ended.err
    for words in said:
        assert words in ended.err


def test_the_same_spec_without_a_mistake_passes(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    """The partner of the tests above."""
    write("bad.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\nseed: 7\ncheck: {rtol: 1e-7}\nexpect: pass\n")
    ended = gradcheck("run", "bad.grad.yaml")
    assert (ended.code, ended.err) == (0, "")


def test_a_shape_mismatch_points_at_the_call(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    """Shapes clash while the case is recorded, so this is an error of the case and stands in the report."""
    write("bad.grad.yaml", "expr: 1 + x @ y\nparams: {x: 3 4, y: 3 4}\n")
    ended = gradcheck("run", "bad.grad.yaml")
    assert ended.code == 2
    assert "Traceback" not in ended.out + ended.err
    assert "bad.grad.yaml:1:13: error: " in ended.out or "bad.grad.yaml:1:11: error: " in ended.out
    assert "(3, 4)" in ended.out
    assert "1 + x @ y" in ended.out


def test_a_known_gradient_of_another_shape_is_a_mismatch(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    write("bad.grad.yaml", "expr: sum(x)\nparams: {x: 2 3}\ngrad: {x: [1, 1, 1]}\n")
    ended = gradcheck("run", "bad.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "bad.grad.yaml:3:11: error: " in ended.err
    assert "[shape-mismatch]" in ended.err


def test_the_line_is_shown_with_a_caret(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("bad.grad.yaml", "expr: 2 * tahn(x)\nparams: {x: 3}\n")
    shown = gradcheck("run", "bad.grad.yaml").err.splitlines()
    assert shown[1:3] == ["  expr: 2 * tahn(x)", "            ^"]


def test_every_mistake_of_every_file_is_said_at_once(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", "expr: tahn(x)\nparams: {x: 3, y: 3}\nsed: 7\n")
    write("b.grad.yaml", "expr: exp(z)\nparams: {x: 3}\n")
    ended = gradcheck("run", ".")
    assert (ended.code, ended.out) == (2, "")
    said = [line.split(" error: ")[0] for line in ended.err.splitlines() if " error: " in line]
    assert [place.rsplit(":", 1)[0].rsplit(":", 1)[0] for place in said] == [
        "a.grad.yaml:1",
        "a.grad.yaml:3",
        "b.grad.yaml:1",
    ]


def test_a_missing_file_is_named_with_a_near_one(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("network.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    ended = gradcheck("run", "netwrok.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines() == [
        "error: no such file or folder: 'netwrok.grad.yaml' [missing-file]",
        "  hint: did you mean 'network.grad.yaml'?",
    ]


def test_a_folder_without_a_spec_selects_nothing(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("empty/notes.yaml", "expr: not a spec by its name\n")
    ended = gradcheck("run", "empty")
    assert (ended.code, ended.out) == (5, "")
    assert "nothing to check" in ended.err
    assert "*.grad.yaml" in ended.err


REFUSED = {
    "lambda": ("(lambda: x)()", "not-allowed"),
    "class of a tuple": ("().__class__.__bases__[0]", "not-allowed"),
    "attribute of a parameter": ("x.__class__", "not-allowed"),
    "data of a parameter": ("x.data", "not-allowed"),
    "import": ("import os", "not-allowed"),
    "import by call": ("__import__('os').system('id')", "not-allowed"),
    "f-string": ("f'{x}'", "not-allowed"),
    "comprehension": ("[y for y in x]", "not-allowed"),
    "generator": ("sum(y for y in x)", "not-allowed"),
    "eval": ("eval('x')", "unknown-operator"),
    "walrus": ("(y := x)", "not-allowed"),
    "if": ("x if x > 0 else 2", "not-allowed"),
    "syntax": ("tanh(x", "syntax"),
}


@pytest.mark.parametrize("trick", REFUSED, ids=[name.replace(" ", "-") for name in REFUSED])
def test_what_is_no_arithmetic_is_refused(
    write: Callable[..., Path], gradcheck: Callable[..., Any], trick: str
) -> None:
    text, code = REFUSED[trick]
    write("bad.grad.yaml", f"params: {{x: 3}}\nexpr: |\n  {text}\n")
    ended = gradcheck("run", "bad.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("bad.grad.yaml:3:")
    assert f"[{code}]" in ended.err
    assert "Traceback" not in ended.err
