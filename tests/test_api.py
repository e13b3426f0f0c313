"""The Python front door: how parameters and inputs are given, and the knobs."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, assert_gradients, check
from gradcheck_cli.errors import SampledWarning
from tests.checked_functions import X, wrong_tanh
from tests.results import summary


def test_a_mapping_is_passed_by_name():
    result = check(lambda *, w, b: F.sum(w * w + b), {"b": 2.0, "w": X})
    assert summary(result) == [("b", (), "pass"), ("w", (3,), "pass")]


@pytest.mark.parametrize("kind", [tuple, list])
def test_a_tuple_or_list_of_arrays_is_passed_by_position_and_named_as_the_function_does(kind):
    result = check(lambda first, second: F.sum(first @ second), kind([np.eye(3), X]))
    assert summary(result) == [("first", (3, 3), "pass"), ("second", (3,), "pass")]


@pytest.mark.parametrize("x", [X, [0.5, -1.0, 2.0], Variable(X), X.astype(np.float32), [1, -1, 2]], ids=repr)
def test_one_array_in_any_form_is_one_parameter(x):
    assert summary(check(lambda x: F.sum(F.tanh(x)), x)) == [("x", (3,), "pass")]


@pytest.mark.parametrize("x", [3.0, 3, np.float64(3), np.array(3.0), Variable(3.0)], ids=repr)
def test_a_number_is_a_scalar_parameter(x):
    result = check(lambda x: x * x + x, x)
    assert summary(result) == [("x", (), "pass")]
    assert result.value == 12.0
    assert result.parameters[0].worst is not None
    assert result.parameters[0].worst.analytic == 7.0


def test_a_nested_list_of_numbers_is_one_matrix():
    assert summary(check(lambda x: F.sum(x @ x), [[1.0, 2.0], [3.0, 4.0]])) == [("x", (2, 2), "pass")]


@pytest.mark.parametrize(
    "values", [[Variable(2.0), Variable(3.0)], (2.0, 3.0), [np.array(2.0), np.array(3.0)]], ids=repr
)
def test_several_scalars_are_several_parameters(values):
    assert summary(check(lambda x, y: x * y, values)) == [("x", (), "pass"), ("y", (), "pass")]


def test_parameters_beyond_the_names_of_a_signature_are_numbered():
    def product(first, *rest):
        return F.sum(first * rest[0] * rest[1])

    assert [name for name, _, _ in summary(check(product, (X, X + 1, X + 2)))] == ["first", "arg1", "arg2"]


@pytest.mark.parametrize(
    "function",
    [
        F.tanh,
        np.tanh,
        functools.partial(F.leaky_relu, slope=0.2),
        lambda x: F.tanh(x) * 2,
        type("M", (), {"__call__": lambda self, x: x * x})(),
    ],
    ids=["operator", "ufunc", "partial", "lambda", "object"],
)
def test_anything_callable_is_checked(function):
    assert [verdict for _, _, verdict in summary(check(function, X))] == ["pass"]


def test_a_callable_without_a_signature_has_numbered_parameters():
    class Hidden:
        __signature__ = "none"

        def __call__(self, x, y):
            return x * y

    assert [name for name, _, _ in summary(check(Hidden(), (2.0, 3.0)))] == ["arg0", "arg1"]


def test_variables_that_are_given_keep_their_own_gradients():
    x = Variable(X.copy())
    check(lambda x: F.sum(x * x), x)
    assert x.grad is None
    np.testing.assert_array_equal(x.data, X)


def test_inputs_are_passed_by_name_and_not_checked():
    def loss(w, *, t, labels, reduction):
        return F.cross_entropy(w * t, labels, reduction=reduction)

    inputs = {"t": np.array([1.0, 2.0, 0.5]), "labels": np.array(1), "reduction": "sum"}
    assert summary(check(loss, X, inputs=inputs)) == [("w", (3,), "pass")]


def test_an_input_that_is_a_variable_is_a_constant():
    t = Variable(X)
    assert summary(check(lambda w, t: F.sum(w * t.tanh()), X, inputs={"t": t})) == [("w", (3,), "pass")]
    assert t.grad is None


def test_the_same_function_is_checked_for_any_of_its_arguments():
    def loss(w, b):
        return F.mean(wrong_tanh(w) * b)

    assert check(loss, {"b": X}, inputs={"w": X}).verdict == "pass"
    assert check(loss, {"w": X}, inputs={"b": X}).verdict == "fail"


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({}, ValueError, "params is empty"),
        ((), ValueError, "params is empty"),
        ([], ValueError, "params is empty"),
        ({1: 2.0}, TypeError, "named by text, not by 1"),
        ("abc", TypeError, "x should hold real numbers"),
        (None, TypeError, "x should hold real numbers"),
        (True, TypeError, "x should hold real numbers, not bool: pass it in inputs"),
        (1j, TypeError, "x should hold real numbers, not complex128"),
        ([[1.0], [1.0, 2.0]], ValueError, "x should be an array of real numbers"),
        ({"x": 1.0, "mask": np.array([True])}, TypeError, "mask should hold real numbers, not bool"),
    ],
    ids=repr,
)
def test_parameters_that_are_none_are_refused_with_their_name(params, error, words):
    with pytest.raises(error, match=words):
        check(lambda x: x, params)


def test_a_name_can_not_be_parameter_and_input():
    with pytest.raises(ValueError, match="'x' is in params and in inputs"):
        check(lambda x: x, {"x": 1.0}, inputs={"x": 2.0})


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"rtoll": 1e-7}, "unknown knob 'rtoll'. did you mean 'rtol'?"),
        ({"zzz": 1}, "unknown knob 'zzz'"),
        ({"rtol": 0}, "rtol should be a number between 0 and 1"),
        ({"rtol": "small"}, "rtol should be a number between 0 and 1"),
        ({"rtol": float("nan")}, "rtol should be a number between 0 and 1"),
        ({"eps": 2.0}, "eps should be a number between 0 and 1"),
        ({"eps": True}, "eps should be a number between 0 and 1"),
        ({"sample": 0}, "sample should be a whole number"),
        ({"sample": 2.5}, "sample should be a whole number"),
        ({"sweep": 1}, "sweep should be true or false"),
        ({"dtype": "float16"}, "dtype should be float64 or float32"),
        ({"dtype": np.int64}, "dtype should be float64 or float32"),
        ({"timeout": 3}, "timeout is for specs"),
        ({"accuracy": 0.0}, "accuracy should be a number between 0 and 1"),
        ({"kinks": "ignore"}, "kinks should be pass or fail"),
        ({"directions": 0}, "directions should be a whole number"),
        ({"repeat": 2}, "repeat should be a number between 0 and 1"),
        ({"allow": ["jump"]}, "'jump' can't be allowed"),
    ],
    ids=repr,
)
def test_a_wrong_knob_is_said_before_anything_is_called(knobs, words):
    def never(x):
        raise AssertionError("called")

    with pytest.raises(ValueError, match=re.escape(words)):
        check(never, X, **knobs)


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("float32")], ids=repr)
def test_the_type_may_be_text_or_numpys(dtype):
    seen = set()

    def value(x, *, t):
        seen.add((x.dtype, t.dtype))
        return F.sum(x * t)

    check(value, X, inputs={"t": X}, dtype=dtype)
    assert seen == {(np.dtype(np.float32), np.dtype(np.float32))}


@pytest.mark.parametrize("ask", [check, assert_gradients])
def test_what_is_left_out_is_a_warning_at_the_line_that_asks(ask):
    with pytest.warns(SampledWarning, match=r"of 2,000 elements of x, seed 0, and 2 random directions") as seen:
        ask(lambda x: F.mean(F.cumsum(x) ** 2), {"x": np.linspace(1.0, 2.0, 2000)}, budget=1e-3)
    assert [each.filename for each in seen] == [__file__]


def test_without_a_budget_every_element_is_checked_without_a_word(recwarn):
    (parameter,) = check(lambda x: F.mean(F.cumsum(x)), {"x": np.linspace(1.0, 2.0, 2000)}, budget="none").parameters
    assert (parameter.checked, len(recwarn)) == (2000, 0)
