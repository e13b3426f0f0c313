"""Plain numbers and lists that a function returns which is checked from Python: they are arrays like any other."""

from __future__ import annotations

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from tests.checked_functions import X, wrong_tanh
from tests.results import summary

CONSTANTS = [3.0, 3, True, np.float32(3), np.int64(3), np.array(3.0), [3.0], [1.0, 2.0], (3.0, 2), ((1.0, 2), 3.0)]


@pytest.mark.parametrize("returned", CONSTANTS, ids=repr)
def test_a_constant_is_one_whatever_it_is_made_of(returned):
    parts = returned if isinstance(returned, tuple | list) else (returned,)
    arrays = tuple(np.asarray(part) for part in parts)
    assert record_of(lambda x: returned) == record_of(lambda x: arrays if len(arrays) > 1 else arrays[0])
    assert summary(check(lambda x: returned, X)) == [("x", (3,), "pass")]


def record_of(function):
    """Return what a check says but for times, and the names and lines of the function."""
    found = check(function, X)
    return found.verdict, found.value, found.evaluations, found.parameters, found.findings, found.notes


def test_a_constant_beside_a_gradient_changes_nothing():
    assert check(lambda x: (F.tanh(x), 3.0, [1, 2]), X).verdict == "pass"
    assert check(lambda x: (wrong_tanh(x), 3.0, [1, 2]), X).verdict == "fail"


@pytest.mark.parametrize("number", [3.0, 3, np.float32(3), np.array(3), np.array([3.0]), [3.0], ((3.0,),)], ids=repr)
def test_a_constant_with_a_gradient_of_its_own_is_a_number(number):
    assert check(lambda x: number, X, grad=np.zeros_like).verdict == "pass"
    assert check(lambda x: number, X, grad=np.ones_like).verdict == "fail"
    assert check(lambda x: (number, np.zeros_like(x)), X, value_and_grad=True).verdict == "pass"


def test_rows_of_different_lengths_are_no_value():
    with pytest.raises(TypeError, match="returned list"):
        check(lambda x: ([[1.0], [1.0, 2.0]], 3.0), X)
    with pytest.raises(TypeError, match="a real number, not list"):
        check(lambda x: [[1.0], [1.0, 2.0]], X, grad=np.zeros_like)


def test_a_list_that_hides_a_variable_is_no_value():
    with pytest.raises(TypeError, match="returned list"):
        check(lambda x: ([F.sum(x), F.sum(x)], 3.0), X)


OPERATORS = """
def three(x): return 3
def three_backward(g, x): return [0.0, 0.0]
def listed(x): return [2.0 * each for each in x.tolist()]
def listed_backward(g, x): return [2.0 * each for each in g.tolist()]
def wrong_backward(g, x): return [3.0 * each for each in g.tolist()]
def both(x): return float(x[0] * x[1]), [float(x[1]), float(x[0])]
"""
SPEC = """
ops:
  - three: {forward: my_code.py:three, backward: my_code.py:three_backward}
  - listed: {forward: my_code.py:listed, backward: my_code.py:listed_backward}
  - spoiled: {forward: my_code.py:listed, backward: my_code.py:wrong_backward}
  - both: {value_and_grad: my_code.py:both}
params: {x: [1.0, 2.0]}
cases:
  - {name: three, expr: three(x)}
  - {name: listed, expr: listed(x)}
  - {name: spoiled, expr: spoiled(x)}
  - {name: both, expr: both(x)}
"""


def test_bridged_functions_return_plain_numbers_too(tmp_path):
    (tmp_path / "my_code.py").write_text(OPERATORS)
    path = tmp_path / "a.grad.yaml"
    path.write_text(SPEC)
    results = {
        item.case.name: check_case(item.case, item.parameters, Options())
        for item in collect(Options(paths=(str(path),)))
    }
    assert {name: str(result.verdict) for name, result in results.items()} == {
        "three": "pass",
        "listed": "pass",
        "spoiled": "fail",
        "both": "pass",
    }
    assert [each.name for each in results["three"].parameters[0].findings] == ["disconnected", "vacuous"]
