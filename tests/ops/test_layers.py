"""Layers: linear with and without bias, dropout seeded and switched off, interpolation."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli import check as checked


@pytest.mark.parametrize("leading", [(), (1,), (3,), (2, 3), (0,)], ids=str)
@pytest.mark.parametrize("with_bias", [True, False])
def test_linear_takes_any_leading_axes(leading, with_bias, check):
    x, weight, bias = check.signed((*leading, 4), 1), check.signed((5, 4), 2), check.signed((5,), 3)
    arrays = [x, weight, bias] if with_bias else [x, weight]
    known = x @ weight.T + (bias if with_bias else 0)
    np.testing.assert_array_equal(F.linear(*arrays), known)
    assert check.disagreement(F.linear, arrays) < check.tolerance
    assert [g.shape for g in check.gradients(F.linear, arrays)] == [array.shape for array in arrays]


@pytest.mark.parametrize("shapes", [((3, 1), (1, 1), (1,)), ((3, 0), (2, 0), (2,)), ((3, 2), (0, 2), (0,))], ids=str)
def test_linear_takes_sizes_one_and_zero(shapes, check):
    arrays = [check.signed(shape, seed) for seed, shape in enumerate(shapes)]
    assert check.disagreement(F.linear, arrays) < check.tolerance
    assert [g.shape for g in check.gradients(F.linear, arrays)] == list(shapes)


def test_linear_takes_its_bias_by_name_or_as_none(check):
    x, weight, bias = Variable(check.signed((2, 3), 1)), check.signed((4, 3), 2), Variable(np.zeros(4))
    F.linear(x, weight, bias=bias).backward(np.ones((2, 4)))
    np.testing.assert_array_equal(bias.grad, np.full(4, 2.0))
    np.testing.assert_array_equal(F.linear(x, weight, None).data, F.linear(x, weight).data)


@pytest.mark.parametrize("shapes", [((2, 3), (3,), (1,)), ((2, 3), (4, 3), (3,)), ((2, 3), (1, 3), (4,))], ids=str)
def test_linear_refuses_weight_and_bias_that_do_not_fit(shapes):
    arrays = [None if shape is None else np.ones(shape) for shape in shapes]
    with pytest.raises(ValueError, match=r"weight should be \(out, in\) and bias \(out,\)"):
        F.linear(*arrays)


def test_dropout_is_repeatable_for_a_seed_and_differs_between_seeds():
    x = np.ones(1000)
    np.testing.assert_array_equal(F.dropout(x, seed=3), F.dropout(x, seed=3))
    assert not np.array_equal(F.dropout(x, seed=3), F.dropout(x, seed=4))


@pytest.mark.parametrize("p", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_dropout_keeps_a_share_and_scales_it_up(p):
    out = F.dropout(np.ones(20000), p=p, seed=1)
    assert abs(np.mean(out == 0) - p) < 0.02
    kept = out[out != 0]
    np.testing.assert_allclose(kept, 1 / (1 - p) if p < 1 else 0, rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_dropout_scales_every_type(dtype):
    out = F.dropout(np.ones(10, dtype), p=0.2, seed=0)
    assert out.dtype == (np.float32 if dtype is np.float32 else np.float64)
    np.testing.assert_allclose(out[out != 0], 1.25, rtol=1e-6)


def test_dropout_outside_training_is_the_identity(check):
    x = np.array([1.0, -2.0, 3.0])
    out = F.dropout(x, training=False)
    np.testing.assert_array_equal(out, x)
    assert not np.shares_memory(out, x)
    np.testing.assert_array_equal(check.gradients(F.dropout, [x], {"training": False})[0], np.ones(3))


def test_dropout_gradient_has_the_mask_of_the_forward():
    x = Variable(np.ones((4, 5)))
    out = F.dropout(x, seed=8)
    out.backward(np.ones((4, 5)))
    np.testing.assert_array_equal(x.grad, out.data)
    assert 0 < np.count_nonzero(out.data) < 20


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan")])
def test_dropout_refuses_what_is_no_probability(p):
    with pytest.raises(ValueError, match="between 0 and 1"):
        F.dropout(np.ones(3), p=p)


def test_interpolate_copies_the_nearest_element():
    x = np.array([[[10.0, 20.0, 30.0]]])
    assert F.interpolate(x, size=6).tolist() == [[[10, 10, 20, 20, 30, 30]]]
    assert F.interpolate(x, size=2).tolist() == [[[10, 20]]]
    assert F.interpolate(x, size=2, mode="nearest-exact").tolist() == [[[10, 30]]]
    assert F.interpolate(x, scale_factor=1.5).tolist() == [[[10, 10, 20, 30]]]
    x[0, 0, 0] = np.nan
    assert F.interpolate(x, scale_factor=2)[0, 0, 2:].tolist() == [20, 20, 30, 30]


@pytest.mark.parametrize("align_corners", [None, False, True])
@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_linear_interpolation_is_numpys(count, align_corners, check):
    x = check.signed((2, 3, 5), 0)
    ratio = 5 / count
    at = np.linspace(0, 4, count) if align_corners and count > 1 else ratio * (np.arange(count) + 0.5) - 0.5
    at = np.zeros(1) if align_corners and count == 1 else at
    known = [[np.interp(at, np.arange(5), row) for row in plane] for plane in x]
    attributes = {"size": count, "mode": "linear", "align_corners": align_corners}
    np.testing.assert_allclose(F.interpolate(x, **attributes), known, rtol=1e-12)
    assert check.disagreement(F.interpolate, [x], attributes) < check.tolerance


def test_interpolation_along_two_axes_is_one_after_the_other(check):
    x = check.signed((1, 2, 3, 4), 0)
    rows = F.interpolate(np.moveaxis(x, 2, 3).reshape(1, 8, 3), size=5, mode="linear").reshape(1, 2, 4, 5)
    known = F.interpolate(np.moveaxis(rows, 2, 3).reshape(1, 10, 4), size=7, mode="linear").reshape(1, 2, 5, 7)
    np.testing.assert_allclose(F.interpolate(x, size=(5, 7), mode="bilinear"), known, rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3), (1, 1, 1)], ids=str)
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_interpolate_takes_empty_batches_and_single_elements(shape, mode, check):
    attributes = {"size": 4, "mode": mode}
    assert check.gradients(F.interpolate, [np.ones(shape)], attributes)[0].shape == shape
    assert F.interpolate(np.ones(shape), **attributes).shape == (*shape[:2], 4)


REFUSED_SIZES = {
    "size or scale_factor": {},
    "have size or": {"size": 2, "scale_factor": 2},
    "one for each of 1 axes": {"size": (2, 2)},
    "all should be 1 or more": {"scale_factor": 0.1},
    "nearest, nearest-exact, linear for x of 3 axes, not 'bilinear'": {"size": 2, "mode": "bilinear"},
    "not 'cubic'": {"size": 2, "mode": "cubic"},
    "align_corners is for linear modes": {"size": 2, "align_corners": True},
}


@pytest.mark.parametrize("message", REFUSED_SIZES)
def test_interpolate_refuses_what_says_no_size(message):
    with pytest.raises(ValueError, match=message):
        F.interpolate(np.ones((1, 1, 3)), **REFUSED_SIZES[message])


@pytest.mark.parametrize(("length", "count"), [(49, 147), (3, 7), (7, 3), (29, 58), (1, 5), (10, 30)])
def test_interpolate_finds_the_nearest_element_in_whole_numbers(length, count):
    x = np.arange(float(length)).reshape(1, 1, length)
    nearest = [i * length // count for i in range(count)]
    exact = [(2 * i + 1) * length // (2 * count) for i in range(count)]
    assert F.interpolate(x, size=count)[0, 0].tolist() == nearest
    assert F.interpolate(x, size=count, mode="nearest-exact")[0, 0].tolist() == exact


def test_interpolate_leaves_an_axis_alone_whose_size_a_factor_keeps():
    x = np.arange(9.0).reshape(1, 1, 3, 3) ** 2
    factors = F.interpolate(x, scale_factor=(1.2, 2), mode="bilinear")
    np.testing.assert_array_equal(factors, F.interpolate(x, size=(3, 6), mode="bilinear"))
    assert F.interpolate(x[:, :, 0], scale_factor=1.2, mode="linear").tolist() == [[[0, 1, 4]]]


def test_linear_with_a_weight_of_one_axis_gives_one_number(check):
    arrays = [check.signed(shape, seed) for seed, shape in enumerate([(4, 2, 3), (3,), ()])]
    np.testing.assert_allclose(F.linear(*arrays), arrays[0] @ arrays[1] + arrays[2])
    assert check.disagreement(F.linear, arrays) < check.tolerance
    parameters = dict(zip(("x", "weight", "bias"), arrays, strict=True))
    result = checked(lambda x, weight, bias: F.sum(F.tanh(F.linear(x, weight, bias))), parameters)
    assert str(result.verdict) == "pass"


def test_linear_and_interpolate_say_which_shape_or_size_they_want():
    with pytest.raises(ValueError, match=r"x should be \(\.\.\., 5\) beside a weight of shape \(4, 5\), not \(2, 3\)"):
        F.linear(np.ones((2, 3)), np.ones((4, 5)))
    with pytest.raises(ValueError, match="size should hold whole numbers, not float64"):
        F.interpolate(np.ones((1, 1, 3)), size=4.5)
    with pytest.raises(ValueError, match=r"mode should be one of nearest, nearest-exact, linear .* not None"):
        F.interpolate(np.ones((1, 1, 3)), size=4, mode=None)
