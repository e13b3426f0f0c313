"""Inverses, determinants, systems of equations and powers."""

import numpy as np
import pytest
import scipy.linalg

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.errors import OperatorError

UNARY = [("inv", {}), ("det", {}), ("slogdet", {}), *(("matrix_power", {"n": n}) for n in (3, 1, 0, -1, -2))]


def well(shape, check):
    """A matrix whose diagonal rules, with no symmetry."""
    return check.signed(shape, 5) / shape[-1] + 2 * np.eye(shape[-1])


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 3, 3), (2, 1, 2, 2), (0, 0), (0, 2, 2)], ids=str)
@pytest.mark.parametrize(("name", "attributes"), UNARY, ids=str)
def test_function_of_a_matrix_is_numpys_with_a_gradient_of_its_shape(name, attributes, shape, check):
    operator, a = getattr(F, name), well(shape, check)
    assert np.array_equal(operator(a, **attributes), getattr(np.linalg, name)(a, **attributes))
    assert check.disagreement(operator, [a], attributes) < check.tolerance
    (gradient,) = check.gradients(operator, [a.astype(np.float32)], attributes)
    assert gradient.shape == shape
    assert gradient.dtype == np.float32


@pytest.mark.parametrize("name", ["inv", "det", "slogdet"])
def test_matrix_that_is_not_square_is_refused(name):
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        getattr(F, name)(np.ones((2, 3)))


def test_singular_matrices_are_refused_where_there_is_no_inverse():
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    for call in (lambda: F.inv(singular), lambda: F.solve(singular, singular), lambda: F.matrix_power(singular, -1)):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            call()
    sign, logabsdet = F.slogdet(Variable(singular))
    assert (sign.data, logabsdet.data) == (0, -np.inf)
    with pytest.raises(OperatorError, match="Singular"):
        logabsdet.backward()


@pytest.mark.parametrize(
    ("a", "cofactors"),
    [
        ([[1.0, 2.0], [2.0, 4.0]], [[4.0, -2.0], [-2.0, 1.0]]),
        ([[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [-1.0, 0.0]]),
        ([[0.0]], [[1.0]]),
        ([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]], [[4.0, 4.0, -4.0], [-2.0, -2.0, 2.0], [0.0, 0.0, 0.0]]),
        (np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]), np.zeros((3, 3))),
        (np.zeros((3, 3)), np.zeros((3, 3))),
    ],
    ids=str,
)
def test_gradient_of_det_is_the_cofactors_where_there_is_no_inverse(a, cofactors, check):
    (gradient,) = check.gradients(F.det, [np.array(a)])
    np.testing.assert_allclose(gradient, cofactors, atol=2e-14)


def test_gradient_of_det_is_the_inverse_times_det(check):
    a = check.signed((4, 4), 3)
    (gradient,) = check.gradients(F.det, [a])
    np.testing.assert_allclose(gradient, np.linalg.det(a) * np.linalg.inv(a).T, rtol=1e-12)


def test_sign_of_slogdet_has_no_gradient(check):
    a = Variable(well((3, 3), check))
    sign, logabsdet = F.slogdet(a)
    (sign * 5 + logabsdet).backward()
    np.testing.assert_allclose(a.grad, np.linalg.inv(a.data).T, rtol=1e-13)


def test_logabsdet_neither_overflows_nor_underflows():
    for scale in (1e-200, 1e200):
        a = Variable(np.diag([scale, 2 * scale, scale]))
        F.slogdet(a)[1].backward()
        np.testing.assert_allclose(np.diag(a.grad), [1 / scale, 1 / (2 * scale), 1 / scale], rtol=1e-14)


SYSTEMS = [
    ((3, 3), (3,)),
    ((3, 3), (3, 2)),
    ((3, 3), (2, 3, 1)),
    ((2, 3, 3), (3,)),
    ((2, 3, 3), (3, 2)),
    ((2, 1, 2, 2), (3, 2, 2)),
    ((1, 1), (1,)),
    ((0, 0), (0, 2)),
    ((2, 2), (2, 0)),
]
TRIANGULAR = [
    {"trans": trans, "lower": lower, "unit_diagonal": unit}
    for trans in (0, 1)
    for lower in (False, True)
    for unit in (False, True)
]


@pytest.mark.parametrize(("a_shape", "b_shape"), SYSTEMS, ids=str)
def test_solution_of_every_rank(a_shape, b_shape, check):
    arrays = [well(a_shape, check), check.signed(b_shape, 2)]
    np.testing.assert_array_equal(F.solve(*arrays), np.linalg.solve(*arrays))
    for operator, attributes in [(F.solve, {}), *((F.solve_triangular, each) for each in TRIANGULAR)]:
        assert check.disagreement(operator, arrays, attributes) < check.tolerance, attributes
        assert [g.shape for g in check.gradients(operator, arrays, attributes)] == [a_shape, b_shape]
        singles = [array.astype(np.float32) for array in arrays]
        assert all(g.dtype == np.float32 for g in check.gradients(operator, singles, attributes))


