"""A trace holds every call with its values, finds the node of each, and keeps what the backward let through."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import op
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.graph_records import Kind
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.tracer import trace, trace_back


def traced(call, values, inputs=None):
    inputs = inputs or {}
    constants = {name: Variable(array, requires_grad=False) for name, array in inputs.items()}
    return trace(TracedFunction(lambda v: call({**constants, **v})), values, inputs)


def names(made):
    return [made.calls[number].name for number in made.reached()]


def test_calls_stand_in_order_with_their_values():
    x = np.array([0.5, -1.0])
    made = traced(lambda v: F.sum(F.tanh(v["x"]) * v["t"]), {"x": x}, {"t": np.array([2.0, 3.0])})
    assert names(made) == ["tanh", "multiply", "sum"]
    np.testing.assert_array_equal(made.values[made.calls[0].outputs[0]], np.tanh(x))
    assert set(made.leaves.values()) == {(Kind.PARAMETER, "x"), (Kind.INPUT, "t")}


def test_what_the_outputs_are_not_made_of_is_not_reached():
    def call(v):
        F.exp(v["x"])
        return F.tanh(v["x"])

    made = traced(call, {"x": np.ones(2)})
    assert [call.name for call in made.calls] == ["exp", "tanh"]
    assert names(made) == ["tanh"]


def test_gradients_are_those_of_the_sweep():
    x, w = np.array([[0.3, -0.7]]), np.array([[0.2], [0.9]])
    made = traced(lambda v: F.tanh(v["x"] @ v["w"]), {"x": x, "w": w})
    trace_back(made, [np.array([[2.0]])])
    product, tanh = made.calls
    np.testing.assert_allclose(tanh.cotangents[0], [[2.0]])
    slope = 2 * (1 - np.tanh(x @ w) ** 2)
    np.testing.assert_allclose(product.cotangents[0], slope)
    gradients = {made.leaves[slot][1]: gradient for slot, gradient in made.gradients.items()}
    np.testing.assert_allclose(gradients["w"], x.T @ slope)
    np.testing.assert_allclose(product.gradients[1], x.T @ slope)


def test_a_call_that_needs_no_gradient_has_no_node():
    made = traced(lambda v: F.exp(v["t"]) * v["x"], {"x": np.ones(2)}, {"t": np.ones(2)})
    assert [call.node is None for call in made.calls] == [True, False]


def test_an_array_that_is_handed_out_twice_is_two_values():
    buffer = np.ones(2)

    @op
    def constant(x):
        """1, in the same array each time."""
        return buffer

    @constant.backward
    def _(g):
        return 0 * g

    made = traced(lambda v: constant(F.tanh(v["x"])) + constant(F.exp(v["x"])), {"x": np.zeros(2)})
    trace_back(made, [np.ones(2)])
    by_name = {call.name: call for call in made.calls}
    assert names(made) == ["tanh", "constant", "exp", "constant", "add"]
    assert by_name["exp"].node.operator.name == "exp"
    assert by_name["tanh"].node.operator.name == "tanh"
    first, second = (made.made[slot][0] for slot in by_name["add"].operands)
    assert (first, second) == (1, 3)


def test_an_index_array_is_an_operand():
    made = traced(lambda v: F.sum(v["x"][v["at"]]), {"x": np.arange(3.0)}, {"at": np.array([2, 0])})
    (index,) = [call for call in made.calls if call.name == "getitem"]
    (name, slot) = index.inside[0]
    assert (name, made.leaves[slot]) == ("key", (Kind.INPUT, "at"))


def test_what_flowed_before_a_broken_backward_is_kept():
    @op
    def broken(x):
        """x."""
        return 1 * x

    @broken.backward
    def _(g):
        return g[:1]

    made = traced(lambda v: F.exp(broken(v["x"])), {"x": np.zeros(3)})
    with pytest.raises(ContractViolation):
        trace_back(made, [np.ones(3)])
    assert made.gradients == {}
    assert [bool(call.cotangents) for call in made.calls] == [False, True]
