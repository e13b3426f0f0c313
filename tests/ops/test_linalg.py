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
