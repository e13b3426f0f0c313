"""The two kinds of functions: over Variables, and plain NumPy with a gradient of its own."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.numeric.call import Subject
from gradcheck_cli.numeric.function import PlainFunction, TracedFunction

X, Y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])


def test_a_traced_function_gets_leaf_variables_by_name():
    seen = {}

    def call(arguments):
        seen.update(arguments)
        return arguments["x"]

    TracedFunction(call).record({"x": X, "y": Y})
    assert {name: (leaf.name, leaf.requires_grad, leaf.creator) for name, leaf in seen.items()} == {
        "x": ("x", True, None),
        "y": ("y", True, None),
    }


def test_a_traced_function_goes_back_to_every_parameter():
    recording = TracedFunction(lambda v: F.sum(v["x"] * v["x"] * v["y"])).record({"x": X, "y": Y})
    gradients = recording.vjp([np.array(2.0)])
    np.testing.assert_allclose(gradients["x"], 4 * X * Y)
    np.testing.assert_allclose(gradients["y"], 2 * X * X)


def test_cotangents_of_several_outputs_are_added():
    recording = TracedFunction(lambda v: (v["x"] * 2, F.sum(v["x"]))).record({"x": X})
    assert [out.shape for out in recording.outputs] == [(3,), ()]
    np.testing.assert_allclose(recording.vjp([np.array([1.0, -1.0, 0.0]), np.array(10.0)])["x"], [12.0, 8.0, 10.0])


def test_one_output_that_is_returned_twice_counts_twice():
    recording = TracedFunction(lambda v: (v["x"], v["x"])).record({"x": X})
    np.testing.assert_allclose(recording.vjp([X, Y])["x"], X + Y)


def test_a_parameter_without_influence_has_a_gradient_of_zeros():
    recording = TracedFunction(lambda v: v["x"] * 2).record({"x": X, "y": Y})
    np.testing.assert_array_equal(recording.vjp([np.ones(3)])["y"], np.zeros(3))


def test_outputs_that_were_not_recorded_have_no_gradient():
    recording = TracedFunction(lambda v: (v["x"].data * 2, np.arange(2), 1.5)).record({"x": X})
    assert [out.tolist() for out in recording.outputs] == [[2.0, 4.0, 6.0], [0, 1], 1.5]
    np.testing.assert_array_equal(recording.vjp([np.ones(3), np.zeros(2), np.ones(())])["x"], np.zeros(3))


def test_evaluating_records_nothing_and_gives_the_same_outputs():
    recorded = []

    def call(v):
        out = F.tanh(v["x"] @ v["y"])
        recorded.append(out.creator is not None)
        return out

    function = TracedFunction(call)
    first = function.record({"x": X, "y": Y}).outputs
    again = function.outputs({"x": X, "y": Y})
    assert recorded == [True, False]
    np.testing.assert_array_equal(first, again)


def test_a_function_may_differentiate_something_inside():
    def call(v):
        inner = Variable(np.array(3.0))
        (inner * inner).backward()
        return v["x"] * inner.grad

    function = TracedFunction(call)
    assert function.record({"x": np.array(1.0)}).vjp([np.array(1.0)])["x"] == 6
    assert function.outputs({"x": np.array(1.0)})[0] == 6


def test_python_control_flow_follows_the_values():
    function = TracedFunction(lambda v: v["x"] * 2 if v["x"] > 0 else v["x"] * 5)
    assert function.record({"x": np.array(1.0)}).vjp([np.array(1.0)])["x"] == 2
    assert function.record({"x": np.array(-1.0)}).vjp([np.array(1.0)])["x"] == 5


def test_inputs_come_as_arrays_beside_the_parameters():
    seen = []

    def call(v):
        seen.append((type(v["x"]), type(v["t"]), v["t"].flags.writeable))
        return F.sum(v["x"] * v["t"])

    function = TracedFunction(call, inputs={"t": Y})
    np.testing.assert_allclose(function.record({"x": X}).vjp([np.array(1.0)])["x"], Y)
    assert function.outputs({"x": X})[0] == 32.0
    assert seen == [(Variable, np.ndarray, False)] * 2


@pytest.mark.parametrize("written", ["x", "t"])
@pytest.mark.parametrize("way", ["record", "outputs"])
def test_a_traced_function_that_writes_to_an_array_is_named(way, written):
    def call(v):
        array = v[written].data if written == "x" else v[written]
        array *= 2
        return F.sum(v["x"] * v["t"])

    function = TracedFunction(call, Subject("loss"), {"t": Y.copy()})
    with pytest.raises(ContractViolation, match=f"loss: it writes to {written}") as caught:
        getattr(function, way)({"x": X.copy()})
    assert caught.value.finding == "input-modified"


def test_recording_sees_writes_that_the_read_only_flag_does_not_stop():
    memory = X.copy()

    def call(v):
        memory[0] = 7
        return F.sum(v["x"])

    with pytest.raises(ContractViolation, match="it writes to x"):
        TracedFunction(call).record({"x": memory})


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "NoneType"),
        ({"loss": 1.0}, "dict"),
        ("1", "str"),
        (1j, "complex128 numbers"),
        ((1.0, None), "NoneType"),
        ((), "no value"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("way", ["record", "outputs"])
def test_what_a_function_may_not_return_is_said(way, returned, words):
    with pytest.raises(TypeError, match=words):
        getattr(TracedFunction(lambda v: returned), way)({"x": X})


def plain(value, gradient=None, inputs=None):
    return PlainFunction(value, Subject("f"), gradient, Subject("fprime"), inputs)


def test_a_plain_function_pairs_its_value_with_its_gradient():
    function = plain(lambda v: float(v["x"] @ v["x"]), lambda v: 2 * v["x"])
    recording = function.record({"x": X})
    assert recording.outputs[0] == 14.0
    np.testing.assert_array_equal(recording.vjp([np.array(1.0)])["x"], 2 * X)
    np.testing.assert_array_equal(recording.vjp([np.array(-3.0)])["x"], -6 * X)
    assert function.outputs({"x": X})[0] == 14.0


def test_a_function_of_value_and_gradient_is_called_once_for_both():
    calls = []

    def both(v):
        calls.append(dict(v))
        return v["x"] @ v["y"], {"x": v["y"], "y": v["x"]}

    function = plain(both)
    gradients = function.record({"x": X, "y": Y}).vjp([np.array(1.0)])
    assert len(calls) == 1
    np.testing.assert_array_equal(gradients["x"], Y)
    assert function.outputs({"x": X, "y": Y})[0] == 32.0


def test_a_gradient_is_not_evaluated_where_only_the_value_is_asked_for():
    def gradient(v):
        raise AssertionError("called")

    assert plain(lambda v: 1.0, gradient).outputs({"x": X})[0] == 1.0


@pytest.mark.parametrize("who", ["f", "fprime"])
def test_a_plain_function_or_gradient_that_writes_is_named_for_itself(who):
    def reads(v):
        return v["x"].sum() if who == "fprime" else np.ones(3)

    def writes(v):
        v["x"] += 1
        return v["x"].sum() if who == "f" else np.ones(3)

    function = plain(writes, reads) if who == "f" else plain(reads, writes)
    with pytest.raises(ContractViolation, match=f"{who}: it writes to x"):
        function.record({"x": X.copy()})


def test_a_plain_function_gets_its_inputs_and_may_not_write_to_them():
    def value(v):
        return v["x"] @ v["t"]

    def writes(v):
        v["t"][0] = 0
        return v["t"]

    assert plain(value, lambda v: v["t"], {"t": Y}).record({"x": X}).outputs[0] == 32.0
    with pytest.raises(ContractViolation, match="fprime: it writes to t"):
        plain(value, writes, {"t": Y.copy()}).record({"x": X})
