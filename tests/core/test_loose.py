"""Loose inputs: arrays as any other, and plain values as they are. Own values: inputs that a call may leave out."""

import numpy as np
import pytest

from gradcheck_cli import Variable, keep
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.errors import OperatorError


def scale_by(x, settings):
    factor = settings["factor"] if isinstance(settings, dict) else settings
    return keep(np.asarray(x * factor), factor=factor)


def scale_by_backward(g, x, settings, factor):
    gradients = (g * factor, np.sum(g * x))
    return gradients if isinstance(settings, np.ndarray) else (gradients[0], None)


@pytest.fixture
def scale():
    rule = Rule(scale_by_backward, ("x", "settings"), ("g", "x", "settings", "factor"), __file__, 1)
    inputs = (Input("x", loose=True), Input("settings", loose=True))
    return Operator("scale", scale_by, inputs, rules=(rule,), file=__file__, line=1)


@pytest.fixture
def weighted():
    rule = Rule(lambda g, x, w: (g * w, g * x), ("x", "w"), ("g", "x", "w"), __file__, 1)
    inputs = (Input("x"), Input("w"))
    return Operator("weighted", lambda x, w: x * w, inputs, rules=(rule,), own={"w": np.array([2.0, 3.0])})


@pytest.mark.parametrize("settings", [3.0, 3, {"factor": 3.0}])
def test_a_plain_value_reaches_the_code_as_it_is(scale, settings):
    x = Variable([1.0, 2.0])
    out = scale(x, settings)
    assert out.creator.inputs[1] is None
    assert out.creator.saved["settings"] is settings
    out.backward(np.ones(2))
    np.testing.assert_array_equal(x.grad, [3.0, 3.0])


def test_an_array_in_the_same_place_has_a_gradient(scale):
    x, factor = Variable([1.0, 2.0]), Variable(3.0)
    scale(x, factor).backward(np.ones(2))
    assert (factor.grad, factor.grad.shape) == (3.0, ())


def test_none_may_be_given_and_mustn_t_be_left_out(scale):
    with pytest.raises(OperatorError, match="needs 'settings'"):
        scale(Variable([1.0]))
    with pytest.raises(OperatorError, match="raised TypeError"):
        scale(Variable([1.0]), None)


def test_a_strict_input_still_refuses_a_mapping(weighted):
    with pytest.raises(OperatorError, match="takes arrays of real numbers"):
        weighted(Variable([1.0, 2.0]), {"factor": 3.0})


def test_an_own_value_stands_for_what_a_call_leaves_out(weighted):
    x = Variable([1.0, 1.0])
    out = weighted(x)
    out.backward(np.ones(2))
    np.testing.assert_array_equal(x.grad, [2.0, 3.0])
    np.testing.assert_array_equal(weighted(np.ones(2)), [2.0, 3.0])
    np.testing.assert_array_equal(weighted(x, np.zeros(2)).data, [0.0, 0.0])
    np.testing.assert_array_equal(weighted(x, w=np.zeros(2)).data, [0.0, 0.0])
