"""Functions of one element: values, kinks, limits, and the branch that where does not take."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "square", "abs"])
def test_value_of_an_elementwise_function_is_numpys(name):
    x = np.random.default_rng(0).uniform(0.1, 3.0, (2, 3))
    np.testing.assert_array_equal(getattr(F, name)(x), getattr(np, name)(x))


def test_abs_has_gradient_zero_at_zero(check):
    (gx,) = check.gradients(F.abs, [np.array([-2.0, 0.0, 3.0])])
    np.testing.assert_array_equal(gx, [-1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("limits", "slopes"),
    [
        ({"min": -1, "max": 1}, [0, 1, 1, 1, 0]),
        ({"min": -1}, [0, 1, 1, 1, 1]),
        ({"max": 1}, [1, 1, 1, 1, 0]),
        ({}, [1, 1, 1, 1, 1]),
        ({"min": 2, "max": 1}, [0, 0, 0, 0, 0]),
    ],
    ids=str,
)
def test_clip_passes_the_gradient_within_its_limits(limits, slopes, check):
    x = np.array([-2.0, -1.0, 0.5, 1.0, 2.0])
    (gx,) = check.gradients(F.clip, [x], limits)
    np.testing.assert_array_equal(gx, slopes)
    low, high = limits.get("min", -np.inf), limits.get("max", np.inf)
    np.testing.assert_array_equal(F.clip(x, **limits), np.clip(x, low, high))


def test_where_takes_scalars_and_broadcasts_its_condition(check):
    condition = np.array([[True], [False]])
    np.testing.assert_array_equal(F.where(condition, 1.0, np.arange(3.0)), np.where(condition, 1.0, np.arange(3.0)))
    assert check.disagreement(F.where, [condition, np.array(1.0), np.arange(3.0)]) < check.tolerance


def test_where_is_not_polluted_by_the_branch_not_taken():
    condition = np.array([True, False, True])
    x, y = Variable(np.array([1.0, np.nan, 3.0])), Variable(np.array([np.inf, 2.0, np.nan]))
    out = F.where(condition, x, y)
    out.backward(np.array([5.0, 6.0, 7.0]))
    np.testing.assert_array_equal(x.grad, [5.0, 0.0, 7.0])
    np.testing.assert_array_equal(y.grad, [0.0, 6.0, 0.0])


def test_where_keeps_a_nan_cotangent_in_its_own_branch():
    x, y = Variable(np.ones(2)), Variable(np.ones(2))
    F.where(np.array([True, False]), x, y).backward(np.array([np.nan, 1.0]))
    np.testing.assert_array_equal(y.grad, [0.0, 1.0])
    assert np.isnan(x.grad[0])
    assert x.grad[1] == 0.0


def test_condition_of_where_may_be_a_comparison_of_variables(check):
    x = Variable(np.array([-1.0, 2.0]))
    F.where(x > 0, x * x, -x).backward(np.ones(2))
    np.testing.assert_array_equal(x.grad, [-1.0, 4.0])


def test_logarithm_of_zero_warns_as_numpy_does():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert F.log(np.array([0.0])) == -np.inf


def test_root_of_zero_has_an_infinite_slope(check):
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert np.isposinf(check.gradients(F.sqrt, [np.array([0.0])])[0])


@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_clip_sums_over_limits_that_broadcast(shape, check):
    limits = {"min": np.array([[-3.0], [0.7]]), "max": np.array([[0.4], [5.0]])}
    assert check.disagreement(F.clip, [np.full(shape, 0.5)], limits) < check.tolerance
