"""Activation functions: values against SciPy, extreme inputs, kinks, axes."""

import sys

import numpy as np
import pytest
import scipy.special

import gradcheck_cli.ops as F
from gradcheck_cli.ops import activations

X = np.linspace(-6.0, 6.0, 25).reshape(5, 5)
EXTREME = np.array([-1000.0, -100.0, -37.0, -0.0, 0.0, 37.0, 100.0, 1000.0])
ALL = ["sigmoid", "tanh", "relu", "leaky_relu", "elu", "softplus", "silu", "gelu", "softmax", "log_softmax"]

KNOWN = {
    "sigmoid": (F.sigmoid, scipy.special.expit(X)),
    "tanh": (F.tanh, np.tanh(X)),
    "relu": (F.relu, np.where(X > 0, X, 0)),
    "leaky_relu": (lambda x: F.leaky_relu(x, slope=0.2), np.where(X > 0, X, 0.2 * X)),
    "elu": (lambda x: F.elu(x, alpha=0.7), np.where(X > 0, X, 0.7 * (np.exp(X) - 1))),
    "softplus": (lambda x: F.softplus(x, beta=2.0), np.log(1 + np.exp(2 * X)) / 2),
    "silu": (F.silu, X * scipy.special.expit(X)),
    "gelu": (F.gelu, X * scipy.special.ndtr(X)),
    "gelu tanh": (
        lambda x: F.gelu(x, approximate="tanh"),
        0.5 * X * (1 + np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3))),
    ),
    "softmax": (F.softmax, scipy.special.softmax(X, axis=-1)),
    "softmax of columns": (lambda x: F.softmax(x, axis=0), scipy.special.softmax(X, axis=0)),
    "log_softmax": (F.log_softmax, scipy.special.log_softmax(X, axis=-1)),
    "log_softmax of columns": (lambda x: F.log_softmax(x, axis=0), scipy.special.log_softmax(X, axis=0)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_activation_agrees_with_its_formula(name):
    function, known = KNOWN[name]
    np.testing.assert_allclose(function(X), known, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ALL)
def test_extreme_inputs_give_finite_values_and_gradients_without_a_warning(name, dtype, check):
    x = EXTREME.astype(dtype)
    assert np.isfinite(check.value(getattr(F, name), [x], {})).all()
    (gx,) = check.gradients(getattr(F, name), [x], g=check.signed(x.shape, 0))
    assert np.isfinite(gx).all()
    for approximate in ("none", "tanh") if name == "gelu" else ():
        assert np.isfinite(check.gradients(F.gelu, [x], {"approximate": approximate})[0]).all()


@pytest.mark.parametrize(
    ("name", "ends", "slopes"),
    [
        ("sigmoid", (0.0, 1.0), (0.0, 0.0)),
        ("softplus", (0.0, 1000.0), (0.0, 1.0)),
        ("silu", (0.0, 1000.0), (0.0, 1.0)),
        ("gelu", (0.0, 1000.0), (0.0, 1.0)),
        ("elu", (-1.0, 1000.0), (0.0, 1.0)),
    ],
)
def test_function_reaches_its_limits(name, ends, slopes, check):
    x = np.array([-1000.0, 1000.0])
    np.testing.assert_array_equal(check.value(getattr(F, name), [x], {}), ends)
    np.testing.assert_array_equal(check.gradients(getattr(F, name), [x])[0], slopes)


@pytest.mark.parametrize(("name", "slope"), [("relu", 0.0), ("leaky_relu", 0.01), ("elu", 1.0)])
def test_gradient_at_the_kink_is_the_stated_one(name, slope, check):
    assert check.gradients(getattr(F, name), [np.array([0.0])])[0] == slope


def test_gelu_keeps_its_lower_tail():
    np.testing.assert_allclose(F.gelu(np.array([-20.0])), -20 * scipy.special.ndtr(-20.0), rtol=1e-12)


def test_gelu_does_without_scipy(monkeypatch, check):
    known = F.gelu(X)
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    activations._erfc.cache_clear()
    try:
        assert isinstance(activations._erfc(), np.vectorize)
        np.testing.assert_allclose(F.gelu(X), known, rtol=1e-13)
        assert check.value(F.gelu, [np.float32(X)], {}).dtype == np.float32
        assert F.gelu(np.zeros((0, 3))).shape == (0, 3)
        assert check.disagreement(F.gelu, [X]) < check.tolerance
    finally:
        activations._erfc.cache_clear()


def test_gelu_names_its_approximations():
    with pytest.raises(ValueError, match="'none' or 'tanh', not 'sigmoid'"):
        F.gelu(X, approximate="sigmoid")


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize(("shape", "axis"), [((3, 1), 1), ((1, 3), 0), ((2, 3, 4), 1), ((0, 3), -1), ((3, 0), -1)])
def test_softmax_takes_every_axis_size_one_and_empty_arrays(name, shape, axis, check):
    x = np.random.default_rng(0).standard_normal(shape)
    assert check.value(getattr(F, name), [x], {"axis": axis}).shape == shape
    (gx,) = check.gradients(getattr(F, name), [x], {"axis": axis}, check.signed(shape, 1))
    assert gx.shape == shape
    if shape[axis] > 1:  # with one class the gradient is 0, and both sides only rounding
        assert check.disagreement(getattr(F, name), [x], {"axis": axis}) < check.tolerance
    else:
        assert np.abs(gx).max(initial=0.0) < 1e-15


def test_masked_logits_get_no_probability_and_no_gradient(check):
    x = np.array([[1.0, -np.inf, 2.0]])
    np.testing.assert_allclose(F.softmax(x), scipy.special.softmax(x, axis=-1), rtol=1e-15)
    assert check.gradients(F.softmax, [x], g=np.array([[1.0, 2.0, -1.0]]))[0][0, 1] == 0.0
    assert F.log_softmax(x)[0, 1] == -np.inf
    assert np.isfinite(check.gradients(F.log_softmax, [x])[0]).all()


@pytest.mark.parametrize(("large", "dtype"), [(1e160, np.float64), (1e20, np.float32), (50.0, np.float64)])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_of_large_elements_has_slope_zero_or_one(large, dtype, approximate, check):
    x, attributes = np.array([-large, large, np.nan], dtype), {"approximate": approximate}
    np.testing.assert_array_equal(F.gelu(x, **attributes), np.array([0, large, np.nan], dtype))
    np.testing.assert_array_equal(check.gradients(F.gelu, [x], attributes)[0], [0, 1, np.nan])


def test_glu_and_gelu_take_what_they_are_given():
    with pytest.raises(ValueError, match="x is a single number, without axes, so axis can't be -1"):
        F.glu(np.array(1.0))
    with pytest.raises(ValueError, match="x has the axes -1 to 0, so axis can't be 2"):
        F.glu(np.ones(4), axis=2)
    np.testing.assert_array_equal(F.gelu([0.5, -1.0]), F.gelu(np.array([0.5, -1.0])))


@pytest.mark.parametrize("name", ["softsign", "tanh", "tanhshrink", "silu", "mish", "sigmoid", "softplus"])
def test_slopes_of_huge_elements_come_without_a_warning(name, check):
    assert np.isfinite(check.gradients(getattr(F, name), [np.array([-1e160, 1e160])])[0]).all()
