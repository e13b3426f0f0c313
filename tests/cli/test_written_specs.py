"""A spec that `gradcheck new spec` writes catches the mistakes that people make, and names them as `check-ops` does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gradcheck = Callable[..., Any]

OPERATORS = '''
import numpy as np

from gradcheck_cli import arr, op, unbroadcast


@op(beta=[1.0, 0.5])
def scaled(x, *, beta=1.0):
    """beta * x ** 2 / 2."""
    return beta * x**2 / 2


@scaled.backward
def _(g, x, beta):
    return g * x * beta


@op(x=arr("..."), y=arr("..."), power=[2, 3])
def gap(x, y, *, power=2):
    """(x - y) ** power."""
    return (x - y) ** power


@gap.backward
def _(g, x, y, power):
    slope = power * g * (x - y) ** (power - 1)
    return unbroadcast(slope, x.shape), unbroadcast(-slope, y.shape)


@op
def product(x, y):
    """x * y."""
    return x * y


@product.backward
def _(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


@op
def centred(x):
    """The squares of what is left without the mean of a row."""
    return (x - x.mean(axis=-1, keepdims=True)) ** 2


@centred.backward
def _(g, x):
    slope = 2 * g * (x - x.mean(axis=-1, keepdims=True))
    return slope - slope.mean(axis=-1, keepdims=True)


@op(x=arr("n d"), weight=arr("d k"), bias=arr("k"), scale=[1.0, 2.0])
def affine(x, weight, bias, *, scale=1.0):
    """scale * (x @ weight) + bias."""
    return scale * (x @ weight) + bias


@affine.backward
def _(g, x, weight, scale):
    return scale * g @ weight.T, scale * x.T @ g, g.sum(axis=0)
'''

FAULTS = {
    "scaled: sign": ("return g * x * beta", "return -g * x * beta"),
    "gap: sign": ("unbroadcast(-slope, y", "unbroadcast(slope, y"),
    "gap: attribute": ("slope = power * g", "slope = 2 * g"),
    "gap: sum of x": ("unbroadcast(slope, x.shape), ", "slope, "),
    "gap: sum of y": (", unbroadcast(-slope, y.shape)", ", -slope"),
    "gap: slice of y": (
        "unbroadcast(-slope, y.shape)",
        "-slope[0].reshape(y.shape) if slope.ndim > y.ndim else -slope",
    ),
    "product: sign": ("unbroadcast(g * x", "unbroadcast(-g * x"),
    "product: sum of x": ("unbroadcast(g * y, x.shape)", "g * y"),
    "product: sum of y": ("unbroadcast(g * x, y.shape)", "g * x"),
    "centred: mean": ("return slope - slope.mean(axis=-1, keepdims=True)", "return slope"),
    "affine: attribute": ("return scale * g", "return g"),
    "affine: sum": ("g.sum(axis=0)", "g"),
    "affine: mean": ("g.sum(axis=0)", "g.mean(axis=0)"),
}


def findings(cases: list[dict[str, Any]]) -> set[str]:
    """Return the names of all findings of cases that failed."""
    failed = [case for case in cases if case["verdict"] in ("fail", "error")]
    of_parameters = [finding for case in failed for each in case["parameters"] for finding in each["findings"]]
    return {finding["name"] for finding in [*of_parameters, *(each for case in failed for each in case["findings"])]}


def test_the_operators_without_a_fault_pass(folder: Path, gradcheck: Gradcheck) -> None:
    (folder / "mine.py").write_text(OPERATORS, "utf-8")
    assert gradcheck("new", "spec", "mine", "--ops", "mine.py").code == 0
    ended = gradcheck("run", "mine.grad.yaml", "--format", "json")
    assert (ended.code, set(ended.verdicts.values())) == (0, {"pass"})
    names = {name.partition("[")[0] for name in ended.verdicts}
    assert names == {"scaled", "gap", "product", "centred", "affine"}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_spec_of_an_operator_catches_a_fault_and_names_it(folder: Path, gradcheck: Gradcheck, fault: str) -> None:
    right, wrong = FAULTS[fault]
    assert OPERATORS.count(right) == 1
    name = fault.partition(":")[0]
    (folder / "mine.py").write_text(OPERATORS, "utf-8")
    assert gradcheck("new", "spec", "mine", "--ops", "mine.py", "--op", name).code == 0
    (folder / "mine.py").write_text(OPERATORS.replace(right, wrong), "utf-8")
    checked = gradcheck("check-ops", name, "--ops", "mine.py", "--format", "json")
    assert checked.code == 1
    variants = json.loads(checked.out)["operators"][0]["variants"]
    ended = gradcheck("run", "mine.grad.yaml", "--format", "json")
    assert ended.code == 1
    named = findings(json.loads(ended.out)["cases"])
    assert named & findings(variants) - {"unexplained"}, (named, findings(variants))


@pytest.mark.parametrize("wrong", ["-g * scale / denominator**2", "g / denominator**2", "g * scale / denominator"])
def test_the_spec_of_a_new_operator_names_a_fault(folder: Path, gradcheck: Gradcheck, wrong: str) -> None:
    gradcheck("new", "op", "bend")
    gradcheck("new", "spec", "bend", "--ops", "bend.py")
    text = (folder / "bend.py").read_text("utf-8")
    assert text.count("return g * scale / denominator**2") == 1
    (folder / "bend.py").write_text(text.replace("g * scale / denominator**2", wrong), "utf-8")
    ended = gradcheck("run", "bend.grad.yaml", "--format", "json")
    assert ended.code == 1
    assert findings(json.loads(ended.out)["cases"]) - {"unexplained"}


@pytest.fixture
def repository(folder: Path) -> Path:
    """A git repository with operators at its root, a folder for specs, and no pyproject.toml."""
    for name in (".git", "specs"):
        (folder / name).mkdir()
    (folder / "losses.py").write_text(OPERATORS, "utf-8")
    return folder


def header(spec: Path) -> list[str]:
    """Return the words of the command that a spec says of itself."""
    line = next(line for line in spec.read_text("utf-8").splitlines() if line.startswith("#     gradcheck run"))
    return line.split()[2:]


@pytest.mark.parametrize(("start", "name", "ops"), [(".", "specs/c", "losses.py"), ("specs", "c", "../losses.py")])
def test_a_spec_in_a_folder_of_a_git_repository_is_checked_from_everywhere(
    repository: Path, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch, start: str, name: str, ops: str
) -> None:
    monkeypatch.chdir(repository / start)
    ended = gradcheck("new", "spec", name, "--ops", ops, "--op", "scaled")
    assert (ended.code, ended.err) == (0, "")
    spec = repository / "specs" / "c.grad.yaml"
    assert "ops: [../losses.py]" in spec.read_text("utf-8")
    assert gradcheck(*ended.out.partition("next:\n")[2].split()[1:]).code == 0
    monkeypatch.chdir(repository)
    assert "To check it, from the root of the project:\n" in spec.read_text("utf-8")
    assert header(spec) == ["run", "specs/c.grad.yaml"]
    for folder, words in ((".", header(spec)), (".", ["run"]), ("specs", ["run"]), ("specs", ["run", "c.grad.yaml"])):
        monkeypatch.chdir(repository / folder)
        assert gradcheck(*words).code == 0, (folder, words)


def test_the_header_of_a_spec_without_operators_works_from_the_root(repository: Path, gradcheck: Gradcheck) -> None:
    assert gradcheck("new", "spec", "specs/d").code == 0
    spec = repository / "specs" / "d.grad.yaml"
    assert header(spec) == ["run", "specs/d.grad.yaml"]
    assert gradcheck(*header(spec)).code == 0
    assert gradcheck("new", "spec", "d").code == 0
    assert header(repository / "d.grad.yaml") == ["run", "d.grad.yaml"]


def test_the_header_works_where_operators_lie_outside(
    folder: Path, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "losses.py").write_text(OPERATORS, "utf-8")
    ended = gradcheck("new", "spec", "specs/c", "--ops", "losses.py", "--op", "scaled")
    assert gradcheck(*ended.out.partition("next:\n")[2].split()[1:]).code == 0
    monkeypatch.chdir(folder / "specs")
    words = header(folder / "specs" / "c.grad.yaml")
    assert words == ["run", "c.grad.yaml", "--ops", "../losses.py"]
    assert gradcheck(*words).code == 0


def test_a_spec_that_names_a_file_of_the_root_is_told_its_path(repository: Path, gradcheck: Gradcheck) -> None:
    (repository / "specs" / "c.grad.yaml").write_text("ops: [losses.py]\nexpr: scaled(x)\nparams: {x: 3 4}\n", "utf-8")
    ended = gradcheck("run", "specs")
    assert ended.code == 2
    assert "no operator file 'losses.py'" in ended.err
    assert "it lies higher up: '../losses.py'" in ended.err
