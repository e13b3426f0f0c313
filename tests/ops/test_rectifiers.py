"""Activations with corners: known values, slopes at the corners, channels of prelu."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check as checked

AT_CORNERS = {
    "relu": ([0.0], [0.0]),
    "leaky_relu": ([0.0], [0.01]),
    "elu": ([0.0], [1.0]),
    "selu": ([0.0], [1.7580993408473766]),
    "celu": ([0.0], [1.0]),
    "hardsigmoid": ([-3.0, 3.0], [0.0, 0.0]),
    "hardswish": ([-3.0, 3.0], [0.0, 1.0]),
    "hardtanh": ([-1.0, 1.0], [0.0, 0.0]),
}


@pytest.mark.parametrize("name", AT_CORNERS)
def test_the_slope_at_a_corner_is_the_one_that_is_documented(name, check):
    points, slopes = AT_CORNERS[name]
    np.testing.assert_allclose(check.gradients(getattr(F, name), [np.array(points)])[0], slopes, rtol=1e-15)


def test_hard_functions_are_lines_between_their_limits(check):
    x = np.array([-4.0, -1.5, 0.0, 1.5, 4.0])
    np.testing.assert_allclose(F.hardsigmoid(x), [0, 0.25, 0.5, 0.75, 1], rtol=1e-15)
    np.testing.assert_allclose(F.hardswish(x), [0, -0.375, 0, 1.125, 4], rtol=1e-15)
    np.testing.assert_allclose(check.gradients(F.hardsigmoid, [x])[0], [0, 1 / 6, 1 / 6, 1 / 6, 0], rtol=1e-15)


def test_selu_keeps_mean_and_variance():
    x = np.random.default_rng(0).standard_normal(200_000)
    out = F.selu(x)
    assert abs(out.mean()) < 0.01
    assert abs(out.var() - 1) < 0.02


def test_prelu_has_a_weight_for_each_channel_or_one_for_all(check):
    x = np.array([[[-1.0, 2.0], [-3.0, -4.0]]])
    np.testing.assert_allclose(F.prelu(x, np.array([0.1, 0.5])), [[[-0.1, 2.0], [-1.5, -2.0]]])
    np.testing.assert_allclose(check.gradients(F.prelu, [x, np.array([0.1, 0.5])])[1], [-1.0, -7.0])
    for one in (np.array([0.5]), np.array(0.5)):
        np.testing.assert_allclose(check.gradients(F.prelu, [x, one])[1], np.full(one.shape, -8.0))
    with pytest.raises(ValueError, match="a number for each channel"):
        F.prelu(x, np.ones(3))


@pytest.mark.parametrize("name", ["relu", "hardtanh", "hardswish"])
def test_nan_passes_its_gradient_as_in_pytorch(name, check):
    np.testing.assert_array_equal(
        check.gradients(getattr(F, name), [np.array([np.nan, 0.5, -9.0])], g=[3, 0, 0])[0][0], 3
    )


def test_prelu_takes_a_single_number_and_no_matrix_of_weights():
    result = checked(lambda x, weight: F.tanh(F.prelu(x, weight)), {"x": np.array(-0.5), "weight": np.array([0.3])})
    assert str(result.verdict) == "pass"
    with pytest.raises(ValueError, match=r"or one, not \(1, 1\)"):
        F.prelu(np.ones((2, 3)), np.ones((1, 1)))


def test_rectifiers_refuse_what_means_nothing():
    with pytest.raises(ValueError, match="alpha should not be 0"):
        F.celu(np.ones(2), alpha=0)
    with pytest.raises(ValueError, match=r"min_val should be at most max_val, 1\.0, not 2"):
        F.hardtanh(np.ones(2), min_val=2)
