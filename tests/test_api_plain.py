"""Plain NumPy functions with a gradient of their own, checked from Python."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

from gradcheck_cli import check
from tests.checked_functions import X, squares
from tests.results import findings, summary


def test_a_function_and_its_gradient_as_scipy_takes_them():
    x0 = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
    result = check(optimize.rosen, x0, grad=optimize.rosen_der)
    assert result.verdict == "pass"
    assert result.name == "rosen"
    assert result.value == pytest.approx(optimize.rosen(x0))
    assert check(optimize.rosen, x0, grad=lambda x: 1.001 * optimize.rosen_der(x)).verdict == "fail"


def test_a_function_over_mathematics_of_numbers():
    assert check(math.sin, 0.7, grad=math.cos).verdict == "pass"
    assert check(math.sin, 0.7, grad=math.sin).verdict == "fail"


@pytest.mark.parametrize(
    "gradient",
    [lambda x: 2 * x, lambda x: list(2 * x), lambda x: (2 * x,), lambda x: {"x": 2 * x}, lambda x: [2 * x]],
    ids=["array", "list of numbers", "tuple", "mapping", "list"],
)
def test_the_gradient_of_one_parameter_comes_in_any_form(gradient):
    assert check(squares, X, grad=gradient).verdict == "pass"


PAIRED = {
    "tuple": lambda w, b: (float(w @ w * b), (2 * w * b, w @ w)),
    "list": lambda w, b: (float(w @ w * b), [2 * w * b, w @ w]),
    "mapping": lambda w, b: (float(w @ w * b), {"b": w @ w, "w": 2 * w * b}),
    "one after the other": lambda w, b: (float(w @ w * b), 2 * w * b, w @ w),
}


@pytest.mark.parametrize("form", PAIRED)
@pytest.mark.parametrize("params", [(X, 3.0), [X, np.array(3.0)], {"w": X, "b": 3.0}], ids=["tuple", "list", "mapping"])
def test_value_and_gradients_come_in_any_form(form, params):
    assert summary(check(PAIRED[form], params, value_and_grad=True)) == [("w", (3,), "pass"), ("b", (), "pass")]


def test_gradients_in_order_follow_the_parameters_and_those_by_name_their_names():
    reversed_params = {"b": 3.0, "w": X}
    assert check(PAIRED["mapping"], reversed_params, value_and_grad=True).verdict == "pass"
    assert findings(check(PAIRED["tuple"], reversed_params, value_and_grad=True)) == ["gradient-shape"]


@pytest.mark.parametrize("form", ["tuple", "list", "mapping"])
def test_one_wrong_gradient_of_two_is_the_one_that_fails(form):
    def spoiled(w, b):
        value, gradients = PAIRED[form](w, b)
        if form == "mapping":
            return value, {**gradients, "b": -gradients["b"]}
        return value, type(gradients)([gradients[0], -gradients[1]])

    result = check(spoiled, (X, 3.0), value_and_grad=True)
    assert summary(result) == [("w", (3,), "pass"), ("b", (), "fail")]


def test_a_plain_function_gets_arrays_and_inputs():
    seen = []

    def value(x, *, a):
        seen.append((type(x), type(a), x.flags.writeable))
        return a @ x

    result = check(value, X, grad=lambda x, *, a: a, inputs={"a": X + 1})
    assert result.verdict == "pass"
    assert set(seen) == {(np.ndarray, np.ndarray, False)}


@pytest.mark.parametrize(
    ("gradient", "finding", "words"),
    [
        (lambda w, b: w, "gradient-count", "returned 1 gradient for 2 parameters (w, b)"),
        (lambda w, b: (w, b, b), "gradient-count", "returned 3 gradients for 2 parameters (w, b)"),
        (lambda w, b: {"w": w}, "gradient-count", "no gradient for b"),
        (lambda w, b: (w, w), "gradient-shape", "the gradient of b has shape (3,), b has ()"),
        (lambda w, b: (w[:, None], b), "gradient-shape", "the gradient of w has shape (3, 1), w has (3,)"),
        (lambda w, b: (w, None), "gradient-dtype", "NoneType"),
        (lambda w, b: (w * np.nan, b), "non-finite", "nan in 3 of 3 elements"),
        (lambda w, b: (w, np.inf), "non-finite", "infinite in 1 of 1 elements"),
    ],
)
def test_wrong_counts_shapes_and_values_of_a_gradient_are_findings(gradient, finding, words):
    result = check(lambda w, b: float(w @ w * b), (X, 3.0), grad=gradient)
    assert findings(result) == [finding]
    assert words in result.findings[0].message
    assert result.verdict == "fail"
    assert [verdict for _, _, verdict in summary(result)] == ["skip", "skip"]


def test_a_finding_of_a_gradient_says_where_the_gradient_is_defined():
    def fprime(x):
        return x[1:]

    location = check(squares, X, grad=fprime).findings[0].location
    assert location is not None
    assert (Path(location.file).name, location.line) == ("test_api_plain.py", fprime.__code__.co_firstlineno)


def test_a_value_that_is_not_finite_is_a_finding():
    result = check(lambda x: np.sum(np.log(x)), X, grad=lambda x: 1 / x)
    assert findings(result) == ["non-finite"]


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda x: x, ValueError, "one number, not an array of"),
        (lambda x: None, TypeError, "a real number, not NoneType"),
        (lambda x: "1", TypeError, "a real number, not str"),
        (lambda x: 1j, TypeError, "a real number, not complex"),
    ],
    ids=["array", "None", "text", "complex"],
)
def test_a_plain_function_returns_one_real_number(function, error, words):
    with pytest.raises(error, match=words):
        check(function, X, grad=lambda x: x)


def test_a_function_of_value_and_gradient_has_to_return_both():
    with pytest.raises(TypeError, match=r"returns \(value, gradient\)"):
        check(squares, X, value_and_grad=True)


def test_grad_and_value_and_grad_exclude_each_other():
    with pytest.raises(TypeError, match="value_and_grad=True"):
        check(squares, X, grad=lambda x: 2 * x, value_and_grad=True)
