"""`gradcheck list-ops`: text and JSON, patterns, files, and what isn't there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OPERATORS = '''
from gradcheck_cli import arr, ints, op

@op(x=arr("n k", low=0.5, avoid=1), rows=ints("m", below="n"), power=[1, 2.5, None], outputs="taken left")
def take_rows(x, rows, *, power=1, mode="wrap"):
    """The rows of x.

    More about it.
    """
    return x[rows], 1 * x

@take_rows.backward
def _(g_taken, g_left, rows):
    return g_left

@op
def relu(x):
    """A relu of my own."""
    return 1 * x

@relu.backward
def _(g):
    return g
'''

# The operators that specs, README and the design count on.
EXPECTED = {
    *("add subtract multiply divide power negative exp log relu sigmoid tanh max min sum mean copy".split()),
    *("sqrt square abs maximum minimum clip where reshape transpose matmul concatenate getitem softplus".split()),
    *("leaky_relu elu gelu silu softmax log_softmax logsumexp mse_loss cross_entropy dropout linear".split()),
    "binary_cross_entropy_with_logits",
}


def test_the_json_is_a_list_of_operators(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("list-ops", "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    operators = ended.json
    names = [each["name"] for each in operators]
    assert names == sorted(set(names))
    assert set(names) >= EXPECTED
    for each in operators:
        assert list(each)[:7] == ["name", "file", "line", "inputs", "attributes", "outputs", "doc"]
        assert Path(each["file"]).is_file()
        assert f"def {each['name']}(" in Path(each["file"]).read_text().splitlines()[each["line"] - 1]
        assert each["doc"]
        assert each["outputs"]


def test_the_json_of_an_operator_holds_its_declaration(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    file = write("my_ops.py", OPERATORS)
    (each,) = gradcheck("list-ops", "take_*", "--ops", "my_ops.py", "--format", "json").json
    assert (each["name"], each["file"], each["line"]) == ("take_rows", str(file), 4)
    x, rows = each["inputs"]
    assert (x["name"], x["kind"], x["shape"], x["low"], x["avoid"]) == ("x", "float", "n k", 0.5, [1])
    assert (rows["name"], rows["kind"], rows["below"], rows["differentiable"]) == ("rows", "int", "n", False)
    assert [(item["name"], item["default"]) for item in each["attributes"]] == [("power", 1), ("mode", "wrap")]
    assert each["attributes"][0]["values"] == [1, 2.5, None]
    assert each["outputs"] == ["taken", "left"]
    assert each["doc"].startswith("The rows of x.")


def test_the_text_has_a_line_for_each_with_its_formula(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("list-ops")
    assert (ended.code, ended.err) == (0, "")
    lines = [line for line in ended.out.splitlines() if line.startswith(" ")]
    for name in sorted(EXPECTED):
        assert any(line.startswith(f" {name}(") for line in lines), name
    (tanh,) = [line for line in lines if line.startswith(" tanh(")]
    assert tanh.split()[0] == "tanh(x)"
    assert len(tanh.split()) > 1


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("tanh", ["tanh"]),
        ("*relu", ["leaky_relu", "relu"]),
        ("m??", ["max", "min"]),
        ("[te]anh", ["tanh"]),
    ],
)
def test_a_pattern_chooses(gradcheck: Callable[..., Any], pattern: str, names: list[str]) -> None:
    found = [each["name"] for each in gradcheck("list-ops", pattern, "--format", "json").json]
    assert set(found) >= set(names)
    assert {"exp", "sum"}.isdisjoint(found)


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_pattern_that_matches_nothing_selects_nothing(gradcheck: Callable[..., Any], output: str) -> None:
    ended = gradcheck("list-ops", "sigmoyd", "--format", output)
    assert (ended.code, ended.out) == (5, "")
    assert ended.err == "error: no operator matches 'sigmoyd'; did you mean 'sigmoid'?\n"


def test_operators_of_files_are_listed_with_the_built_in_ones(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    file = write("my_ops.py", OPERATORS)
    operators = {each["name"]: each for each in gradcheck("list-ops", "--ops", "my_ops.py", "--format", "json").json}
    assert operators["take_rows"]["file"] == str(file)
    assert operators["relu"]["doc"] == "A relu of my own."
    assert "tanh" in operators
    text = gradcheck("list-ops", "--ops", "my_ops.py").out
    assert "my_ops" in text.splitlines()
    assert "A relu of my own." in text


def test_a_missing_operator_file_is_a_mistake(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("list-ops", "--ops", "nowhere.py")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: no operator file 'nowhere.py' [missing-file]\n"
