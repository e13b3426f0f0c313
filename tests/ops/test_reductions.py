"""Reductions: values, axes, ties, NaN, infinite and empty sums."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

import gradcheck_cli.ops as F

REDUCTIONS = ["sum", "mean", "max", "min", "logsumexp"]
NUMPY = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "logsumexp": scipy.special.logsumexp}


@st.composite
def reductions(draw):
    shape = draw(array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=3))
    axes = st.none()
    if shape:
        one = st.integers(-len(shape), len(shape) - 1)
        several = st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1).map(tuple)
        axes = st.one_of(st.none(), one, several)
    return draw(st.sampled_from(REDUCTIONS)), shape, {"axis": draw(axes), "keepdims": draw(st.booleans())}


@settings(derandomize=True, max_examples=200, deadline=None)
@given(reductions())
def test_value_and_gradient_for_every_shape_and_axis(check, reduction):
    name, shape, attributes = reduction
    x = np.random.default_rng(3).permutation(int(np.prod(shape))).reshape(shape) / 3.0
    value = check.value(getattr(F, name), [x], attributes)
    assert value.shape == np.sum(x, **attributes).shape
    np.testing.assert_allclose(value, NUMPY[name](x, **attributes).reshape(value.shape), rtol=1e-13, atol=1e-15)
    assert check.disagreement(getattr(F, name), [x], attributes) < check.tolerance


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["sum", "max", "min", "logsumexp"])  # NumPy's mean refuses it
def test_single_number_reduces_over_an_axis_that_it_lacks(name, axis, check):
    x = np.array(1.5)
    assert check.value(getattr(F, name), [x], {"axis": axis}).shape == ()
    assert check.disagreement(getattr(F, name), [x], {"axis": axis}) < check.tolerance


@pytest.mark.parametrize(("shape", "axis"), [((0, 3), 1), ((0, 3), -1), ((2, 0, 3), 2)])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_array_without_rows_reduces_to_nothing(name, shape, axis, check):
    x = np.zeros(shape)
    assert check.value(getattr(F, name), [x], {"axis": axis}).size == 0
    assert check.gradients(getattr(F, name), [x], {"axis": axis})[0].shape == shape


@pytest.mark.parametrize(("name", "total"), [("sum", 0.0), ("logsumexp", -np.inf)])
def test_sum_of_nothing(name, total, check):
    for axis, known in ((None, total), (1, np.full(3, total))):
        x = np.zeros((3, 0))
        np.testing.assert_array_equal(check.value(getattr(F, name), [x], {"axis": axis}), known)
        assert check.gradients(getattr(F, name), [x], {"axis": axis})[0].shape == (3, 0)


def test_mean_of_nothing_warns_as_numpy_does_and_has_an_empty_gradient(check):
    with pytest.warns(RuntimeWarning):
        assert check.gradients(F.mean, [np.zeros((0, 3))])[0].shape == (0, 3)


@pytest.mark.parametrize(("name", "best"), [("max", 5.0), ("min", -5.0)])
def test_elements_that_tie_share_the_gradient_equally(name, best, check):
    x = np.array([[best, best, 0.0, best], [0.0, best, 0.0, 0.0]])
    (gx,) = check.gradients(getattr(F, name), [x], {"axis": 1}, np.array([6.0, 4.0]))
    np.testing.assert_array_equal(gx, [[2.0, 2.0, 0.0, 2.0], [0.0, 4.0, 0.0, 0.0]])


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremum_of_nan_sends_its_gradient_to_the_nan(name, check):
    x = np.array([[1.0, np.nan, 2.0], [1.0, 2.0, 1.5]])
    (gx,) = check.gradients(getattr(F, name), [x], {"axis": 1})
    np.testing.assert_array_equal(gx, [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0] if name == "max" else [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_logsumexp_of_extreme_inputs_is_finite_without_a_warning(dtype, check):
    x = np.array([[-1000.0, 1000.0, 999.0], [-1000.0, -1000.0, -1001.0], [1000.0, 1000.0, 1000.0]], dtype)
    known = scipy.special.logsumexp(x.astype(float), axis=1)
    np.testing.assert_allclose(F.logsumexp(x, axis=1), known, rtol=10 * np.finfo(dtype).eps)
    (gx,) = check.gradients(F.logsumexp, [x], {"axis": 1})
    np.testing.assert_allclose(gx, scipy.special.softmax(x.astype(float), axis=1), rtol=2000 * np.finfo(dtype).eps)


@pytest.mark.parametrize("keepdims", [False, True])
def test_logsumexp_of_minus_infinities_is_minus_infinity_with_gradient_zero(keepdims, check):
    x = np.array([[-np.inf, -np.inf], [-np.inf, 3.0]])
    attributes = {"axis": 1, "keepdims": keepdims}
    np.testing.assert_array_equal(check.value(F.logsumexp, [x], attributes).ravel(), [-np.inf, 3.0])
    np.testing.assert_array_equal(check.gradients(F.logsumexp, [x], attributes)[0], [[0.0, 0.0], [0.0, 1.0]])
    assert check.gradients(F.logsumexp, [np.array(-np.inf)])[0] == 0.0


def test_logsumexp_of_infinity_is_infinity():
    assert F.logsumexp(np.array([1.0, np.inf])) == np.inf
