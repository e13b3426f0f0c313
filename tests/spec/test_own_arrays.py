"""Operators with arrays of their own (a layer's weights), which are parameters of every case that leaves them out."""

import numpy as np
import pytest

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.spec.arrays.values import draw_values

W = np.array([[1.0, -2.0], [0.5, 3.0]])


@pytest.fixture
def layer():
    rule = Rule(lambda g, x, W: (g @ W.T, x.T @ g), ("x", "W"), ("g", "x", "W"), __file__, 1)
    inputs = (Input("x"), Input("W"))
    return Operator("layer", lambda x, W: x @ W, inputs, rules=(rule,), file=__file__, line=1, own={"W": W})


def parameters(case):
    return [parameter.name for parameter in case.parameters]


def test_what_a_call_leaves_out_is_a_parameter_of_the_case(load, layer):
    (case,) = load("expr: sum(layer(x))\nparams: {x: 3 2}\n", given={"layer": layer})
    assert parameters(case) == ["x", "layer.W"]
    np.testing.assert_array_equal(draw_values(case)["layer.W"], W)


def test_a_case_may_have_no_other_parameter(load, layer):
    (case,) = load("expr: layer(x)\ninputs: {x: 3 2}\n", given={"layer": layer})
    assert parameters(case) == ["layer.W"]


def test_what_a_call_gives_is_no_parameter(load, layer):
    (case,) = load("expr: layer(layer(x, V), W=V)\nparams: {x: 3 2, V: 2 2}\n", given={"layer": layer})
    assert parameters(case) == ["x", "V"]


def test_two_calls_share_the_array(load, layer):
    (case,) = load("expr: layer(layer(x))\nparams: {x: 3 2}\n", given={"layer": layer})
    assert parameters(case) == ["x", "layer.W"]
    values = draw_values(case)
    (out,) = case.expression(values, np.dtype("float64"))
    np.testing.assert_allclose(out, values["x"] @ W @ W)


def test_it_can_be_expected_and_has_the_type_of_the_case(load, layer):
    (case,) = load(
        "expr: layer(x)\nparams: {x: 3 2}\nexpect: {layer.W: fail}\ncheck: {dtype: float32}\n", given={"layer": layer}
    )
    assert case.expect.of("layer.W") == "fail"
    assert case.parameters[1].dtype == "float32"
    assert draw_values(case)["layer.W"].dtype == np.float32


def test_a_case_with_nothing_to_check_is_still_said(said):
    assert said("expr: tanh(x)\ninputs: {x: 3 2}\n") == [
        "1:1 nothing to check: the case has no params [no-params] (a minimal spec: {expr: tanh(x), params: {x: 2 3}})"
    ]