@pytest.mark.parametrize("moved", ["a", "b", "ab"])
@pytest.mark.parametrize(("a_shape", "b_shape"), SYSTEMS, ids=str)
def test_many_systems_at_once_are_those_one_by_one(a_shape, b_shape, moved, check):
    a = well((3, *a_shape) if "a" in moved else a_shape, check)
    b = check.signed((3, *b_shape) if "b" in moved else b_shape, 2)
    for operator, attributes in [(F.solve, {}), (F.solve_triangular, {"lower": True, "trans": 1})]:
        together = operator.operator.batch.function(frozenset(moved), a, b, **attributes)
        for k in range(3):
            alone = operator(a[k] if "a" in moved else a, b[k] if "b" in moved else b, **attributes)
            np.testing.assert_allclose(together[k], alone, rtol=1e-13)


@pytest.mark.parametrize("attributes", TRIANGULAR, ids=str)
def test_triangular_solution_is_scipys_and_reads_nothing_else(attributes, check):
    a, b = well((4, 4), check), check.signed((4, 2), 2)
    unread = np.triu(np.ones((4, 4)), 1) if attributes["lower"] else np.tril(np.ones((4, 4)), -1)
    unread = (unread + attributes["unit_diagonal"] * np.eye(4)).astype(bool)
    expected = scipy.linalg.solve_triangular(a, b, **attributes)
    hidden = np.where(unread, np.nan, a)
    np.testing.assert_allclose(F.solve_triangular(hidden, b, **attributes), expected, rtol=1e-13)
    gradient, _ = check.gradients(F.solve_triangular, [hidden, b], attributes)
    assert np.all(gradient[unread] == 0)
    assert np.all(gradient[~unread] != 0)


@pytest.mark.parametrize("lower", [False, True])
def test_substitution_is_exact_where_pivots_would_not_be(lower):
    # Each row is far larger than the one above: elimination with pivots would mix them.
    a = np.diag([1.0, 1e-8, 1e-16, 1e-24]) + np.tril(np.full((4, 4), 1e8), -1)
    a = a if lower else a.T
    b = np.array([1.0, -1.0, 2.0, 0.5])
    expected = scipy.linalg.solve_triangular(a, b, lower=lower)
    np.testing.assert_allclose(F.solve_triangular(a, b, lower=lower), expected, rtol=1e-14)


def test_unknown_words_for_trans_are_refused():
    with pytest.raises(ValueError, match="trans should be"):
        F.solve_triangular(np.eye(2), np.ones(2), trans="H")
    np.testing.assert_array_equal(F.solve_triangular(np.eye(2), np.ones(2), trans="T"), [1.0, 1.0])


def test_high_power_is_the_sum_over_all_places(check):
    a, g, n = well((3, 3), check) / 2, check.signed((3, 3), 1), 7
    power = np.linalg.matrix_power
    expected = sum(power(a.T, i) @ g @ power(a.T, n - 1 - i) for i in range(n))
    (gradient,) = check.gradients(F.matrix_power, [a], {"n": n}, g)
    np.testing.assert_allclose(gradient, expected, rtol=1e-12)


@pytest.mark.parametrize("operator", [F.solve, F.solve_triangular], ids=["solve", "solve_triangular"])
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((3,), (3,), r"a should be a square matrix .* not \(3,\)"),
        ((2, 3), (2,), r"a should be a square matrix .* not \(2, 3\)"),
        ((3, 3), (2,), r"b should be \(3,\) or \(\.\.\., 3, columns\) beside a of shape \(3, 3\), not \(2,\)"),
        ((3, 3), (), r"b should be .* not \(\)"),
    ],
)
def test_systems_that_do_not_fit_are_refused(operator, a, b, message):
    with pytest.raises(ValueError, match=message):
        operator(np.ones(a), np.ones(b))


def test_solve_triangular_takes_lists_and_booleans_of_numpy(check):
    a, b = [[1.0, 2.0], [0.0, 1.0]], [1.0, 2.0]
    np.testing.assert_array_equal(F.solve_triangular(a, b), [-3.0, 2.0])
    for lower in (False, True):
        ours, known = (
            check.gradients(F.solve_triangular, [np.array(a), np.array(b)], {"unit_diagonal": unit, "lower": lower})
            for unit in (np.True_, True)
        )
        np.testing.assert_array_equal(ours[0], known[0])
