"""Cholesky factors, eigenvalues, singular values and the pseudo-inverse."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.errors import OperatorError


def spd(shape, check):
    """A positive definite matrix whose eigenvalues differ."""
    root = check.signed(shape, 7)
    return root @ np.swapaxes(root, -1, -2) + np.eye(shape[-1])


SQUARE = [(1, 1), (3, 3), (2, 3, 3), (0, 0), (0, 2, 2)]
ANY = [*SQUARE, (2, 4), (4, 2), (2, 3, 1), (0, 3), (3, 0)]


@pytest.mark.parametrize(
    ("name", "shape"),
    [(name, shape) for name in ("cholesky", "eigh") for shape in SQUARE]
    + [(name, shape) for name in ("svdvals", "pinv") for shape in ANY],
    ids=str,
)
def test_decomposition_has_a_gradient_of_its_shape(name, shape, check):
    operator = getattr(F, name)
    a = spd(shape, check) if name in ("cholesky", "eigh") else check.signed(shape, 7)
    assert check.disagreement(operator, [a]) < check.tolerance
    (gradient,) = check.gradients(operator, [a.astype(np.float32)])
    assert gradient.shape == shape
    assert gradient.dtype == np.float32


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_is_numpys_for_symmetric_matrices(upper, check):
    a = spd((4, 4), check)
    np.testing.assert_allclose(F.cholesky(a, upper=upper), np.linalg.cholesky(a, upper=upper), rtol=1e-13)
    (gradient,) = check.gradients(F.cholesky, [a], {"upper": upper}, check.signed((4, 4), 1))
    np.testing.assert_array_equal(gradient, gradient.T)


@pytest.mark.parametrize("name", ["cholesky", "eigh"])
def test_only_the_symmetric_part_counts(name, check):
    a, b = spd((3, 3), check), np.triu(check.signed((3, 3), 2), 1)
    skewed = a + b - b.T
    one, other = getattr(F, name)(a), getattr(F, name)(skewed)
    np.testing.assert_allclose(np.vstack(other), np.vstack(one), rtol=1e-12)
    assert check.disagreement(getattr(F, name), [skewed]) < check.tolerance


def test_matrix_that_is_not_positive_definite_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        F.cholesky(np.diag([1.0, -1.0]))


def test_sum_of_logarithms_of_the_factor_is_half_the_determinants(check):
    a = Variable(spd((4, 4), check))
    F.sum(F.log(F.einsum("ii->i", F.cholesky(a)))).backward()
    np.testing.assert_allclose(a.grad, np.linalg.inv(a.data) / 2, rtol=1e-12)


def test_eigenvectors_have_the_sign_that_is_said(check):
    values, vectors = F.eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    np.testing.assert_allclose(values, [1, 3], rtol=1e-15)
    np.testing.assert_allclose(vectors, np.array([[1, 1], [-1, 1]]) / np.sqrt(2), rtol=1e-15)
    for seed in range(20):
        a = check.signed((2, 5, 5), seed)
        symmetric = a + np.swapaxes(a, -1, -2)
        values, vectors = F.eigh(symmetric)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(symmetric), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(symmetric @ vectors, vectors * values[..., None, :], atol=1e-13)
        columns = np.swapaxes(vectors, -1, -2).reshape(-1, 5)
        assert all(each[np.abs(each) >= 0.3 * np.abs(each).max()][0] > 0 for each in columns), f"seed {seed}"


def test_sign_of_an_eigenvector_does_not_jump_where_components_are_equal(check):
    assert check.disagreement(F.eigh, [np.array([[2.0, 1.0], [1.0, 2.0]])]) < check.tolerance


REPEATED = np.diag([2.0, 2.0, 5.0])


@pytest.mark.parametrize("a", [REPEATED, np.eye(3), np.zeros((2, 2))], ids=str)
def test_eigenvalues_that_repeat_have_a_gradient_where_their_order_does_not_count(a):
    x = Variable(a)
    F.sum(F.eigh(x)[0] ** 2).backward()
    np.testing.assert_allclose(x.grad, 2 * a, atol=1e-14)


def test_eigenvectors_of_an_eigenvalue_that_repeats_are_refused():
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    for a in (REPEATED, rotation @ REPEATED @ rotation.T, np.zeros((2, 2))):
        with pytest.raises(OperatorError, match="an eigenvalue repeats"):
            F.sum(F.eigh(Variable(a))[1] ** 3).backward()


def test_eigenvector_beside_a_repeated_eigenvalue_has_its_gradient(check):
    a = check.signed((3, 3), 1)
    rotation, _ = np.linalg.qr(a)
    x = Variable(rotation @ REPEATED @ rotation.T)
    F.sum(F.eigh(x)[1][:, 2] * np.array([1.0, 2.0, 4.0])).backward()
    h, direction = 1e-6, np.array([[1.0, 0.5, 2.0], [0.5, -1.0, 0.3], [2.0, 0.3, 0.7]])
    above, below = (F.eigh(x.data + step * direction)[1][:, 2] @ [1.0, 2.0, 4.0] for step in (h, -h))
    np.testing.assert_allclose(np.sum(x.grad * direction), (above - below) / (2 * h), rtol=1e-8)


def test_stack_names_only_the_matrices_whose_eigenvectors_are_used():
    x = Variable(np.stack([REPEATED, np.diag([1.0, 2.0, 3.0])]))
    F.sum(F.eigh(x)[1][1] * np.arange(9.0).reshape(3, 3)).backward()
    assert np.all(x.grad[0] == 0)
    assert np.any(x.grad[1] != 0)


def test_singular_values_are_numpys(check):
    x = check.signed((2, 4, 3), 1)
    np.testing.assert_array_equal(F.svdvals(x), np.linalg.svdvals(x))


def test_singular_values_that_repeat_have_a_gradient_where_their_order_does_not_count(check):
    x = Variable(3 * np.linalg.qr(check.signed((4, 4), 1))[0][:, :3])
    F.sum(F.svdvals(x)).backward()
    np.testing.assert_allclose(x.grad, x.data / 3, rtol=1e-12, atol=1e-14)


def test_singular_value_of_zero_has_a_subgradient():
    x = Variable(np.outer([3.0, 4.0], [1.0, 0.0]))
    F.sum(F.svdvals(x)).backward()
    values = np.linalg.svd(x.grad, compute_uv=False)
    np.testing.assert_allclose(values, [1, 1], rtol=1e-14)  # a subgradient of the nuclear norm: at most 1
    np.testing.assert_allclose(np.sum(x.grad * x.data), 5, rtol=1e-14)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)], ids=str)
def test_pseudo_inverse_is_numpys(shape, check):
    a = check.signed(shape, 1)
    np.testing.assert_allclose(F.pinv(a), np.linalg.pinv(a), rtol=1e-13, atol=1e-15)


def test_pseudo_inverse_of_an_invertible_matrix_has_the_gradient_of_the_inverse(check):
    a, g = check.signed((3, 3), 1), check.signed((3, 3), 2)
    (ours,), (theirs,) = check.gradients(F.pinv, [a], g=g), check.gradients(F.inv, [a], g=g)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12)


def test_gradient_of_an_ill_conditioned_pseudo_inverse_is_as_exact_as_that_of_the_inverse(check):
    a = np.array([[1, 1e-4, 0], [1e-4, 1e-8, 1e-10], [0, 1e-10, 1e-12]])
    (ours,), (theirs,) = check.gradients(F.pinv, [a]), check.gradients(F.inv, [a])
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)


def test_pseudo_inverse_of_low_rank_has_the_gradient_of_changes_that_keep_the_rank(check):
    left, right = check.signed((5, 2), 1), check.signed((2, 4), 2)
    g = check.signed((4, 5), 3)

    def low_rank(left, right):
        return F.pinv(left @ right)

    variables = [Variable(left), Variable(right)]
    low_rank(*variables).backward(g)
    for slot, variable in enumerate(variables):
        h, direction = 1e-6, check.signed(variable.shape, 4)
        moved = [
            [x + sign * h * direction if k == slot else x for k, x in enumerate((left, right))] for sign in (1, -1)
        ]
        slope = np.sum(g * (low_rank(*moved[0]) - low_rank(*moved[1]))) / (2 * h)
        np.testing.assert_allclose(np.sum(variable.grad * direction), slope, rtol=1e-8)


def test_rcond_leaves_small_singular_values_out(check):
    a = np.diag([1.0, 1e-3, 1e-6])
    np.testing.assert_allclose(F.pinv(a, rcond=1e-4), np.diag([1, 1e3, 0]), rtol=1e-13)
    np.testing.assert_allclose(F.pinv(np.diag([1.0, 1e-16])), np.diag([1, 0]), rtol=1e-13)
    single = F.pinv(np.diag([1.0, 1e-8]).astype(np.float32))
    np.testing.assert_allclose(single, np.diag([1, 0]), rtol=1e-6)


def test_pinv_takes_a_limit_for_each_matrix_of_a_stack(check):
    a = np.stack([np.diag([1.0, 0.1]), np.diag([1.0, 0.1])])
    limits = np.array([0.5, 0.01])
    np.testing.assert_allclose(F.pinv(a, rcond=limits), np.linalg.pinv(a, rcond=limits))
    (stacked,) = check.gradients(F.pinv, [a], {"rcond": limits})
    for matrix, limit, gradient in zip(a, limits, stacked, strict=True):
        np.testing.assert_allclose(gradient, check.gradients(F.pinv, [matrix], {"rcond": limit})[0])


@pytest.mark.parametrize("operator", [F.eigh, F.cholesky], ids=["eigh", "cholesky"])
@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (3,), ()], ids=str)
def test_only_square_matrices_are_symmetric(operator, shape):
    with pytest.raises(ValueError, match="a should be a square matrix or a stack of them"):
        operator(np.ones(shape))
