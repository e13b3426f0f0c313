"""Operators that move or repeat axes: values of NumPy, orders of axes, parts of unequal size, padding."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

X = np.random.default_rng(0).standard_normal((3, 4))


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


Y = np.random.default_rng(1).standard_normal((2, 3, 4))
MOVED = [
    ("swapaxes", X, {"axis1": 0, "axis2": -1}),
    ("swapaxes", Y, {"axis1": -1, "axis2": 1}),
    ("moveaxis", Y, {"source": 0, "destination": -1}),
    ("moveaxis", Y, {"source": (0, -1), "destination": (1, 0)}),
    ("moveaxis", Y, {"source": [2, 0, 1], "destination": [0, 1, 2]}),
    ("expand_dims", X, {"axis": (0, -1)}),
    ("expand_dims", np.array(2.0), {"axis": 0}),
    ("squeeze", Y.reshape(2, 1, 12, 1), {}),
    ("squeeze", Y.reshape(2, 1, 12, 1), {"axis": 1}),
    ("squeeze", Y.reshape(2, 1, 12, 1), {"axis": (-1, 1)}),
    ("squeeze", np.array(2.0), {}),
    ("broadcast_to", X, {"shape": (2, 3, 4)}),
    ("broadcast_to", np.array(2.0), {"shape": (2, 3)}),
    ("broadcast_to", np.ones((1, 1)), {"shape": (0, 3)}),
    ("flip", Y, {}),
    ("flip", Y, {"axis": (0, -1)}),
    ("flip", np.array(2.0), {}),
    ("roll", X, {"shift": 5}),
    ("roll", X, {"shift": -1, "axis": 1}),
    ("roll", X, {"shift": (1, 2), "axis": (0, 1)}),
    ("roll", X, {"shift": (1, 2), "axis": (1, 1)}),
    ("roll", X, {"shift": 1, "axis": (0, 1)}),
    ("tile", X, {"reps": (2, 3)}),
    ("tile", X, {"reps": (2, 1, 2)}),
    ("tile", Y, {"reps": 3}),
    ("tile", X, {"reps": (0, 1)}),
    ("tile", np.array(2.0), {"reps": [2, 3]}),
    ("repeat", X, {"repeats": 2}),
    ("repeat", X, {"repeats": (1, 0, 3), "axis": 0}),
    ("repeat", X, {"repeats": [2], "axis": 1}),
    ("repeat", np.array(2.0), {"repeats": 3}),
    ("pad", X, {"pad_width": 2}),
    ("pad", X, {"pad_width": ((1, 2), (0, 3)), "constant_values": ((1, 2), (3, 4))}),
    ("pad", X, {"pad_width": {-1: (1, 2)}, "constant_values": -1.5}),
    ("pad", X, {"pad_width": (0, 5), "mode": "edge"}),
    ("pad", X, {"pad_width": (7, 5), "mode": "reflect"}),
    ("pad", X, {"pad_width": 9, "mode": "symmetric"}),
    ("pad", X, {"pad_width": ((4, 0), (0, 9)), "mode": "wrap"}),
    ("pad", np.zeros((0, 2)), {"pad_width": 1}),
]


@pytest.mark.parametrize(("name", "x", "attributes"), MOVED, ids=str)
def test_value_is_numpys_and_the_gradient_goes_back(name, x, attributes, check):
    np.testing.assert_array_equal(check.value(getattr(F, name), [x], attributes), getattr(np, name)(x, **attributes))
    assert check.disagreement(getattr(F, name), [x], attributes) < check.tolerance
    assert check.gradients(getattr(F, name), [x], attributes)[0].shape == x.shape


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("swapaxes", {"axis1": 0, "axis2": 2}),
        ("moveaxis", {"source": (0, 1), "destination": (0,)}),
        ("expand_dims", {"axis": (0, 0)}),
        ("squeeze", {"axis": 0}),
        ("broadcast_to", {"shape": (3, 5)}),
        ("flip", {"axis": 2}),
        ("repeat", {"repeats": (1, 2), "axis": 0}),
        ("pad", {"pad_width": -1}),
        ("pad", {"pad_width": 1, "mode": "mean"}),
        ("split", {"indices_or_sections": 2}),
        ("split", {"indices_or_sections": 4, "axis": 1}),
        ("stack", {"axis": 3}),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(name, attributes):
    with pytest.raises(ValueError, match=r"\w"):  # NumPy's AxisError is one
        getattr(F, name)(X, **attributes)


def test_broadcast_array_has_elements_of_its_own():
    assert F.broadcast_to(np.ones(2), shape=(3, 2)).strides[0] > 0


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(), (2,), (0, 2)], ids=str)
def test_stack_gives_each_array_its_slice(shape, axis, check):
    if abs(axis) > len(shape):
        pytest.skip("no such axis")
    arrays = [check.signed(shape, seed) for seed in range(3)]
    np.testing.assert_array_equal(F.stack(*arrays, axis=axis), np.stack(arrays, axis=axis))
    assert check.disagreement(F.stack, arrays, {"axis": axis}) < check.tolerance


def test_stack_of_one_variable_with_itself_sums_its_gradients():
    x = Variable(np.arange(2.0))
    F.stack(x, x).backward(np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_array_equal(x.grad, [4.0, 6.0])


@pytest.mark.parametrize(("where", "axis"), [(2, 1), ([1], 0), ([0], 0), ((-1,), -1), ([9], 1)], ids=str)
def test_split_gives_the_two_parts_of_numpy(where, axis, check):
    attributes = {"indices_or_sections": where, "axis": axis}
    for part, known in zip(F.split(X, **attributes), np.split(X, where, axis), strict=True):
        np.testing.assert_array_equal(part, known)
    assert check.disagreement(F.split, [X], attributes) < check.tolerance


def test_part_of_a_split_that_nobody_used_has_gradient_zero():
    x = Variable(X)
    F.split(x, axis=1)[1].backward(np.ones((3, 2)))
    np.testing.assert_array_equal(x.grad, [[0.0, 0.0, 1.0, 1.0]] * 3)


def test_tile_takes_an_array_and_split_a_list(check):
    (gx,) = check.gradients(F.tile, [np.ones(3)], {"reps": np.array([2, 2])})
    np.testing.assert_array_equal(gx, np.full(3, 4.0))
    assert [part.tolist() for part in F.split([1.0, 2.0])] == [[1.0], [2.0]]
