"""Running sums and products: values, axes, zeros, extreme and infinite elements."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

import gradcheck_cli.ops as F


def running_logsumexp(x, axis=None):
    if axis is None or x.ndim == 0:
        x, axis = x.reshape(-1), 0
    ends = range(1, x.shape[axis] + 1)
    parts = [scipy.special.logsumexp(np.take(x, range(end), axis), axis=axis) for end in ends]
    return np.stack(parts, axis) if parts else x


KNOWN = {"cumsum": np.cumsum, "cumprod": np.cumprod, "logcumsumexp": running_logsumexp}
scans = pytest.mark.parametrize("name", KNOWN)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(name=st.sampled_from(sorted(KNOWN)), shape=array_shapes(min_dims=0, max_dims=3, max_side=4), data=st.data())
def test_scan_of_every_shape_and_axis(check, name, shape, data):
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)) if shape else st.none())
    x = np.random.default_rng(1).standard_normal(shape)
    value = check.value(getattr(F, name), [x], {"axis": axis})
    np.testing.assert_allclose(value, KNOWN[name](x, axis=axis), rtol=1e-13)
    assert check.disagreement(getattr(F, name), [x], {"axis": axis}) < check.tolerance


@scans
def test_scan_of_nothing_and_of_a_single_number(name, check):
    for shape, axis in (((0,), 0), ((2, 0), 1), ((0, 2), None)):
        assert check.gradients(getattr(F, name), [np.zeros(shape)], {"axis": axis})[0].shape == shape
    assert check.value(getattr(F, name), [np.array(1.5)], {"axis": 0}).shape == (1,)
    assert check.gradients(getattr(F, name), [np.array(1.5)], {"axis": 0})[0] == 1.0


@pytest.mark.parametrize("zeros", [(0,), (2,), (1, 3), (0, 1, 2, 3)])
def test_running_product_with_zeros_is_differentiated_without_division(zeros, check):
    x = np.array([3.0, -2.0, 0.5, 7.0])
    x[list(zeros)] = 0.0
    g = check.signed(4, 0)
    slopes = [[np.prod(np.delete(x[: i + 1], k)) if k <= i else 0.0 for k in range(4)] for i in range(4)]
    np.testing.assert_allclose(check.gradients(F.cumprod, [x], g=g)[0], g @ np.array(slopes), rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_running_logsumexp_of_extreme_inputs_is_finite_without_a_warning(dtype, check):
    x = np.array([-1000.0, 1000.0, 999.0, -1000.0, 1000.0], dtype)
    epsilon = np.finfo(dtype).eps
    np.testing.assert_allclose(F.logcumsumexp(x), running_logsumexp(x.astype(float)), rtol=10 * epsilon)
    g = np.array([1.0, -2.0, 3.0, 0.5, -1.0])
    slopes = [[*scipy.special.softmax(x[: i + 1].astype(float)), *[0.0] * (4 - i)] for i in range(5)]
    known = g @ np.array(slopes)
    np.testing.assert_allclose(check.gradients(F.logcumsumexp, [x], g=g)[0], known, atol=3000 * epsilon)


def test_running_logsumexp_falls_as_steeply_as_its_elements_do(check):
    (gx,) = check.gradients(F.logcumsumexp, [np.array([0.0, 700.0, 1400.0])], g=np.array([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(gx, [1.0, 1.0, 1.0], rtol=1e-15)
    (gx,) = check.gradients(F.logcumsumexp, [np.array([1400.0, 700.0, 0.0])], g=np.array([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(gx, [3.0, 2 * np.exp(-700.0), 0.0], rtol=1e-12)


def test_running_logsumexp_of_minus_infinities_has_gradient_zero(check):
    x = np.array([-np.inf, -np.inf, 1.0, -np.inf])
    np.testing.assert_array_equal(F.logcumsumexp(x), [-np.inf, -np.inf, 1.0, 1.0])
    np.testing.assert_array_equal(check.gradients(F.logcumsumexp, [x])[0], [0.0, 0.0, 2.0, 0.0])


def test_running_logsumexp_shares_its_gradient_among_infinities(check):
    x = np.array([1.0, np.inf, -np.inf, np.inf])
    np.testing.assert_array_equal(F.logcumsumexp(x), [1.0, np.inf, np.inf, np.inf])
    np.testing.assert_array_equal(check.gradients(F.logcumsumexp, [x])[0], [1.0, 2.5, 0.0, 0.5])


@pytest.mark.parametrize("large", [0.0, 1e10, -1e10])
def test_running_logsumexp_keeps_the_digits_of_its_slopes(large, check):
    (gx,) = check.gradients(F.logcumsumexp, [np.full(3, large)])
    np.testing.assert_allclose(gx, [11 / 6, 5 / 6, 1 / 3], rtol=1e-15)
