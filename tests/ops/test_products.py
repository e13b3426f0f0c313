"""Products of matrices, vectors and stacks."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

SHAPES = [
    ((3, 4), (4, 2)),
    ((4,), (4,)),
    ((4,), (4, 2)),
    ((3, 4), (4,)),
    ((1,), (1,)),
    ((1, 1), (1, 1)),
    ((2, 3, 4), (4, 2)),
    ((3, 4), (2, 4, 2)),
    ((2, 3, 4), (2, 4, 2)),
    ((1, 3, 4), (2, 4, 2)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((2, 1, 1, 4), (1, 5, 4, 1)),
    ((4,), (2, 4, 3)),
    ((2, 3, 4), (4,)),
    ((2, 5, 3, 4), (4,)),
    ((4,), (2, 5, 4, 3)),
    ((0, 4), (4, 2)),
    ((3, 0), (0, 2)),
    ((0,), (0,)),
    ((0, 3, 4), (4, 2)),
]


@pytest.mark.parametrize(("x_shape", "y_shape"), SHAPES, ids=str)
def test_product_of_every_rank(x_shape, y_shape, check):
    arrays = [check.signed(x_shape, 1), check.signed(y_shape, 2)]
    np.testing.assert_array_equal(F.matmul(*arrays), np.matmul(*arrays))
    assert check.disagreement(F.matmul, arrays) < check.tolerance
    assert [g.shape for g in check.gradients(F.matmul, arrays)] == [x_shape, y_shape]
    singles = [array.astype(np.float32) for array in arrays]
    assert all(g.dtype == np.float32 for g in check.gradients(F.matmul, singles))


def test_rule_of_a_matrix_is_the_textbooks():
    rng = np.random.default_rng(0)
    x, w, g = Variable(rng.standard_normal((3, 4))), Variable(rng.standard_normal((4, 2))), rng.standard_normal((3, 2))
    (x @ w).backward(g)
    np.testing.assert_allclose(x.grad, g @ w.data.T, rtol=1e-14)
    np.testing.assert_allclose(w.grad, x.data.T @ g, rtol=1e-14)


def test_product_with_itself_sums_both_gradients():
    x = Variable(np.array([1.0, 2.0]))
    (x @ x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])


PRODUCTS = [
    ("outer", (3,), (4,), {}),
    ("outer", (2, 3), (2, 1), {}),
    ("outer", (), (0,), {}),
    ("inner", (4,), (4,), {}),
    ("inner", (2, 3, 4), (5, 4), {}),
    ("inner", (), (2, 3), {}),
    ("inner", (2, 3), (), {}),
    ("inner", (2, 0), (3, 0), {}),
    ("dot", (4,), (4,), {}),
    ("dot", (3, 4), (4, 2), {}),
    ("dot", (3, 4), (4,), {}),
    ("dot", (4,), (2, 4, 3), {}),
    ("dot", (2, 3, 4), (5, 4, 2), {}),
    ("dot", (), (), {}),
    ("dot", (2, 3), (), {}),
    ("dot", (2, 0), (0, 3), {}),
    ("tensordot", (2, 3, 4), (3, 4, 5), {}),
    ("tensordot", (2, 3), (3, 2), {"axes": 0}),
    ("tensordot", (2, 3), (), {"axes": 0}),
    ("tensordot", (2, 3, 4), (4, 5, 2), {"axes": ((0, -1), (2, 0))}),
    ("tensordot", (2, 3, 4), (4, 2), {"axes": ([2, 0], [0, 1])}),
    ("tensordot", (2, 3), (5, 3), {"axes": (1, -1)}),
    ("tensordot", (2, 0), (0, 3), {"axes": 1}),
    ("kron", (2, 3), (3, 2), {}),
    ("kron", (3,), (2, 2), {}),
    ("kron", (2, 1, 3), (4,), {}),
    ("kron", (), (2, 2), {}),
    ("kron", (), (), {}),
    ("kron", (0, 2), (2, 2), {}),
]


@pytest.mark.parametrize(("name", "a_shape", "b_shape", "attributes"), PRODUCTS, ids=str)
def test_product_is_numpys_and_its_gradient_that_of_differences(name, a_shape, b_shape, attributes, check):
    operator, arrays = getattr(F, name), [check.signed(a_shape, 1), check.signed(b_shape, 2)]
    np.testing.assert_array_equal(operator(*arrays, **attributes), getattr(np, name)(*arrays, **attributes))
    assert check.disagreement(operator, arrays, attributes) < check.tolerance
    assert [g.shape for g in check.gradients(operator, arrays, attributes)] == [a_shape, b_shape]
    singles = [array.astype(np.float32) for array in arrays]
    assert all(g.dtype == np.float32 for g in check.gradients(operator, singles, attributes))


@pytest.mark.parametrize(
    ("name", "a_shape", "b_shape", "attributes"),
    [
        ("inner", (2, 3), (2, 4), {}),
        ("dot", (2, 3), (2, 3), {}),
        ("tensordot", (2, 3), (2, 3), {"axes": 1}),
        ("tensordot", (2, 3), (2, 3), {"axes": ((0,), (0, 1))}),
    ],
)
def test_axes_that_do_not_fit_are_refused_as_numpy_refuses_them(name, a_shape, b_shape, attributes):
    for function in (getattr(np, name), getattr(F, name)):
        with pytest.raises(ValueError, match=r"shape"):
            function(np.ones(a_shape), np.ones(b_shape), **attributes)


def test_axes_outside_of_an_array_are_refused():
    with pytest.raises((IndexError, ValueError)):
        F.tensordot(np.ones((2, 3)), np.ones(3), axes=(2, 0))


@pytest.mark.parametrize("moved", ["a", "b", "ab"])
@pytest.mark.parametrize(("name", "a_shape", "b_shape", "attributes"), PRODUCTS, ids=str)
def test_many_products_at_once_are_those_one_by_one(name, a_shape, b_shape, attributes, moved, check):
    operator = getattr(F, name)
    a = check.signed((3, *a_shape) if "a" in moved else a_shape, 1)
    b = check.signed((3, *b_shape) if "b" in moved else b_shape, 2)
    together = operator.operator.batch.function(frozenset(moved), a, b, **attributes)
    for k in range(3):
        alone = operator(a[k] if "a" in moved else a, b[k] if "b" in moved else b, **attributes)
        np.testing.assert_allclose(together[k], alone, rtol=1e-13, atol=1e-14)
