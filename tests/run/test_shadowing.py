"""Which operators hide others of their name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.shadowing import shadowed

Write = Callable[[str, str], Path]

TANH = '''
from gradcheck_cli import op

@op
def tanh(x):
    """x."""
    return 1 * x

@tanh.backward
def _(g):
    return g
'''
TWO = "params: {x: 2, y: 3}\ncases: [{name: first, expr: tanh(x) * y}, {name: second, expr: tanh(x) + y}]\n"


def notes(path: str, *ops: str) -> list[str]:
    return shadowed(collect(Options(paths=(path,), ops=tuple(map(Path, ops)))))


def test_what_is_shadowed_is_said_once(write: Write) -> None:
    file = write("my_ops.py", TANH)
    write("a.grad.yaml", "ops: [my_ops.py]\n" + TWO)
    (note,) = notes("a.grad.yaml")
    assert note.startswith(f"{file}:4 tanh is used in place of ")
    write("b.grad.yaml", TWO)
    assert notes("b.grad.yaml") == []


@pytest.mark.parametrize("named", ["my_ops.py", "../{folder}/my_ops.py", "alias.py"])
def test_an_operator_that_is_named_twice_hides_the_built_in_one_alone(write: Write, folder: Path, named: str) -> None:
    file = write("my_ops.py", TANH)
    (folder / "alias.py").symlink_to(file)
    write("a.grad.yaml", "ops: [my_ops.py]\n" + TWO)
    (note,) = notes("a.grad.yaml", named.format(folder=folder.name))
    assert f"in place of {file}" not in note


def test_operators_of_two_files_hide_one_another(write: Write) -> None:
    near, far = write("near.py", TANH), write("far.py", TANH)
    write("a.grad.yaml", "ops: [near.py]\n" + TWO)
    hidden, built_in = notes("a.grad.yaml", "far.py")
    assert hidden == f"{near}:4 tanh is used in place of {far}:4"
    assert str(far) not in built_in


def test_a_method_hides_nothing(write: Write) -> None:
    write("my_ops.py", TANH.replace("tanh", "sum"))
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: x.sum()\nparams: {x: 3}\n")
    assert notes("a.grad.yaml") == []
