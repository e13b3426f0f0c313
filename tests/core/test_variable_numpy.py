"""NumPy's functions, numbers and arrays beside Variables."""

import numpy as np
import pytest

from gradcheck_cli import Variable
from gradcheck_cli.errors import OperatorError

A = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])


def test_numpy_functions_mean_the_operator_of_that_name():
    x = Variable(A)
    for out in (np.tanh(x), np.exp(x), np.sum(x, axis=0), np.reshape(x, (3, 2)), np.absolute(x), np.mean(x)):
        assert isinstance(out, Variable)
        assert out.creator is not None
    assert np.array_equal(np.sum(x, 0).data, A.sum(0))
    assert np.array_equal(np.concatenate([x, x], axis=1).data, np.concatenate([A, A], axis=1))
    assert np.array_equal(np.concatenate((A, x), 1).data, np.concatenate([A, A], axis=1))
    assert np.array_equal(np.where(A > 0, x, 0.0).data, np.where(A > 0, A, 0.0))
    assert np.array_equal(np.maximum(x, 0.0).data, np.maximum(A, 0.0))


STACK = np.arange(18.0).reshape(2, 3, 3)


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(np.concatenate, id="concatenate"),
        pytest.param(np.stack, id="stack"),
        pytest.param(lambda x: np.stack(x, -1), id="stack last"),
        pytest.param(lambda x: np.sum(x, 0, None, None, True), id="sum"),
        pytest.param(lambda x: np.std(x, 1, None, None, 1), id="std"),
        pytest.param(lambda x: np.take(x, [1, 5], 0, None, "wrap"), id="take"),
        pytest.param(lambda x: np.mean(a=x, axis=(0, 1), out=None), id="names"),
        pytest.param(lambda x: np.clip(x, a_min=1, a_max=7), id="clip"),
        pytest.param(lambda x: np.pad(x, 1, constant_values=2), id="pad"),
        pytest.param(lambda x: np.mod(x, 4), id="mod"),
        pytest.param(lambda x: x % 4 + 5 % (x + 1), id="percent"),
    ],
)
def test_arguments_stand_where_numpy_has_them(function):
    out = function(Variable(STACK))
    assert isinstance(out, Variable)
    np.testing.assert_array_equal(out.data, function(STACK))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(np.linalg.trace, r"np\.linalg\.trace .* trace\(x, axis1=-2, axis2=-1\)", id="trace"),
        pytest.param(np.linalg.diagonal, r"diagonal\(x, axis1=-2, axis2=-1\)", id="diagonal"),
        pytest.param(lambda x: np.fft.irfft(x, 5), r"irfft\(real, imag\)", id="irfft"),
        pytest.param(np.emath.sqrt, "scimath.sqrt has no operator here", id="of complex numbers"),
    ],
)
def test_what_means_something_else_names_what_to_use(call, message):
    with pytest.raises(TypeError, match=message):
        call(Variable(STACK))


def test_an_option_that_an_operator_has_not_is_refused():
    with pytest.raises(OperatorError, match="has no argument 'dtype'"):
        np.sum(Variable(STACK), 0, np.float32)


@pytest.mark.parametrize("number", [2, 2.0, np.float64(2), np.int64(2), np.full((2, 3), 2.0)], ids=repr)
def test_numbers_and_arrays_of_numpy_stand_on_either_side(number):
    for function in (lambda x: number * x, lambda x: x * number):
        x = Variable(A)
        out = function(x)
        assert isinstance(out, Variable)
        out.backward(np.ones_like(A))
        assert np.array_equal(x.grad, np.full_like(A, 2.0))


def test_functions_without_a_gradient_give_plain_values():
    x = Variable(A)
    assert np.isfinite(x).all()
    assert np.shape(x) == (2, 3)
    assert np.argmax(x) == A.argmax()
    assert np.allclose(x, A)
    assert np.array_equal(np.zeros_like(x), np.zeros_like(A))
    assert np.any(np.logical_and(x > 0, True))
    for value in (np.isnan(x), np.argsort(x, axis=0), np.sum([1, 2])):
        assert not isinstance(value, Variable)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda x: np.heaviside(x, 1.0), "np.heaviside has no operator here", id="ufunc"),
        pytest.param(np.gradient, "np.gradient has no operator here", id="function"),
        pytest.param(np.add.reduce, "np.add.reduce has no operator here", id="reduce"),
        pytest.param(lambda x: np.add(x, 1.0, out=np.zeros((2, 3))), "write a = a \\+ v", id="out"),
        pytest.param(lambda x: np.add(x, 1.0, where=True), "takes no where", id="where"),
        pytest.param(np.asarray, "use .data", id="asarray"),
        pytest.param(lambda x: np.array([x, x]), "use .data", id="array of a list"),
    ],
)
def test_what_would_lose_the_gradient_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call(Variable(A))


def test_adding_a_variable_into_an_array_in_place_is_refused():
    total = np.zeros((2, 3))
    with pytest.raises(TypeError, match=r"write a = a \+ v"):
        total += Variable(A)
    assert not total.any()
