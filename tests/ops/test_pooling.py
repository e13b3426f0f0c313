"""Pooling: values against loops over windows and bins, ties, padding, ceil_mode, what is refused."""

import math

import numpy as np
import pytest

import gradcheck_cli.ops as F

X = np.random.default_rng(3).permutation(2.0 * np.arange(84) - 84).reshape(2, 6, 7)


def windows(length, size, stride, padding, ceil_mode):
    """First and last place of each window along an axis, by the definition; both may lie outside."""
    count = (math.ceil if ceil_mode else math.floor)((length + 2 * padding - size) / stride) + 1
    starts = [number * stride - padding for number in range(count)]
    return [(start, start + size) for start in starts if not ceil_mode or start < length]


def by_loops(x, reduce, size, stride, padding, ceil_mode):
    """Call reduce(elements, places) for each window: its elements inside of x, and its places in x and the padding."""
    bounds = [windows(length, size, stride, padding, ceil_mode) for length in x.shape[-2:]]
    out = np.empty((*x.shape[:-2], *map(len, bounds)))
    for i, (top, bottom) in enumerate(bounds[0]):
        for j, (left, right) in enumerate(bounds[1]):
            part = x[..., max(top, 0) : bottom, max(left, 0) : right]
            height = min(bottom, x.shape[-2] + padding) - top
            width = min(right, x.shape[-1] + padding) - left
            out[..., i, j] = reduce(part.reshape(*x.shape[:-2], -1), height * width)
    return out


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize(("size", "stride", "padding"), [(2, 2, 0), (3, 2, 1), (3, 1, 0), (2, 3, 1), (4, 3, 2)])
def test_pooling_is_its_definition(size, stride, padding, ceil_mode):
    where = (size, stride, padding, ceil_mode)
    attributes = dict(zip(("kernel_size", "stride", "padding", "ceil_mode"), where, strict=True))
    highest = by_loops(X, lambda part, _: part.max(axis=-1), *where)
    np.testing.assert_array_equal(F.max_pool2d(X, **attributes), highest)
    padded = by_loops(X, lambda part, places: part.sum(axis=-1) / places, *where)
    np.testing.assert_allclose(F.avg_pool2d(X, **attributes), padded, rtol=1e-14)
    inside = by_loops(X, lambda part, _: part.mean(axis=-1), *where)
    np.testing.assert_allclose(F.avg_pool2d(X, **attributes, count_include_pad=False), inside, rtol=1e-14)
    summed = by_loops(X, lambda part, _: part.sum(axis=-1) / 5, *where)
    np.testing.assert_allclose(F.avg_pool2d(X, **attributes, divisor_override=5), summed, rtol=1e-14)


def test_the_first_of_elements_that_tie_gets_the_gradient(check):
    x = np.array([[1.0, 3.0, 0.0, 0.0], [3.0, 3.0, 0.0, 0.0]])
    (gradient,) = check.gradients(F.max_pool2d, [x], {"kernel_size": 2})
    assert gradient.tolist() == [[0, 1, 1, 0], [0, 0, 0, 0]]


def test_an_element_that_wins_in_several_windows_gets_all_their_gradients(check):
    x = np.array([[1.0, 5.0, 2.0, 3.0]])
    (gradient,) = check.gradients(F.max_pool2d, [x], {"kernel_size": (1, 2), "stride": 1}, [[1.0, 10.0, 100.0]])
    assert gradient.tolist() == [[0, 11, 0, 100]]


def test_padding_never_wins_and_dilated_windows_skip_elements():
    x = np.array([[-1, -2, -3, -4]])
    assert F.max_pool2d(x, kernel_size=(1, 2), padding=(0, 1)).tolist() == [[-1, -2, -4]]
    assert F.max_pool2d(x[:, ::-1], kernel_size=(1, 2), stride=1, dilation=(1, 2)).tolist() == [[-2, -1]]
    assert F.max_pool2d(-np.ones((2, 2)), kernel_size=3, padding=1).tolist() == [[-1.0]]


def test_nan_spoils_its_windows_only():
    x = np.ones((1, 6))
    x[0, 0] = np.nan
    for out in (
        F.max_pool2d(x, kernel_size=(1, 2)),
        F.avg_pool2d(x, kernel_size=(1, 2)),
        F.adaptive_avg_pool2d(x, output_size=(1, 3)),
    ):
        np.testing.assert_array_equal(out, [[np.nan, 1, 1]])


