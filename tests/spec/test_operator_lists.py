"""Operators that a command line names: Python files, and lists in YAML."""

import pytest

from gradcheck_cli.errors import OperatorError, SpecError
from gradcheck_cli.spec.operator_lists import load_operators

OPERATOR = '''
from gradcheck_cli import op

@op
def {name}(x):
    """Twice x."""
    return 2 * x

@{name}.backward
def _(g):
    return 2 * g
'''


@pytest.fixture
def files(write):
    write("double.py", OPERATOR.format(name="double"))
    write("more/twice.py", OPERATOR.format(name="twice"))
    return write


@pytest.mark.parametrize(
    "text", ["[double.py, more/twice.py]", "ops: [double.py, more/twice.py]\nexpr: not read here\n"]
)
def test_a_list_in_yaml_names_files_beside_it(files, loader, text):
    assert sorted(load_operators([files("ops.yaml", text)], loader)) == ["double", "twice"]


def test_files_of_both_kinds_are_one_level(files, loader, tmp_path):
    found = load_operators([tmp_path / "double.py", files("ops.yml", "[more/twice.py]")], loader)
    assert sorted(found) == ["double", "twice"]
    with pytest.raises(OperatorError, match="two operators are named 'double'"):
        load_operators([files("other.py", OPERATOR.format(name="double")), tmp_path / "double.py"], loader)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[dubble.py]", "1:2: error: no operator file 'dubble.py' [wrong-ops]"),
        ("expr: x\n", "1:1: error: this file lists no operators [no-operator]"),
        ("ops: 3\n", "1:6: error: ops should be a file of operators or a list of them, not the number 3"),
        ("ops: [double.py\n", "error: "),
    ],
)
def test_what_is_wrong_is_said_at_its_place(files, loader, text, said):
    with pytest.raises(SpecError) as caught:
        load_operators([files("ops.yaml", text)], loader)
    assert said in str(caught.value)


def test_a_list_that_is_not_there_is_said(files, loader, tmp_path):
    files("mine.yaml", "[double.py]")
    with pytest.raises(SpecError, match=r"no operator file.*\n.*did you mean 'mine.yaml'"):
        load_operators([tmp_path / "mines.yaml"], loader)


def test_a_spec_may_name_a_list_too(files, load):
    files("pyproject.toml", "")
    files("lists/ops.yaml", "[../double.py, inner.yaml]")
    files("lists/inner.yaml", "[../more/twice.py]")
    (case,) = load("ops: [lists/ops.yaml]\nexpr: twice(double(x))\nparams: {x: '3'}\n")
    assert sorted(case.scope.own) == ["double", "twice"]


def test_a_list_that_names_itself_is_said(files, said):
    files("ops.yaml", "[double.py, again.yaml]")
    files("again.yaml", "[ops.yaml]")
    (problem,) = said("ops: [ops.yaml]\nexpr: double(x)\nparams: {x: '3'}\n")
    assert "'ops.yaml' names itself" in problem


def test_what_is_said_by_name_goes_before_what_a_file_of_pairs_holds(files, loader):
    files("layers.py", "def f_forward(x):\n    return x, x\n\ndef f_backward(dout, cache):\n    return dout\n")
    files("other.py", "def forward(x):\n    return 2 * x\n\ndef backward(g, x):\n    return 2 * g\n")
    text = "- f: {forward: other.py:forward, backward: other.py:backward}\n- pairs: layers.py\n"
    assert load_operators([files("ops.yaml", text)], loader)["f"](3.0) == 6.0
