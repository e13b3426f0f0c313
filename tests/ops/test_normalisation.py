"""Normalisations: values against their formulas, statistics, broadcast weights, shapes, what is refused."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

RNG = np.random.default_rng(11)
X = 2 * RNG.standard_normal((3, 4, 2, 5)) + 1
WEIGHT, BIAS, MEAN, VARIANCE = RNG.standard_normal(4), RNG.standard_normal(4), RNG.standard_normal(4), RNG.random(4) + 1


def formula(x, axes, eps=1e-5):
    return (x - np.mean(x, axis=axes, keepdims=True)) / np.sqrt(np.var(x, axis=axes, keepdims=True) + eps)


def at_channels(values, ndim):
    return values.reshape(-1, *(1,) * (ndim - 2))


@pytest.mark.parametrize("ndim", [2, 3, 4])
def test_batch_norm_takes_the_statistics_of_the_batch_or_those_given(ndim, check):
    x = X[(slice(None),) * 2 + (0,) * (4 - ndim)]
    scale, shift = at_channels(WEIGHT, ndim), at_channels(BIAS, ndim)
    known = formula(x, (0, *range(2, ndim))) * scale + shift
    arrays = [x, MEAN, VARIANCE, WEIGHT, BIAS]
    np.testing.assert_allclose(F.batch_norm(*arrays, training=True), known, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(F.batch_norm(x, training=True), formula(x, (0, *range(2, ndim))), rtol=1e-12, atol=1e-14)
    known = (x - at_channels(MEAN, ndim)) / np.sqrt(at_channels(VARIANCE, ndim) + 0.1) * scale + shift
    np.testing.assert_allclose(F.batch_norm(*arrays, eps=0.1), known, rtol=1e-12)
    for training in (True, False):
        gradients = check.gradients(F.batch_norm, arrays, {"training": training})
        assert [g if g is None else g.shape for g in gradients] == [x.shape, None, None, (4,), (4,)]
        assert check.disagreement(F.batch_norm, arrays, {"training": training}) < check.tolerance


def test_a_batch_norm_in_training_lets_no_constant_gradient_through():
    x = Variable(X)
    F.batch_norm(x, training=True).backward(np.ones(X.shape))
    np.testing.assert_allclose(x.grad, 0, atol=1e-14)


def test_running_statistics_get_no_gradient_and_are_left_alone():
    mean, variance = Variable(MEAN.copy()), Variable(VARIANCE.copy())
    F.batch_norm(Variable(X), mean, variance, training=True).backward(X)
    assert mean.grad is None
    assert variance.grad is None
    np.testing.assert_array_equal(mean.data, MEAN)


@pytest.mark.parametrize("ndim", [3, 4])
def test_instance_norm_goes_over_each_channel_of_each_element(ndim, check):
    x = X[(slice(None),) * 2 + (0,) * (4 - ndim)]
    scale, shift = at_channels(WEIGHT, ndim), at_channels(BIAS, ndim)
    arrays = [x, MEAN, VARIANCE, WEIGHT, BIAS]
    known = formula(x, tuple(range(2, ndim))) * scale + shift
    np.testing.assert_allclose(F.instance_norm(*arrays), known, rtol=1e-12, atol=1e-14)
    given = F.instance_norm(*arrays, use_input_stats=False)
    np.testing.assert_array_equal(given, F.batch_norm(*arrays))
    for own in (True, False):
        assert check.disagreement(F.instance_norm, arrays, {"use_input_stats": own}) < check.tolerance


@pytest.mark.parametrize("num_groups", [1, 2, 4])
def test_group_norm_goes_over_groups_of_channels(num_groups, check):
    known = formula(X.reshape(3, num_groups, -1), 2).reshape(X.shape) * at_channels(WEIGHT, 4) + at_channels(BIAS, 4)
    arrays, attributes = [X, WEIGHT, BIAS], {"num_groups": num_groups}
    np.testing.assert_allclose(F.group_norm(*arrays, **attributes), known, rtol=1e-12, atol=1e-14)
    assert check.disagreement(F.group_norm, arrays, attributes) < check.tolerance


@pytest.mark.parametrize("shape", [None, 5, (5,), [2, 5], (4, 2, 5)], ids=str)
def test_layer_and_rms_norm_go_over_the_trailing_axes_of_a_shape(shape, check):
    sizes = (5,) if shape is None else tuple(np.atleast_1d(shape))
    axes = tuple(range(-len(sizes), 0))
    weight, bias = check.signed(sizes, 1), check.signed(sizes, 2)
    layer, rms = [X, weight, bias], [X, weight]
    attributes = {"normalized_shape": shape}
    np.testing.assert_allclose(F.layer_norm(*layer, **attributes), formula(X, axes) * weight + bias, rtol=1e-11)
    known = X / np.sqrt(np.mean(X**2, axis=axes, keepdims=True) + np.finfo(float).eps) * weight
    np.testing.assert_allclose(F.rms_norm(*rms, **attributes), known, rtol=1e-12)
    assert check.disagreement(F.layer_norm, layer, attributes) < check.tolerance
    assert check.disagreement(F.rms_norm, rms, attributes) < check.tolerance


def test_rms_norm_has_the_epsilon_of_its_type():
    small = np.full((1, 2), 1e-6, np.float32)
    np.testing.assert_allclose(F.rms_norm(small), 1e-6 / np.sqrt(np.finfo(np.float32).eps + 1e-12), rtol=1e-5)
    assert F.rms_norm(np.array([0, 0])).tolist() == [0.0, 0.0]


def test_a_large_mean_costs_layer_norm_only_its_digits():
    x = 1e8 + np.arange(4.0)
    np.testing.assert_allclose(F.layer_norm(x), F.layer_norm(np.arange(4.0)), rtol=1e-6)


def test_a_huge_spread_does_not_overflow_rows_of_a_million():
    x = np.array([[1e6, -1e6], [1.0, 1.0]])
    np.testing.assert_allclose(F.layer_norm(x), [[1, -1], [0, 0]], rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 4, 5), (3, 0, 5), (3, 4, 0), (1, 1, 1)], ids=str)
def test_empty_and_single_elements_give_gradients_of_their_shape(shape, check):
    x, channels, last = np.ones(shape), np.ones(shape[1]), np.ones(shape[2])
    calls = [
        (F.batch_norm, [x, channels, channels, channels, channels], {"training": True}),
        (F.batch_norm, [x, channels, channels, channels, channels], {}),
        (F.instance_norm, [x, None, None, channels, channels], {}),
        (F.group_norm, [x, channels, channels], {"num_groups": 1}),
        (F.layer_norm, [x, last, last], {}),
        (F.rms_norm, [x, last], {}),
    ]
    for operator, arrays, attributes in calls:
        gradients = check.gradients(operator, arrays, attributes)
        assert check.value(operator, arrays, attributes).shape == shape
        for array, gradient in zip(arrays, gradients, strict=True):
            assert gradient is None or gradient.shape == array.shape
            assert gradient is None or np.isfinite(gradient).all()


REFUSED = {
    "running_mean and running_var": lambda: F.batch_norm(X),
    "each channel should have one number": lambda: F.batch_norm(X, MEAN, VARIANCE, np.ones(3)),
    r"should be \(n, channels": lambda: F.instance_norm(np.ones(3)),
    "divide the channels": lambda: F.group_norm(X, num_groups=3),
    "num_groups should": lambda: F.group_norm(X, num_groups=0),
    "should end with": lambda: F.layer_norm(X, normalized_shape=4),
    "x should end": lambda: F.rms_norm(np.float64(1.0)),
    "weight and bias should have": lambda: F.layer_norm(X, np.ones(4)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_shapes_that_do_not_fit_a_norm_are_refused(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()
