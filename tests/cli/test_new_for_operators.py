"""`gradcheck new spec --ops`: a case for each operator of a file, with its shapes, and what can't be one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gradcheck = Callable[..., Any]

TWO = """
    import numpy as np
    from gradcheck_cli import arr, ints, keep, op

    @op(logits=arr("n k"), labels=ints("n", below="k"), smoothing=[0.1])
    def loss(logits, labels, *, smoothing):
        "A loss."
        shifted = logits - logits.max(axis=1, keepdims=True)
        log_probs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        target = np.full(logits.shape, smoothing / logits.shape[1])
        target[np.arange(len(labels)), labels] += 1 - smoothing
        return keep(-(target * log_probs).sum(axis=1), log_probs=log_probs, target=target)

    @loss.backward
    def _(g, log_probs, target):
        return g[:, None] * (np.exp(log_probs) - target)

    @op
    def double(x):
        return 2 * x

    @double.backward
    def _(g):
        return 2 * g

    @op(x=arr(nondiff=True))
    def first(x):
        return x[:1]
"""


def test_a_spec_holds_a_case_for_each_operator_of_a_file(
    folder: Path, write: Callable[..., Path], gradcheck: Gradcheck
) -> None:
    write("two.py", TWO)
    ended = gradcheck("new", "spec", "two", "--ops", "two.py")
    assert ended.code == 0
    assert "not in the spec" in ended.err
    assert "first: no input of it has a gradient" in ended.err
    text = (folder / "two.grad.yaml").read_text("utf-8")
    assert "dims: {n: 3, k: 4}" in text
    assert "labels: {shape: n, below: k}" in text
    assert text.count("# Arrays whose gradients are checked") == 1
    ended = gradcheck("run", "two.grad.yaml", "--format", "json")
    assert (ended.code, ended.verdicts) == (0, {"loss": "pass", "double": "pass"})
    write("two.py", TWO.replace("2 * g", "3 * g").replace("- target)", "+ target)"))
    ended = gradcheck("run", "two.grad.yaml", "--format", "json")
    assert (ended.code, ended.verdicts) == (1, {"loss": "fail", "double": "fail"})


def test_operators_are_chosen_by_name_also_builtin_ones(
    folder: Path, write: Callable[..., Path], gradcheck: Gradcheck
) -> None:
    write("two.py", TWO)
    assert gradcheck("new", "spec", "a", "--ops", "two.py", "--op", "double", "--op", "tanh").code == 0
    assert gradcheck("run", "a.grad.yaml", "--format", "json").verdicts == {"double": "pass", "tanh": "pass"}
    assert gradcheck("new", "spec", "b", "--op", "tanh").code == 0
    assert "ops: [" not in (folder / "b.grad.yaml").read_text("utf-8")
    assert gradcheck("run", "b.grad.yaml").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--op", "sigmiod"], "did you mean 'sigmoid'?"),
        (["--op", "no_such_*"], "no operator matches 'no_such_*'"),
        (["--ops", "two.py", "--op", "first"], "no input of it has a gradient"),
        (["--ops", "missing.py"], "no operator file 'missing.py'"),
    ],
)
def test_an_operator_that_cannot_be_used_is_a_mistake(
    folder: Path, write: Callable[..., Path], gradcheck: Gradcheck, arguments: list[str], said: str
) -> None:
    write("two.py", TWO)
    ended = gradcheck("new", "spec", "a", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert not (folder / "a.grad.yaml").exists()


def test_operators_that_a_spec_cannot_name_are_named_by_the_command(
    folder: Path, write: Callable[..., Path], gradcheck: Gradcheck
) -> None:
    write("two.py", TWO)
    ended = gradcheck("new", "spec", "specs/two", "--ops", "two.py")
    run = ended.out.partition("next:\n")[2].strip()
    assert run == "gradcheck run specs/two.grad.yaml --ops two.py"
    text = (folder / "specs" / "two.grad.yaml").read_text("utf-8")
    assert "ops: [" not in text
    assert "outside of this folder and its project" in text
    assert gradcheck(*run.split()[1:]).code == 0
    (folder / "pyproject.toml").touch()
    assert gradcheck("new", "spec", "specs/again", "--ops", "two.py").code == 0
    assert "\nops: [../two.py]\n" in (folder / "specs" / "again.grad.yaml").read_text("utf-8")
    assert gradcheck("run", "specs/again.grad.yaml").code == 0


def test_shapes_of_undeclared_code_are_guessed_and_that_is_said(
    folder: Path, write: Callable[..., Path], gradcheck: Gradcheck
) -> None:
    """Arrays of one common shape would fail here, and nothing would be wrong."""
    write(
        "layers.py",
        """
        def scale_forward(x, gamma):
            return gamma * x, (x, gamma)

        def scale_backward(dout, cache):
            x, gamma = cache
            return dout * gamma, (dout * x).sum(axis=0)
        """,
    )
    assert gradcheck("new", "spec", "layers", "--ops", "layers.py").code == 0
    assert "# scale: no domain is declared, guessed: x (n d), gamma (d)" in (folder / "layers.grad.yaml").read_text()
    assert gradcheck("run", "layers.grad.yaml").code == 0


def test_what_a_file_prints_is_not_in_the_text(folder: Path, write: Callable[..., Path], process: Gradcheck) -> None:
    write("two.py", TWO + "\n    print('hello')\n")
    ended = process("new", "spec", "a", "--ops", "two.py", "--op", "double", "--dry-run")
    assert ended.code == 0
    assert ended.out.startswith("# A spec for double. To check it:\n")
    assert "hello" in ended.err