@pytest.mark.parametrize("size", [1, 2, 4, 9, (3, 1), (None, 5)], ids=str)
def test_bins_of_adaptive_pooling_cover_their_share(size, check):
    counts = [n or length for n, length in zip(size if isinstance(size, tuple) else (size, size), (6, 7), strict=True)]
    known = np.empty((2, *counts))
    for i, j in np.ndindex(*counts):
        rows, columns = (
            slice(number * length // count, math.ceil((number + 1) * length / count))
            for number, length, count in ((i, 6, counts[0]), (j, 7, counts[1]))
        )
        known[:, i, j] = X[:, rows, columns].mean(axis=(1, 2))
    np.testing.assert_allclose(F.adaptive_avg_pool2d(X, output_size=size), known, rtol=1e-12)
    assert check.disagreement(F.adaptive_avg_pool2d, [X], {"output_size": size}) < check.tolerance


@pytest.mark.parametrize("operator", [F.max_pool2d, F.avg_pool2d])
@pytest.mark.parametrize("shape", [(2, 2), (1, 2, 2), (0, 3, 2), (2, 1, 0, 3, 2)], ids=str)
def test_any_leading_axes_are_taken(operator, shape, check):
    x = check.signed(shape, 0)
    assert operator(x, kernel_size=2).shape == (*shape[:-2], 1, 1)
    assert check.gradients(operator, [x], {"kernel_size": 2})[0].shape == shape


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"kernel_size": 3}, "don't fit"),
        ({"kernel_size": 2, "padding": 2}, "more than half"),
        ({"kernel_size": (1, 2, 3)}, "one for each of 2 axes"),
        ({"kernel_size": 1.5}, "a whole number"),
        ({"kernel_size": 0}, "1 or more"),
    ],
)
def test_windows_that_do_not_fit_are_refused(attributes, message):
    for operator in (F.max_pool2d, F.avg_pool2d):
        with pytest.raises(ValueError, match=message):
            operator(np.ones((2, 2)), **attributes)


@pytest.mark.parametrize(("shape", "size"), [((2,), 1), ((0, 3), 1), ((2, 2), 0), ((2, 2), (1, 2.5))])
def test_adaptive_pooling_refuses_bins_of_nothing(shape, size):
    with pytest.raises(ValueError, match=r"height, width|1 or more|whole number"):
        F.adaptive_avg_pool2d(np.ones(shape), output_size=size)


@pytest.mark.parametrize("lowest", [np.full((2, 2), -np.inf), np.array([[-np.inf, -np.inf], [-np.inf, 0.0]])])
def test_padding_never_wins_over_infinities(lowest, check):
    (gx,) = check.gradients(F.max_pool2d, [lowest], {"kernel_size": 2, "stride": 1, "padding": 1})
    assert gx.sum() == 9
    assert gx[0, 0] == (4 if np.isinf(lowest).all() else 3)


@pytest.mark.parametrize("operator", [F.max_pool2d, F.avg_pool2d], ids=["max", "avg"])
def test_ceil_mode_takes_a_window_larger_than_the_array(operator, check):
    x, attributes = check.signed((2, 3, 4), 0), {"kernel_size": 5, "ceil_mode": True}
    known = x.max(axis=(1, 2)) if operator is F.max_pool2d else x.mean(axis=(1, 2))
    np.testing.assert_allclose(operator(x, **attributes), known[:, None, None], rtol=1e-14)
    assert check.disagreement(operator, [x], attributes) < check.tolerance
    with pytest.raises(ValueError, match="don't fit"):
        operator(x, kernel_size=5, stride=1, ceil_mode=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: F.adaptive_avg_pool2d(x, output_size=(1, 2, 3)), r"output_size .* each of 2 axes, not \(1, 2, 3\)"),
        (lambda x: F.avg_pool2d(x, kernel_size=2, divisor_override=0), "divisor_override should not be 0"),
        (lambda x: F.max_pool2d(x, kernel_size=0), r"windows of size \(0, 0\)"),
        (lambda x: F.max_pool2d(x, kernel_size=2, stride=0), r"stride \(0, 0\)"),
        (lambda x: F.max_pool2d(x, kernel_size=2, dilation=-1), r"dilation \(-1, -1\): all should be 1 or more"),
    ],
)
def test_pooling_says_which_number_it_can_not_use(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((3, 3)))
