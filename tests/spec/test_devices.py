"""A case that applies an operator on several devices is a case for each."""

from dataclasses import replace

import pytest

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.operator import Operator, Rule


@pytest.fixture
def swish():
    rule = Rule(lambda g: g, ("x",), ("g",), __file__, 1)
    here = Operator("swish", lambda x: x, (Input("x"),), rules=(rule,), file=__file__, line=1, label="cpu float32")
    return replace(here, elsewhere=(replace(here, label="cuda float32"),))


def test_a_case_is_multiplied_by_the_devices_of_its_operators(load, swish):
    cases = load("expr: tanh(swish(x))\nparams: {x: 3 2}\n", given={"swish": swish})
    assert [case.name for case in cases] == ["spec[cpu float32]", "spec[cuda float32]"]
    labels = [[operator.label for operator in case.expression.operators] for case in cases]
    assert labels == [["cpu float32", ""], ["cuda float32", ""]]


def test_a_matrix_multiplies_further(load, swish):
    text = "dims: {n: 2}\nexpr: swish(x)\nparams: {x: {shape: n}}\nmatrix: {n: [1, 2]}\n"
    names = [case.name for case in load(text, given={"swish": swish})]
    assert names == [
        "spec[n=1][cpu float32]",
        "spec[n=2][cpu float32]",
        "spec[n=1][cuda float32]",
        "spec[n=2][cuda float32]",
    ]


def test_a_case_without_the_operator_is_one_case(load, swish):
    (case,) = load("expr: tanh(x)\nparams: {x: 3 2}\n", given={"swish": swish})
    assert case.name == "spec"
