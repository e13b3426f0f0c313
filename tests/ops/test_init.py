"""The built-in operators as a family: names, docstrings, size of their source."""

import ast
import inspect
import textwrap
from pathlib import Path

import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.core.definition import Definition
from gradcheck_cli.core.loader import Loader

FILES = sorted(Path(F.__file__).parent.glob("*.py"))


def test_all_lists_every_operator_once():
    defined = {name for name, held in vars(F).items() if isinstance(held, Definition)}
    assert set(F.__all__) == defined
    assert len(set(F.__all__)) == len(F.__all__)


def test_every_operator_of_the_files_is_exported():
    marked = set()
    for file in FILES:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(_is_op(each) for each in node.decorator_list):
                marked.add(node.name)
    assert marked == set(F.__all__)


def _is_op(decorator):
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id == "op"


def test_loader_collects_the_built_in_operators():
    assert {operator.name for operator in Loader().module("gradcheck_cli.ops")} == set(F.__all__)


@pytest.mark.parametrize("name", F.__all__)
def test_docstring_opens_with_the_formula(name):
    operator = getattr(F, name).operator
    first = operator.doc.splitlines()[0]
    assert first.endswith(".")
    named = [item.name for item in operator.inputs] + ["p["]
    assert any(word in first for word in named), "the formula names no argument"


def code_lines(source):
    """Lines of a function without its docstring, comments, blank lines and decorators."""
    tree = ast.parse(textwrap.dedent(source)).body[0]
    first = tree.body[1] if ast.get_docstring(tree) else tree.body[0]
    lines = textwrap.dedent(source).splitlines()[first.lineno - 1 :]
    return 1 + len([line for line in lines if line.strip() and not line.strip().startswith("#")])


@pytest.mark.parametrize("name", F.__all__)
def test_functions_of_an_operator_are_short(name):
    operator = getattr(F, name).operator
    for function in (operator.forward, *(rule.function for rule in operator.rules)):
        assert code_lines(inspect.getsource(function)) <= 12


def test_code_lines_counts_a_long_function():
    body = "\n".join(["    x = x + 1"] * 20)
    assert code_lines(f'def f(x):\n    """x."""\n\n    # why\n{body}') == 21


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_operators_import_numpy_scipy_and_public_names_only(file):
    allowed = {"numpy", "scipy.special", "gradcheck_cli", "math", "functools"}
    public = {"arr", "ints", "mask", "keep", "op", "unbroadcast"}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= allowed
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module in allowed
            assert node.module != "gradcheck_cli" or {alias.name for alias in node.names} <= public
