"""A user's operator file beside a spec, outside of the project, run from another folder: faults are on the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

AFFINE = '''
import numpy as np
from gradcheck_cli import arr, op, unbroadcast

@op(x=arr("n k"), w=arr("k m"), b=arr("m"))
def affine(x, w, b):
    """x @ w + b."""
    return x @ w + b

@affine.backward
def _(g, x, w, b):
    return {dx}, {dw}, {db}
'''
RIGHT = {"dx": "g @ w.T", "dw": "x.T @ g", "db": "g.sum(axis=0)"}

SPEC = """
ops: [my_ops.py]
dims: {n: 3, k: 4, m: 4}
params: {x: n k, w: k m, b: m}
expr: affine(x, w, b)
"""

# What replaces a right gradient, and the parameter that has to be blamed.
FAULTS = {
    "sign": ({"dx": "-(g @ w.T)"}, "x"),
    "a thousandth": ({"dw": "1.001 * (x.T @ g)"}, "w"),
    "transpose": ({"dw": "(x.T @ g).T"}, "w"),
    "transposed factor": ({"dx": "g @ w"}, "x"),
    "mean for sum": ({"db": "g.mean(axis=0)"}, "b"),
    "first row for sum": ({"db": "g[0]"}, "b"),
}


@pytest.fixture
def away(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another working folder than that of the spec."""
    folder = tmp_path_factory.mktemp("away")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("fault", FAULTS, ids=[name.replace(" ", "-") for name in FAULTS])
def test_a_wrong_gradient_is_shown_with_element_numbers_and_sweep(
    write: Callable[..., Path], away: Path, gradcheck: Callable[..., Any], fault: str
) -> None:
    changes, blamed = FAULTS[fault]
    write("user/my_ops.py", AFFINE.format(**{**RIGHT, **changes}))
    spec = write("user/affine.grad.yaml", SPEC)
    ended = gradcheck("run", spec)
    assert (ended.code, ended.err) == (1, "")
    rows = {line.split()[0]: line.split()[-1] for line in ended.out.splitlines() if line[:3] in (" x ", " w ", " b ")}
    assert rows == {"x": "PASS", "w": "PASS", "b": "PASS", blamed: "FAIL"}
    (shown,) = [line for line in ended.out.splitlines() if "analytic" in line]
    assert shown.startswith(f" {blamed}[")
    assert "numeric" in shown
    assert " eps " in ended.out
    assert " rel err " in ended.out
    assert f"rerun    gradcheck run {spec}::affine::{blamed} --seed 0" in ended.out


def test_a_missing_sum_over_a_broadcast_axis_is_named(
    write: Callable[..., Path], away: Path, gradcheck: Callable[..., Any]
) -> None:
    """The shape gives it away before any number does."""
    file = write("user/my_ops.py", AFFINE.format(**{**RIGHT, "db": "g"}))
    spec = write("user/affine.grad.yaml", SPEC)
    ended = gradcheck("run", spec)
    assert ended.code == 1
    assert "GC102 gradient-shape" in ended.out
    assert f"{file}:10" in ended.out
    assert "a sum over axis 0 is missing" in ended.out


def test_the_right_operator_passes(write: Callable[..., Path], away: Path, gradcheck: Callable[..., Any]) -> None:
    write("user/my_ops.py", AFFINE.format(**RIGHT))
    ended = gradcheck("run", write("user/affine.grad.yaml", SPEC))
    assert (ended.code, ended.err) == (0, "")
    assert "FAIL" not in ended.out


@pytest.mark.parametrize("factor", [1, -1], ids=["right", "sign"])
def test_the_installed_command_does_the_same(
    write: Callable[..., Path], away: Path, process: Callable[..., Any], factor: int
) -> None:
    """Once in a process of its own, whose path and modules nothing here has touched."""
    write("user/my_ops.py", AFFINE.format(**{**RIGHT, "dx": f"{factor} * (g @ w.T)"}))
    spec = write("user/affine.grad.yaml", SPEC)
    ended = process("run", spec, cwd=away)
    assert ended.code == (0 if factor == 1 else 1), ended.err
    assert ended.err == ""
    assert ("rerun" in ended.out) == (factor == -1)


def test_the_rerun_line_reproduces_the_failure(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    """Also where only some elements are checked: a parameter alone has those that it had among others."""
    write("my_ops.py", AFFINE.format(**{**RIGHT, "dw": "x.T @ g * (1 + 1e-3 * np.eye(4))"}))
    write("a b.grad.yaml", SPEC)
    whole = gradcheck("run", "a b.grad.yaml", "--seed", "5", "--sample", "7", "--format", "json")
    text = gradcheck("run", "a b.grad.yaml", "--seed", "5", "--sample", "7").out
    assert "rerun    gradcheck run 'a b.grad.yaml::a b::w' --seed 5 --sample 7" in text
    alone = gradcheck("run", "a b.grad.yaml::a b::w", "--seed", "5", "--sample", "7", "--format", "json")
    among = {each["name"]: each for each in whole.json["cases"][0]["parameters"]}
    assert alone.json["cases"][0]["parameters"] == [among["w"]]
    assert among["w"]["verdict"] == "fail"
