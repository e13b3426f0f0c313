"""Operators that choose elements: keys, indices that repeat, order, ties, triangles and diagonals."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli import check as checked

X = np.random.default_rng(0).standard_normal((3, 4))
Y = np.random.default_rng(1).standard_normal((2, 3, 4))
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


CHOSEN = [
    ("triu", X, {}),
    ("triu", Y, {"k": 2}),
    ("tril", X, {"k": -1}),
    ("tril", Y, {"k": 9}),
    ("triu", np.arange(3.0), {}),
    ("tril", np.arange(3.0), {"k": 1}),
    ("diag", X, {}),
    ("diag", X, {"k": -2}),
    ("diag", X, {"k": 7}),
    ("diag", np.arange(3.0), {}),
    ("diag", np.arange(3.0), {"k": -2}),
    ("diag", np.zeros(0), {"k": 1}),
    ("diagonal", X, {"offset": 1}),
    ("diagonal", Y, {"offset": -1, "axis1": 2, "axis2": 0}),
    ("diagonal", Y, {"axis1": -1, "axis2": -2}),
    ("sort", X, {}),
    ("sort", X, {"axis": None}),
    ("sort", Y, {"axis": 1}),
    ("sort", np.zeros((2, 0)), {}),
]


@pytest.mark.parametrize(("name", "x", "attributes"), CHOSEN, ids=str)
def test_choice_is_numpys_and_its_gradient_goes_back(name, x, attributes, check):
    np.testing.assert_array_equal(check.value(getattr(F, name), [x], attributes), getattr(np, name)(x, **attributes))
    assert check.disagreement(getattr(F, name), [x], attributes) < check.tolerance
    assert check.gradients(getattr(F, name), [x], attributes)[0].shape == x.shape


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("indices", [2, -1, [0, 2, 0], [[1, 1], [2, 0]], np.zeros((2, 0), int)], ids=str)
def test_take_sums_what_is_taken_several_times(indices, axis, mode, check):
    attributes = {"axis": axis, "mode": mode}
    indices = np.asarray(indices)
    np.testing.assert_array_equal(check.value(F.take, [X, indices], attributes), np.take(X, indices, **attributes))
    assert check.disagreement(F.take, [X, indices], attributes) < check.tolerance


def test_take_reaches_beyond_the_end_where_its_mode_says_how(check):
    np.testing.assert_array_equal(
        check.gradients(F.take, [np.arange(3.0), np.array([5])], {"mode": "wrap"})[0], [0, 0, 1]
    )
    with pytest.raises(IndexError):
        F.take(np.arange(3.0), 5)


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (5, 4)), (0, (2, 3)), (1, (3, 6)), (-1, (1, 2)), (-2, (0, 4))], ids=str
)
def test_gather_and_scatter_add_follow_the_rule_of_their_docstrings(axis, shape, check):
    index = np.random.default_rng(2).integers(0, X.shape[axis], shape)
    src = check.signed((6, 7), 3)
    added, taken = X.copy(), np.zeros(shape)
    for place in np.ndindex(*shape):
        to = list(place)
        to[axis] = index[place]
        taken[place] = X[tuple(to)]
        added[tuple(to)] += src[place]
    np.testing.assert_array_equal(F.gather(X, index, axis=axis), taken)
    np.testing.assert_allclose(F.scatter_add(X, index, src, axis=axis), added, rtol=1e-14)
    assert check.disagreement(F.gather, [X, index], {"axis": axis}) < check.tolerance
    assert check.disagreement(F.scatter_add, [X, index, src], {"axis": axis}) < check.tolerance


def test_gather_refuses_an_index_of_other_axes():
    with pytest.raises(ValueError, match="as many axes as x, 2, not 1"):
        F.gather(X, np.array([0]), axis=0)
    with pytest.raises(ValueError, match="no larger than x"):
        F.gather(X, np.full((1, 9), 0), axis=0)
    with pytest.raises(ValueError, match="numbers from 0 to 2"):
        F.scatter_add(X, np.full((1, 4), 3), X, axis=0)


def test_scatter_add_leaves_its_input_alone():
    x = np.zeros(2)
    np.testing.assert_array_equal(F.scatter_add(x, [1, 1, 0], [1.0, 2.0, 4.0], axis=0), [4.0, 3.0])
    np.testing.assert_array_equal(x, [0.0, 0.0])


def test_sort_of_ties_keeps_their_order(check):
    (gx,) = check.gradients(F.sort, [np.array([2.0, 1.0, 2.0, 1.0])], g=np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(gx, [3.0, 1.0, 4.0, 2.0])


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_topk_has_the_largest_in_descending_order(k, largest, axis, check):
    values, indices = F.topk(X, k=k, axis=axis, largest=largest)
    ordered = np.flip(np.sort(X, axis), axis) if largest else np.sort(X, axis)
    np.testing.assert_array_equal(values, np.take(ordered, range(k), axis))
    np.testing.assert_array_equal(np.take_along_axis(X, indices, axis), values)
    assert check.disagreement(F.topk, [X], {"k": k, "axis": axis, "largest": largest}) < check.tolerance


def test_topk_takes_the_first_of_those_that_tie():
    x = Variable(np.array([1.0, 3.0, 3.0, 3.0]))
    values, indices = F.topk(x, k=2)
    assert indices.data.tolist() == [1, 2]
    assert not indices.requires_grad
    values.backward(np.array([5.0, 7.0]))
    np.testing.assert_array_equal(x.grad, [0.0, 5.0, 7.0, 0.0])
    with pytest.raises(ValueError, match="elements along axis -1, 4, not 5"):
        F.topk(x.data, k=5)


def test_one_hot_leaves_the_type_of_what_it_multiplies():
    rows = F.one_hot([[0, 2], [1, 1]], num_classes=3)
    np.testing.assert_array_equal(rows, np.eye(3)[[[0, 2], [1, 1]]])
    assert (rows * np.float32(2)).dtype == np.float32
    np.testing.assert_array_equal(1 - F.one_hot(1, num_classes=2), [1, 0])
    assert F.one_hot(np.zeros(0, int), num_classes=3).shape == (0, 3)


@pytest.mark.parametrize("labels", [[3], [-1], [0.0]], ids=str)
def test_one_hot_refuses_what_is_no_class(labels):
    with pytest.raises(ValueError, match="whole numbers from 0 to 2"):
        F.one_hot(labels, num_classes=3)


@pytest.mark.parametrize("index", [2, [0, 2, 2], [[1, 1, 0], [2, 0, 1]], np.zeros((0, 2), int)], ids=str)
def test_embedding_sums_the_gradients_of_a_row_taken_several_times(index, check):
    index = np.asarray(index)
    np.testing.assert_array_equal(check.value(F.embedding, [index, X], {}), X[index])
    assert check.disagreement(F.embedding, [index, X]) < check.tolerance


@pytest.mark.parametrize("index", [-1, 3])
def test_embedding_refuses_rows_that_are_not_there(index):
    with pytest.raises(ValueError, match="indices of rows, from 0 to 2"):
        F.embedding([index], X)


@pytest.mark.parametrize(
    "x",
    [
        np.array([3, 0, 255, 7], np.uint8),
        np.array([-128, 127, 0, -128], np.int8),
        np.array([False, True, True, False]),
        np.array([2.0, 5.0, 5.0, -1.0]),
    ],
    ids=lambda x: x.dtype.name,
)
def test_topk_takes_numbers_of_every_type_and_the_first_of_those_that_tie(x):
    for k in range(5):
        order = np.array(sorted(range(4), key=lambda i: -int(x[i]))[:k], int)
        values, indices = F.topk(x, k=k)
        np.testing.assert_array_equal(indices, order)
        np.testing.assert_array_equal(values, x[order])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.scatter_add(np.ones(3), [0, 1, 1], np.ones(1), axis=0), r"src .* no smaller than index, .* \(3,\)"),
        (lambda: F.scatter_add(np.ones(3), [0, 1], np.ones((2, 2)), axis=0), r"src should be no smaller than index"),
        (lambda: F.scatter_add(np.ones(3), [-1], np.ones(1), axis=0), "index should hold numbers from 0 to 2"),
        (lambda: F.gather(np.ones(3), [-1], axis=0), "index should hold numbers from 0 to 2"),
        (lambda: F.gather(np.ones(3), [1.0], axis=0), "index should hold whole numbers, not float64"),
        (lambda: F.gather(np.ones(3), [1], axis=1), "x has the axes -1 to 0, so axis can't be 1"),
        (lambda: F.topk(np.ones(3), k=1, axis=-2), "x has the axes -1 to 0, so axis can't be -2"),
        (lambda: F.topk(np.ones(3), k=1.5), "k should be a whole number, not 1.5"),
        (lambda: F.take(np.ones(3), [1.0]), "indices should hold whole numbers, not float64"),
        (lambda: F.embedding([True], np.ones((3, 2))), "x should hold whole numbers, not bool"),
        (lambda: F.embedding([1], np.ones(3)), r"weight should be \(rows, columns\), not \(3,\)"),
    ],
)
def test_what_chooses_no_elements_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_single_number_counts_as_an_array_of_one(check):
    x, zero = np.array(5.0), np.array(0)
    assert F.gather(x, zero, axis=0) == F.topk(x, k=1)[0] == 5.0
    assert F.scatter_add(x, zero, np.array(2.0), axis=-1) == 7.0
    functions = {
        "gather": lambda x: F.tanh(F.gather(x, zero, axis=0)),
        "scatter_add": lambda x: F.tanh(F.scatter_add(x, zero, x, axis=0)),
        "topk": lambda x: F.tanh(F.topk(x, k=1)[0]),
    }
    for name, function in functions.items():
        assert str(checked(function, {"x": x / 10}).verdict) == "pass", name


def test_plain_lists_are_indexed():
    assert F.getitem([[1.0, 2.0], [3.0, 4.0]], key=(0, 1)) == 2.0
