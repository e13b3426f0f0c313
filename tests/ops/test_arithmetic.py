"""Gates of two arrays: values, broadcasting both ways, ties, and powers at 0."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

BINARY = ["add", "subtract", "multiply", "divide", "power", "maximum", "minimum"]
SHAPES = mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=3, max_dims=3)


def positive(shape, seed):
    return np.random.default_rng(seed).uniform(0.5, 2.0, shape)


@pytest.mark.parametrize("name", BINARY)
def test_value_of_a_binary_gate_is_numpys(name):
    x, y = positive((3, 1), 0), positive(4, 1)
    np.testing.assert_array_equal(getattr(F, name)(x, y), getattr(np, name)(x, y))
    np.testing.assert_array_equal(F.negative(x), -x)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(name=st.sampled_from([*BINARY, "where"]), shapes=SHAPES)
def test_slopes_of_broadcast_operands_are_those_of_differences(check, name, shapes):
    arrays = [positive(shape, seed) for seed, shape in enumerate(shapes.input_shapes)]
    operator = getattr(F, name)
    if name == "where":
        arrays = [np.random.default_rng(2).random(shapes.result_shape) < 0.5, *arrays]
    assert check.value(operator, arrays, {}).shape == shapes.result_shape
    assert check.disagreement(operator, arrays) < check.tolerance


@pytest.mark.parametrize("name", BINARY)
def test_numbers_and_arrays_are_constants_on_either_side(name, check):
    x = Variable(np.array([1.5, 2.5]))
    for args in ((x, 3.0), (3.0, x), (x, np.array([2.0, 3.0])), (np.array([[2.0], [3.0]]), x)):
        x.zero_grad()
        out = getattr(F, name)(*args)
        out.backward(np.ones(out.shape))
        arrays = [np.asarray(arg.data if arg is x else arg) for arg in args]
        slot = 0 if args[0] is x else 1
        np.testing.assert_array_equal(x.grad, check.gradients(getattr(F, name), arrays)[slot])


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extremum_shares_a_tie_in_halves(name, check):
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 3.0])
    gx, gy = check.gradients(getattr(F, name), [x, y], g=np.array([4.0, 6.0, 8.0]))
    np.testing.assert_array_equal(gx, [2.0, 0.0, 4.0] if name == "maximum" else [2.0, 6.0, 4.0])
    np.testing.assert_array_equal(gx + gy, [4.0, 6.0, 8.0])


def test_extremum_of_one_variable_with_itself_has_the_gradient_of_the_identity():
    x = Variable(np.array([1.0, -2.0]))
    F.maximum(x, x).backward(np.array([3.0, 5.0]))
    np.testing.assert_array_equal(x.grad, [3.0, 5.0])


@pytest.mark.parametrize(("exponent", "slope"), [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0)])
def test_power_has_the_right_slope_at_zero(exponent, slope, check):
    gx, gy = check.gradients(F.power, [np.array([0.0]), np.array([exponent])])
    assert gx.item() == slope
    assert gy.item() == 0.0


def test_power_of_zero_to_one_half_has_an_infinite_slope_and_numpys_warning(check):
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert np.isposinf(check.gradients(F.power, [np.array([0.0]), np.array([0.5])])[0])


@pytest.mark.parametrize("exponent", [2, 2.0, 3, -1, 0, np.array([0, 1, 2])], ids=str)
def test_power_with_a_constant_exponent_takes_negative_bases_without_a_logarithm(exponent):
    x = Variable(np.array([-2.0, -0.5, 1.5]))
    out = x**exponent
    out.backward(np.ones(3))
    powers = np.asarray(exponent, dtype=float)
    np.testing.assert_allclose(x.grad, powers * x.data ** (powers - 1), rtol=1e-15)


def test_power_with_a_constant_base_has_only_the_exponents_rule():
    y = Variable(np.array([-1.0, 0.5, 2.0]))
    (2.0**y).backward(np.ones(3))
    np.testing.assert_allclose(y.grad, 2.0**y.data * np.log(2.0), rtol=1e-15)


def test_divide_by_zero_warns_as_numpy_does():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        F.divide(1.0, np.array([0.0]))


def test_integer_and_boolean_constants_keep_a_float_gradient():
    x = Variable(np.array([1.0, -2.0]))
    out = (x > 0) * x + np.array([3, 4]) * x
    out.backward(np.ones(2))
    np.testing.assert_array_equal(x.grad, [4.0, 4.0])


@pytest.mark.parametrize(
    ("x", "y", "slope"), [(0.5, 0.1, -4.0), (7.5, 2.0, -3.0), (-1.0, np.inf, 1.0), (1.0, np.inf, 0.0), (-0.5, 0.2, 3.0)]
)
def test_mod_has_the_slope_of_the_quotient_that_numpy_takes(x, y, slope, check):
    gx, gy = check.gradients(F.mod, [np.array([x]), np.array([y])])
    np.testing.assert_array_equal([gx[0], gy[0]], [1.0, slope])


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_nan_beside_a_number_passes_the_gradient_to_both_as_in_pytorch(name, check):
    gx, gy = check.gradients(getattr(F, name), [np.array([np.nan, 1.0]), np.array([1.0, np.nan])], g=[3, 5])
    np.testing.assert_array_equal([gx, gy], [[3, 5], [3, 5]])
