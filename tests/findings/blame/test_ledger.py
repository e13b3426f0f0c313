"""The ledger: every application that a function makes itself, with what went through it forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, keep, op
from gradcheck_cli.errors import Location
from gradcheck_cli.findings.blame.ledger import Sweep, record
from gradcheck_cli.findings.blame.place import in_order, python_line
from gradcheck_cli.numeric.function import TracedFunction

x = np.random.default_rng(2).normal(size=(2, 3))


@op(outputs="tangent shift")
def inner(x, *, k=2.0, mode="plain"):
    """tanh(x) by another operator, and k x."""
    made = F.tanh(Variable(x))
    return keep(made.data, k * x, slope=1 - made.data**2)


@inner.backward
def _(g_tangent, g_shift, slope, k):
    again = F.multiply(Variable(g_tangent), slope)
    return again.data + k * g_shift


def swept(call: Callable[..., Any], g: Any, **values: np.ndarray) -> Sweep:
    return record(TracedFunction(lambda v: call(**v)), values, [np.asarray(g)], python_line)


def names(entries: list[Any]) -> list[str]:
    return [entry.operator.name for entry in entries]


def test_what_an_operator_calls_itself_is_no_application_of_the_function() -> None:
    sweep = swept(lambda x: F.sum(inner(x, k=3.0)[0] * 2.0), 1.5, x=x)
    assert names(sweep.ledger.entries) == ["inner", "multiply", "sum"]
    assert names(sweep.ledger.swept) == ["sum", "multiply", "inner"]
    np.testing.assert_allclose(sweep.gradients["x"], 3 * (1 - np.tanh(x) ** 2))


def test_an_application_is_described_with_all_that_its_backward_could_use() -> None:
    entry = swept(lambda x: F.sum(inner(x, k=3.0)[0] * 2.0), 1.5, x=x).ledger.entries[0]
    made = entry.described(entry.arrived())
    assert made.attributes == {"k": 3.0, "mode": "plain"}
    assert list(made.arguments) == ["x"]
    np.testing.assert_array_equal(made.arguments["x"], x)
    np.testing.assert_array_equal(made.outputs["shift"], 3 * x)
    np.testing.assert_array_equal(made.cotangents["tangent"], np.full((2, 3), 3.0))
    np.testing.assert_array_equal(made.cotangents["shift"], np.zeros((2, 3)))  # nobody used it
    np.testing.assert_allclose(made.kept["slope"], 1 - np.tanh(x) ** 2)
    assert made.location is not None
    assert made.location.file == __file__


def test_a_path_has_what_stands_between_a_parameter_and_the_outputs() -> None:
    sweep = swept(lambda a, b: F.sum(F.tanh(a) * F.exp(b)) + F.sum(F.relu(a)), 1.0, a=x, b=x)
    assert set(names(sweep.path(["b"]))) == {"add", "sum", "multiply", "exp"}
    assert names(sweep.path(["b"]))[-1] == "exp"
    assert set(names(sweep.path(["a"]))) == {"add", "sum", "multiply", "tanh", "relu"}
    assert sweep.path([]) == []


def test_the_same_application_has_the_same_key() -> None:
    def function(x):
        same, again = F.leaky_relu(x, slope=0.1), F.leaky_relu(x, slope=0.1)
        return same + again + F.leaky_relu(x, slope=0.2) + F.leaky_relu(x * 2.0, slope=0.1)

    entries = swept(function, np.ones((2, 3)), x=x).ledger.entries
    leaky = [entry for entry in entries if entry.operator.name == "leaky_relu"]
    assert leaky[0].key == leaky[1].key
    assert len({entry.key for entry in leaky}) == 3


def test_an_array_as_an_attribute_tells_applications_apart() -> None:
    keys = [np.array([0, 1]), np.array([1, 0]), np.array([0, 1])]
    entries = swept(lambda x: F.concatenate([x[key] for key in keys]), np.ones((6, 3)), x=x).ledger.entries
    first, second, third = [entry.key for entry in entries if entry.operator.name == "getitem"]
    assert first == third != second


def test_calls_in_order_have_their_places_and_others_have_none() -> None:
    tanh, exp = F.tanh.operator, F.exp.operator
    locate = in_order([(tanh, Location("a", 1)), (exp, Location("a", 2)), (tanh, None)])
    assert [locate(tanh), locate(tanh), locate(tanh), locate(exp)] == [Location("a", 1), None, None, None]


def test_the_line_of_python_is_that_of_the_person() -> None:
    def helper(x):
        return F.tanh(x)

    sweep = swept(helper, np.ones((2, 3)), x=x)
    place = sweep.ledger.entries[0].location
    assert place is not None
    assert place.line == helper.__code__.co_firstlineno + 1
