"""Arithmetic on Variables, indexing, comparisons and Python's control flow."""

import math

import numpy as np
import pytest

from gradcheck_cli import Variable

A = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
B = np.array([[2.0, 0.5, -1.0], [3.0, 1.5, 2.5]])


# Arithmetic, methods, indexing


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: (y * y + 1.0) ** (x * 0.1) - y**3,
        lambda x, y: -x + abs(y) + (+x),
        lambda x, y: 2 + x - 3 * y,
        lambda x, y: 2 - x + 1 / y,
        lambda x, y: x @ y.T,
        lambda x, y: x[0] * y[1, ::-1] + x[:, 1].sum(),
        lambda x, y: x.reshape(3, 2) @ y.reshape((2, 3)).transpose(1, 0).T,
        lambda x, y: x.mean(axis=0) * y.max(axis=1, keepdims=True),
    ],
    ids=range(12),
)
def test_arithmetic_agrees_with_numpy_and_with_differences(function):
    x, y = Variable(A), Variable(B)
    out = function(x, y)
    assert np.allclose(out.data, np.asarray(function(Variable(A, False), Variable(B, False)).data))
    out.sum().backward()
    h = 1e-6
    for array, variable, at in ((A, x, 0), (B, y, 1)):
        if variable.grad is None:
            continue
        for index in np.ndindex(array.shape):
            both = [A.copy(), B.copy()]
            both[at][index] += h
            above = function(*[Variable(value, False) for value in both]).data.sum()
            both[at][index] -= 2 * h
            below = function(*[Variable(value, False) for value in both]).data.sum()
            assert variable.grad[index] == pytest.approx((above - below) / (2 * h), rel=1e-6, abs=1e-6), index


def test_power_from_the_right():
    x = Variable(3.0)
    y = 2.0**x
    y.backward()
    assert y.item() == 8.0
    assert x.grad == pytest.approx(8.0 * math.log(2.0))


def test_matmul_from_the_right_takes_the_array_as_a_constant():
    x = Variable(A)
    y = B.T @ x
    assert isinstance(y, Variable)
    y.backward(np.ones((3, 3)))
    assert np.allclose(x.grad, B @ np.ones((3, 3)))


def test_lists_stand_on_either_side():
    x = Variable(A)
    for out in ([1.0, 2.0, 3.0] - x, x * [1.0, 2.0, 3.0], [[1.0, 2.0]] @ x):
        assert isinstance(out, Variable)
        assert out.creator is not None
    assert np.array_equal(([[1.0, 2.0]] @ x).data, [[1.0, 2.0]] @ A)


def test_augmented_assignment_makes_a_new_variable():
    x = Variable(2.0)
    y = x
    y += x
    y *= 3.0
    assert x.item() == 2.0
    y.backward()
    assert x.grad == 6.0


def test_item_assignment_is_refused():
    with pytest.raises(TypeError, match="does not support item assignment"):
        Variable(A)[0, 0] = 1.0


def test_indexing_with_integer_variables_and_arrays_sums_repeated_elements():
    x = Variable([1.0, 2.0, 3.0])
    index = Variable(np.array([0, 2, 2]), requires_grad=False)
    x[index].sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 2.0]


def test_iteration_yields_rows_that_record():
    x = Variable(A)
    first, second = x
    (first * second).sum().backward()
    assert np.array_equal(x.grad, A[::-1])
    with pytest.raises(TypeError, match="0-d"):
        iter(Variable(1.0))
    with pytest.raises(TypeError, match="unsized"):
        len(Variable(1.0))


def test_python_numbers_do_not_widen_float32():
    x = Variable(np.ones(3, dtype=np.float32))
    y = (x * 2.0 + 1) ** 2 / 3 - True
    assert y.dtype == np.float32
    y.sum().backward()
    assert x.grad.dtype == np.float32
    assert (x * np.float64(2.0)).dtype == np.float64, "a number of NumPy widens, as in NumPy"


# Control flow and comparisons


def test_comparisons_are_constants():
    x, y = Variable(A), Variable(B)
    assert np.array_equal(x < y, A < B)
    assert np.array_equal(x <= 1.0, A <= 1.0)
    assert np.array_equal(x > B, A > B)
    assert np.array_equal(np.greater_equal(A, y), A >= B)
    assert np.array_equal(x == x, np.ones_like(A, dtype=bool))
    assert np.array_equal(x != B, A != B)
    assert not isinstance(x < y, Variable)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)


@pytest.mark.parametrize(("start", "slope"), [(3.0, 4.0), (-3.0, -1.0)], ids=["positive", "negative"])
def test_if_takes_the_branch_that_ran(start, slope):
    x = Variable(start)
    y = x * 4.0 if x > 0 else -x
    y.backward()
    assert x.grad == slope


def test_while_and_for_record_what_ran():
    x = Variable(1.5)
    y, steps = x, 0
    while y < 20:
        y = y * x
        steps += 1
    for _ in range(2):
        y = y + x
    y.backward()
    power = steps + 1
    assert x.grad == pytest.approx(power * 1.5 ** (power - 1) + 2)
