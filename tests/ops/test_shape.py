"""Operators that move elements: keys of getitem, orders of axes, parts of unequal size."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

X = np.random.default_rng(0).standard_normal((3, 4))
KEYS = {
    "row": 1,
    "boolean": True,
    "negative row": -1,
    "numpy integer": np.int64(2),
    "slice": slice(1, None),
    "step": slice(None, None, -2),
    "empty slice": slice(2, 2),
    "element": (1, 2),
    "column": (slice(None), 1),
    "ellipsis": (..., 0),
    "newaxis": (None, slice(None), None, 1),
    "only newaxis": None,
    "everything": (),
    "repeated rows": np.array([0, 2, 0, 0]),
    "repeated rows in a list": [0, 2, 0, 0],
    "table of rows": np.array([[0, 1], [1, 1]]),
    "repeated pairs": (np.array([0, 1, 0]), np.array([2, 3, 2])),
    "arrays that broadcast": (np.array([[0], [1]]), np.array([1, 1, 3])),
    "slice and array": (slice(0, 2), np.array([3, 3, 0])),
    "arrays apart": (np.array([0, 1, 0]), None, np.array([2, 2, 2])),
    "mask": X > 0,
    "mask of rows": np.array([True, False, True]),
    "mask and column": (np.array([True, False, True]), 2),
    "mask of nothing": np.zeros((3, 4), dtype=bool),
    "no rows": np.array([], dtype=int),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_getitem_takes_every_key_of_numpy(key, check):
    np.testing.assert_array_equal(check.value(F.getitem, [X], {"key": key}), X[key])
    assert check.disagreement(F.getitem, [X], {"key": key}) < check.tolerance


def test_getitem_sums_the_gradients_of_an_element_taken_several_times():
    x = Variable(np.arange(3.0))
    x[[0, 2, 0, 0]].backward(np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(x.grad, [8.0, 0.0, 2.0])


def test_getitem_takes_the_only_element_of_a_scalar(check):
    assert check.disagreement(F.getitem, [np.array(2.0)], {"key": (None, ...)}) < check.tolerance
    assert check.gradients(F.getitem, [np.array(2.0)], {"key": ()})[0] == 1.0


def test_rows_of_a_variable_can_be_looped_over():
    x = Variable(X)
    total = sum((row * row for row in x), start=Variable(np.zeros(4), requires_grad=False))
    total.backward(np.ones(4))
    np.testing.assert_allclose(x.grad, 2 * X, rtol=1e-15)


@pytest.mark.parametrize("shape", [(12,), 12, -1, (2, -1), (2, 3, 2), (1, 12, 1)], ids=str)
def test_reshape_goes_back(shape, check):
    assert check.value(F.reshape, [X], {"shape": shape}).shape == X.reshape(shape).shape
    assert check.disagreement(F.reshape, [X], {"shape": shape}) < check.tolerance


@pytest.mark.parametrize(("before", "after"), [((), (1, 1)), ((1, 1), ()), ((0, 3), (3, 0)), ((2, 0), (0,))], ids=str)
def test_reshape_takes_scalars_and_empty_arrays(before, after, check):
    assert check.gradients(F.reshape, [np.zeros(before)], {"shape": after})[0].shape == before


@pytest.mark.parametrize(
    "axes", [None, (0, 1, 2, 3), (3, 0, 1, 2), (1, 3, 2, 0), (-1, 0, -3, 2), [2, 0, 3, 1]], ids=str
)
def test_transpose_goes_back_for_every_order_of_axes(axes, check):
    x = np.random.default_rng(0).standard_normal((1, 2, 3, 2))
    assert check.value(F.transpose, [x], {"axes": axes}).shape == np.transpose(x, axes).shape
    assert check.disagreement(F.transpose, [x], {"axes": axes}) < check.tolerance


@pytest.mark.parametrize("shape", [(), (3,), (0, 2)], ids=str)
def test_transpose_takes_any_number_of_axes(shape, check):
    assert check.gradients(F.transpose, [np.zeros(shape)])[0].shape == shape


@pytest.mark.parametrize(
    ("shapes", "axis"),
    [
        ([(2, 3), (1, 3), (4, 3)], 0),
        ([(2, 1), (2, 3)], -1),
        ([(2, 1), (2, 3)], 1),
        ([(2, 2, 1), (2, 3, 1)], 1),
        ([(2, 3)], 0),
        ([(0, 3), (2, 3)], 0),
        ([(2, 3), (4,), ()], None),
        ([(0, 3), (2, 3)], None),
    ],
    ids=str,
)
def test_concatenate_splits_its_gradient_into_parts_of_unequal_size(shapes, axis, check):
    arrays = [check.signed(shape, seed) for seed, shape in enumerate(shapes)]
    np.testing.assert_array_equal(F.concatenate(*arrays, axis=axis), np.concatenate(arrays, axis=axis))
    assert check.disagreement(F.concatenate, arrays, {"axis": axis}) < check.tolerance
    assert [g.shape for g in check.gradients(F.concatenate, arrays, {"axis": axis})] == shapes


def test_concatenate_of_one_variable_with_itself_sums_its_gradients():
    x = Variable(np.arange(2.0))
    F.concatenate(x, np.zeros(1), x).backward(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    np.testing.assert_array_equal(x.grad, [5.0, 7.0])


def test_copy_is_another_array_whose_uses_sum():
    x = Variable(np.arange(2.0))
    branch = F.copy(x)
    assert not np.shares_memory(branch.data, x.data)
    (branch * 3.0 + branch).backward(np.ones(2))
    np.testing.assert_array_equal(x.grad, [4.0, 4.0])
