"""Functions of one number with a function of its gradients beside them as operators: every form, right and wrong."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.values import from_value
from gradcheck_cli.errors import OperatorError
from tests.bridges.functions.quadratic import XW, W, X, gradients, value

RNG = np.random.default_rng(7)

GRADIENTS = {
    "several": gradients,
    "a mapping": lambda x, w: {"w": gradients(x, w)[1], "x": gradients(x, w)[0]},
    "another order of arguments": lambda w, x: gradients(x, w),
    "other names": lambda a, b: gradients(x=a, w=b),
    "any arguments": lambda *args: gradients(args[0], args[1]),
    "more with defaults": lambda x, w, eps=1e-5: gradients(x, w),
    "by name only": lambda *, x, w: gradients(x, w),
}


@pytest.mark.parametrize("form", GRADIENTS)
def test_a_value_and_its_gradient_apart(form):
    operator = from_value("J", value, GRADIENTS[form])
    assert check(operator, XW).verdict == "pass"
    wrong = from_value("J", value, functools.wraps(GRADIENTS[form])(lambda *a, **k: _half(GRADIENTS[form](*a, **k))))
    assert check(wrong, XW).verdict == "fail"


def _half(made):
    if isinstance(made, dict):
        return {name: gradient / 2 for name, gradient in made.items()}
    return [gradient / 2 for gradient in made]


def test_one_array_is_the_gradient_of_the_only_input():
    operator = from_value("J", lambda x: np.sum(x**3), lambda x: 3 * x**2)
    assert check(operator, {"x": X}).verdict == "pass"
    assert check(from_value("J", lambda x: np.sum(x**3), lambda x: 3 * x), {"x": X}).verdict == "fail"
    numbers = from_value("J", lambda x: np.sum(x**3), lambda x: (3 * x**2).tolist())
    assert check(numbers, {"x": X[0]}).verdict == "pass"


def test_settings_go_to_value_and_gradient():
    def ridge(w, lam=1.0, *, power=2):
        return lam * np.sum(np.abs(w) ** power)

    def ridge_gradient(w, lam, power):
        return lam * power * np.abs(w) ** (power - 1) * np.sign(w)

    operator = from_value("ridge", ridge, ridge_gradient)
    assert check(lambda w: operator(w, 0.5, power=4), {"w": W}).verdict == "pass"
    forgets = from_value("ridge", ridge, lambda w: 2 * w)
    assert check(lambda w: forgets(w, 1.0), {"w": W}).verdict == "pass"
    assert check(lambda w: forgets(w, 0.5), {"w": W}).verdict == "fail"


@pytest.mark.parametrize(
    ("gradient", "message"),
    [
        (lambda x, z: 0, "the gradient of J takes 'z', which the value doesn't take"),
        (lambda a, b, c: 0, "takes 'a'"),
        (lambda *, a, b: 0, "takes 'a'"),
    ],
)
def test_a_gradient_of_other_arguments_is_refused(gradient, message):
    with pytest.raises(
        OperatorError, match=rf"test_values_apart\.py:\d+: error: .*{message}.*\n.*same arguments: x, w"
    ):
        from_value("J", value, gradient)


def test_a_value_that_is_no_number_is_an_error():
    with pytest.raises(OperatorError, match=r"J returned an array of shape \(2, 3\)"):
        check(from_value("J", lambda x: x, lambda x: x), {"x": X})


def test_whole_numbers_as_value_are_differentiated_all_the_same():
    operator = from_value("count", lambda x: int(np.sum(x > 0)), lambda x: 0 * x)
    result = check(operator, {"x": X})
    assert result.verdict == "pass"


def squared_error(X, y, w, b):
    return np.sum((X @ w + b - y) ** 2)


def squared_error_gradients(X, y, w, b):
    residual = X @ w + b - y
    dj_dw = 2 * X.T @ residual
    dj_db = 2 * residual.sum()
    return dj_db, dj_dw


def squared_error_gradients_crossed(X, y, w, b):
    dj_dw, dj_db = squared_error_gradients(X, y, w, b)
    return dj_db, dj_dw


@pytest.mark.parametrize(
    ("gradients", "verdict"), [(squared_error_gradients, "pass"), (squared_error_gradients_crossed, "fail")]
)
def test_fewer_gradients_than_arrays_go_by_their_names_in_any_order(gradients, verdict):
    operator = from_value("error", squared_error, gradients)
    data = {"X": RNG.standard_normal((4, 3)), "y": RNG.standard_normal(4)}
    weights = {"w": RNG.standard_normal(3), "b": np.array(0.4)}
    assert str(check(operator, weights, inputs=data).verdict) == verdict
