"""`gradcheck show-op`: one operator in full, and a spec that checks it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.core.numpy_names import NUMPY_NAMES

OPERATORS = '''
from gradcheck_cli import arr, op

@op(x=arr("n k", low=0.5), slope=[0.1, 0.2])
def bend(x, *, slope=0.1):
    """slope * x."""
    return slope * x

@bend.backward
def _(g, slope):
    return slope * g
'''


def test_the_text_tells_formula_arguments_place_and_example(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    file = write("my_ops.py", OPERATORS)
    ended = gradcheck("show-op", "bend", "--ops", "my_ops.py")
    assert (ended.code, ended.err) == (0, "")
    for words in (
        "bend(x, *, slope=0.1)",
        "slope * x.",
        "real numbers from 0.5 up",
        "default 0.1; tried with 0.1, 0.2",
    ):
        assert words in ended.out
    assert f"forward    {file}:4" in ended.out
    assert f"backward   {file}:9   for x, from g, slope" in ended.out


def test_the_example_runs(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    """What is shown under `example` is a spec that checks the operator."""
    write("my_ops.py", OPERATORS)
    out = gradcheck("show-op", "bend", "--ops", "my_ops.py").out
    write("example.grad.yaml", out.split("\nexample\n")[1])
    ended = gradcheck("run", "example.grad.yaml", "--format", "json")
    assert ended.code == 0, ended.err
    assert "bend(x" in (Path("example.grad.yaml")).read_text()


@pytest.mark.parametrize(("other", "name"), NUMPY_NAMES.items())
def test_other_names_of_numpy_mean_the_operator(gradcheck: Callable[..., Any], other: str, name: str) -> None:
    assert gradcheck("show-op", other).out == gradcheck("show-op", name).out


def test_own_operator_of_such_a_name_goes_before_it(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("my_ops.py", OPERATORS.replace("bend", "amax").replace("slope * x.", "mine."))
    assert "mine." in gradcheck("show-op", "amax", "--ops", "my_ops.py").out


def test_checkpoint_is_shown_and_listed(gradcheck: Callable[..., Any]) -> None:
    shown = gradcheck("show-op", "checkpoint")
    assert (shown.code, shown.err) == (0, "")
    assert "belongs to the\n  expressions of specs" in shown.out
    assert " checkpoint(x) " in gradcheck("list-ops").out
    assert [each["name"] for each in gradcheck("list-ops", "check*", "--format", "json").json] == ["checkpoint"]
    assert "did you mean 'checkpoint'?" in gradcheck("show-op", "checkpont").err


@pytest.mark.parametrize(
    "name", ["checkpoint", "tanh", "cross_entropy", "matmul", "concatenate", "getitem", "dropout", "where"]
)
def test_the_examples_of_built_in_operators_run(
    write: Callable[..., Path], gradcheck: Callable[..., Any], name: str
) -> None:
    out = gradcheck("show-op", name).out
    write("example.grad.yaml", out.split("\nexample\n")[1])
    ended = gradcheck("run", "example.grad.yaml")
    assert ended.code == 0, ended.err + ended.out


def test_the_json_is_the_record_of_the_list_and_more(gradcheck: Callable[..., Any]) -> None:
    shown = gradcheck("show-op", "leaky_relu", "--format", "json").json
    (listed,) = gradcheck("list-ops", "leaky_relu", "--format", "json").json
    assert {key: shown[key] for key in listed} == listed
    assert shown["name"] == "leaky_relu"


@pytest.mark.parametrize("output", ["text", "json"])
def test_an_unknown_name_is_a_mistake_with_a_near_one(gradcheck: Callable[..., Any], output: str) -> None:
    ended = gradcheck("show-op", "leeky_relu", "--format", output)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: no operator is named 'leeky_relu'; did you mean 'leaky_relu'?\n"


def test_a_hostile_name_moves_no_cursor(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("show-op", "\x1b[2Jtanh\n")
    assert ended.code == 2
    assert ended.err.startswith("error: no operator is named '\\x1b[2Jtanh\\n'")


def test_a_name_is_needed(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("show-op")
    assert (ended.code, ended.out) == (2, "")
    assert "Missing argument 'NAME'" in ended.err
