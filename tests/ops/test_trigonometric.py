"""Trigonometric and hyperbolic functions: values of NumPy, and slopes where formulas cancel or overflow."""

import numpy as np
import pytest

import gradcheck_cli.ops as F

NAMES = "arccos arccosh arcsin arcsinh arctan arctan2 arctanh cos cosh hypot sin sinc sinh tan".split()


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_numpy(name):
    rng = np.random.default_rng(0)
    x = rng.uniform(1.1, 2, 5) if name == "arccosh" else rng.uniform(-0.9, 0.9, 5)
    arrays = (x, x[::-1] - 2) if name in ("arctan2", "hypot") else (x,)
    np.testing.assert_array_equal(getattr(F, name)(*arrays), getattr(np, name)(*arrays))


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-9, 1e-3, 0.031, 0.0319, 0.05, 1.0, 2.5])
def test_sinc_is_smooth_where_its_terms_cancel(x, check):
    (slope,) = check.gradients(F.sinc, [np.array(x)])
    # The Taylor series, with as many terms as it takes at 2.5.
    t, term, known = np.pi * x, 1.0, 0.0
    for k in range(1, 40):
        term *= -t * t / ((2 * k) * (2 * k + 1))
        known += 2 * k * term / t if t else 0.0
    np.testing.assert_allclose(slope, np.pi * known, rtol=2e-13, atol=1e-290)


def test_lengths_and_angles_do_not_overflow(check):
    far, near = np.array(3e200), np.array(4e200)
    np.testing.assert_allclose(F.hypot(far, near), 5e200)
    np.testing.assert_allclose(check.gradients(F.hypot, [far, near]), [0.6, 0.8])
    np.testing.assert_allclose(check.gradients(F.arctan2, [far, near]), [1.6e-201, -1.2e-201])
    np.testing.assert_allclose(check.gradients(F.arcsinh, [far])[0], 1 / 3e200)


def test_the_gradient_of_a_length_at_the_origin_is_zero(check):
    assert [float(g) for g in check.gradients(F.hypot, [np.array(0.0), np.array(0.0)])] == [0.0, 0.0]


def test_hypot_of_the_smallest_numbers_has_slopes_below_one(check):
    gx, gy = check.gradients(F.hypot, [np.array([3e-320]), np.array([4e-320])])
    np.testing.assert_allclose([gx[0], gy[0]], [0.6, 0.8], rtol=1e-3)


def test_arctan2_at_the_origin_has_slope_zero(check):
    for slopes in check.gradients(F.arctan2, [np.zeros(2), np.array([0.0, -0.0])]):
        np.testing.assert_array_equal(slopes, [0.0, 0.0])


@pytest.mark.parametrize("name", ["arctan", "arcsinh", "sinc"])
def test_slopes_of_huge_elements_are_small_and_come_without_a_warning(name, check):
    assert np.abs(check.gradients(getattr(F, name), [np.array([-1e160, 1e160])])[0]).max() < 1e-159
