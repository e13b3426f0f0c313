"""Reductions: values, axes, ties, NaN, infinite and empty sums."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.run.arguments import combinations

REDUCTIONS = ["sum", "mean", "var", "std", "prod", "max", "min", "logsumexp"]
NUMPY = {name: getattr(np, name) for name in REDUCTIONS if name != "logsumexp"} | {"logsumexp": scipy.special.logsumexp}


@st.composite
def reductions(draw):
    shape = draw(array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=3))
    axes = st.none()
    if shape:
        one = st.integers(-len(shape), len(shape) - 1)
        several = st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1).map(tuple)
        axes = st.one_of(st.none(), one, several)
    return draw(st.sampled_from(REDUCTIONS)), shape, {"axis": draw(axes), "keepdims": draw(st.booleans())}


@settings(derandomize=True, max_examples=200, deadline=None)
@given(reductions())
def test_value_and_gradient_for_every_shape_and_axis(check, reduction):
    name, shape, attributes = reduction
    x = np.random.default_rng(3).permutation(int(np.prod(shape))).reshape(shape) / 3.0
    value = check.value(getattr(F, name), [x], attributes)
    assert value.shape == np.sum(x, **attributes).shape
    np.testing.assert_allclose(value, NUMPY[name](x, **attributes).reshape(value.shape), rtol=1e-13, atol=1e-15)
    assert check.disagreement(getattr(F, name), [x], attributes) < check.tolerance


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "logsumexp"])  # NumPy's mean refuses it
def test_single_number_reduces_over_an_axis_that_it_lacks(name, axis, check):
    x = np.array(1.5)
    assert check.value(getattr(F, name), [x], {"axis": axis}).shape == ()
    assert check.disagreement(getattr(F, name), [x], {"axis": axis}) < check.tolerance


@pytest.mark.parametrize(("shape", "axis"), [((0, 3), 1), ((0, 3), -1), ((2, 0, 3), 2)])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_array_without_rows_reduces_to_nothing(name, shape, axis, check):
    x = np.zeros(shape)
    assert check.value(getattr(F, name), [x], {"axis": axis}).size == 0
    assert check.gradients(getattr(F, name), [x], {"axis": axis})[0].shape == shape


@pytest.mark.parametrize(("name", "total"), [("sum", 0.0), ("prod", 1.0), ("logsumexp", -np.inf)])
def test_sum_of_nothing(name, total, check):
    for axis, known in ((None, total), (1, np.full(3, total))):
        x = np.zeros((3, 0))
        np.testing.assert_array_equal(check.value(getattr(F, name), [x], {"axis": axis}), known)
        assert check.gradients(getattr(F, name), [x], {"axis": axis})[0].shape == (3, 0)


def test_mean_of_nothing_warns_as_numpy_does_and_has_an_empty_gradient(check):
    with pytest.warns(RuntimeWarning):
        assert check.gradients(F.mean, [np.zeros((0, 3))])[0].shape == (0, 3)


@pytest.mark.parametrize(("name", "ddof"), [("var", 1), ("std", 1), ("var", 2), ("std", 3)])
def test_variance_divides_by_fewer_than_its_elements(name, ddof, check):
    x = np.random.default_rng(0).standard_normal((4, 5)) + 5.0
    for axis in (None, 0, (0, 1)):
        attributes = {"axis": axis, "ddof": ddof}
        np.testing.assert_array_equal(getattr(F, name)(x, **attributes), getattr(np, name)(x, **attributes))
        assert check.disagreement(getattr(F, name), [x], attributes) < check.tolerance


def test_variance_of_fewer_elements_than_degrees_of_freedom_warns_as_numpy_does(check):
    with pytest.warns(RuntimeWarning):
        assert not np.isfinite(check.gradients(F.var, [np.arange(2.0)], {"ddof": 3})[0]).any()


def test_deviation_of_equal_elements_has_gradient_zero(check):
    (gx,) = check.gradients(F.std, [np.array([[2.0, 2.0], [1.0, 3.0]])], {"axis": 1})
    np.testing.assert_array_equal(gx, [[0.0, 0.0], [-0.5, 0.5]])


@pytest.mark.parametrize("zeros", [(), (1,), (0, 2), (0, 1, 2, 3)])
def test_product_with_zeros_has_the_products_of_the_others(zeros, check):
    x = np.array([3.0, -2.0, 0.5, 7.0])
    x[list(zeros)] = 0.0
    known = [np.prod(np.delete(x, i)) for i in range(4)]
    np.testing.assert_array_equal(check.gradients(F.prod, [x])[0], known)
    np.testing.assert_array_equal(check.gradients(F.prod, [x.reshape(2, 2)], {"axis": (1, 0)})[0].ravel(), known)


def test_product_near_zero_and_near_overflow_keeps_its_gradient(check):
    np.testing.assert_array_equal(check.gradients(F.prod, [np.array([1e-300, 1e300, 2.0])])[0], [2e300, 2e-300, 1.0])


@pytest.mark.parametrize(("name", "best"), [("max", 5.0), ("min", -5.0)])
def test_elements_that_tie_share_the_gradient_equally(name, best, check):
    x = np.array([[best, best, 0.0, best], [0.0, best, 0.0, 0.0]])
    (gx,) = check.gradients(getattr(F, name), [x], {"axis": 1}, np.array([6.0, 4.0]))
    np.testing.assert_array_equal(gx, [[2.0, 2.0, 0.0, 2.0], [0.0, 4.0, 0.0, 0.0]])


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremum_of_nan_sends_its_gradient_to_the_nan(name, check):
    x = np.array([[1.0, np.nan, 2.0], [1.0, 2.0, 1.5]])
    (gx,) = check.gradients(getattr(F, name), [x], {"axis": 1})
    np.testing.assert_array_equal(gx, [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0] if name == "max" else [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_logsumexp_of_extreme_inputs_is_finite_without_a_warning(dtype, check):
    x = np.array([[-1000.0, 1000.0, 999.0], [-1000.0, -1000.0, -1001.0], [1000.0, 1000.0, 1000.0]], dtype)
    known = scipy.special.logsumexp(x.astype(float), axis=1)
    np.testing.assert_allclose(F.logsumexp(x, axis=1), known, rtol=10 * np.finfo(dtype).eps)
    (gx,) = check.gradients(F.logsumexp, [x], {"axis": 1})
    np.testing.assert_allclose(gx, scipy.special.softmax(x.astype(float), axis=1), rtol=2000 * np.finfo(dtype).eps)


@pytest.mark.parametrize("keepdims", [False, True])
def test_logsumexp_of_minus_infinities_is_minus_infinity_with_gradient_zero(keepdims, check):
    x = np.array([[-np.inf, -np.inf], [-np.inf, 3.0]])
    attributes = {"axis": 1, "keepdims": keepdims}
    np.testing.assert_array_equal(check.value(F.logsumexp, [x], attributes).ravel(), [-np.inf, 3.0])
    np.testing.assert_array_equal(check.gradients(F.logsumexp, [x], attributes)[0], [[0.0, 0.0], [0.0, 1.0]])
    assert check.gradients(F.logsumexp, [np.array(-np.inf)])[0] == 0.0


def test_logsumexp_of_infinity_is_infinity():
    assert F.logsumexp(np.array([1.0, np.inf])) == np.inf


VECTORS, MATRICES = [None, 1, 2, 3, 0.5, -1.5, np.inf, -np.inf], [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("ord", "axis"),
    [
        *((ord, axis) for ord in VECTORS for axis in (0, -1)),
        *((o, axis) for o in MATRICES for axis in ((0, 2), (2, 1))),
    ],
    ids=str,
)
def test_norm_of_every_order_is_numpys(ord, axis, keepdims, check):
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    attributes = {"ord": ord, "axis": axis, "keepdims": keepdims}
    np.testing.assert_array_equal(F.norm(x, **attributes), np.linalg.norm(x, **attributes))
    assert check.disagreement(F.norm, [x], attributes) < check.tolerance


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(), (4,), (3, 4), (2, 3, 2), (0,), (0, 3)], ids=str)
def test_norm_of_all_is_the_root_of_the_sum_of_squares(shape, keepdims, check):
    x = np.random.default_rng(0).standard_normal(shape)
    value = check.value(F.norm, [x], {"keepdims": keepdims})
    np.testing.assert_allclose(value.ravel(), np.sqrt(np.sum(x * x)), rtol=1e-15)
    assert value.shape == ((1,) * x.ndim if keepdims else ())
    assert check.disagreement(F.norm, [x], {"keepdims": keepdims}) < check.tolerance


@pytest.mark.parametrize("ord", [*VECTORS[:-3], np.inf])
def test_norm_at_zero_has_gradient_zero_without_a_warning(ord, check):
    np.testing.assert_array_equal(check.gradients(F.norm, [np.zeros(3)], {"ord": ord})[0], np.zeros(3))
    (gx,) = check.gradients(F.norm, [np.array([[0.0, 0.0], [0.0, -2.0]])], {"ord": ord, "axis": 1})
    np.testing.assert_array_equal(gx, [[0.0, 0.0], [0.0, -1.0]])


@pytest.mark.parametrize("ord", ["fro", 1, np.inf, "nuc", 2])
def test_norm_of_a_zero_matrix_has_a_valid_subgradient(ord, check):
    slope = check.gradients(F.norm, [np.zeros((2, 3))], {"ord": ord})[0]
    rng = np.random.default_rng(0)
    for direction in rng.standard_normal((20, 2, 3)):
        assert np.sum(slope * direction) <= np.linalg.norm(direction, ord) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("ord", "x", "slope"),
    [
        (np.inf, [3.0, -3.0, 1.0], [0.5, -0.5, 0.0]),
        (-np.inf, [3.0, -1.0, 1.0], [0.0, -0.5, 0.5]),
        (1, [[1.0, -2.0], [-3.0, 2.0]], [[0.5, -0.5], [-0.5, 0.5]]),
        (-np.inf, [[1.0, -2.0], [-1.0, 2.0]], [[0.5, -0.5], [-0.5, 0.5]]),
        (2, [[3.0, 0.0], [0.0, 3.0]], [[0.5, 0.0], [0.0, 0.5]]),
    ],
    ids=str,
)
def test_norm_shares_a_tie_equally(ord, x, slope, check):
    np.testing.assert_allclose(check.gradients(F.norm, [np.array(x)], {"ord": ord})[0], slope, atol=1e-15)


def test_check_of_norm_tries_every_norm_of_matrices_and_the_common_ones_of_vectors():
    tried = combinations(F.norm.operator)
    matrices = {each["ord"] for each in tried if each["axis"] in (None, (1, 0))}
    assert matrices - {3} == set(MATRICES)
    assert {each["ord"] for each in tried if each["axis"] == -1} >= {1, 3, np.inf, -np.inf}


def test_norm_refuses_what_it_is_not():
    with pytest.raises(ValueError, match="counts elements"):
        F.norm(np.ones(3), ord=0)
    with pytest.raises(ValueError, match="order"):
        F.norm(np.ones((2, 2)), ord=3)


@pytest.mark.parametrize("offset", [0, 1, -2, 5])
@pytest.mark.parametrize(("shape", "axes"), [((3, 4), (0, 1)), ((3, 4), (1, 0)), ((2, 3, 4), (-1, 0))], ids=str)
def test_trace_is_the_sum_of_a_diagonal(shape, axes, offset, check):
    x = check.signed(shape, 0)
    attributes = {"offset": offset, "axis1": axes[0], "axis2": axes[1]}
    np.testing.assert_array_equal(F.trace(x, **attributes), np.trace(x, **attributes))
    assert check.disagreement(F.trace, [x], attributes) < check.tolerance


def test_names_of_numpy_for_extrema_are_these_operators():
    x = Variable(np.array([[1.0, 4.0], [4.0, 2.0]]))
    np.amax(x).backward()
    np.testing.assert_array_equal(x.grad, [[0.0, 0.5], [0.5, 0.0]])
    assert np.amin(x).item() == 1.0
    assert np.linalg.norm(x).item() == pytest.approx(np.sqrt(37))


@pytest.mark.parametrize("ord", [-1.0, -2.0, -np.inf])
def test_norm_of_a_negative_order_has_slope_zero_beside_a_zero(ord, check):
    x = np.array([0.0, 1.0, 2.0])
    assert F.norm(x, ord=ord) == 0.0
    np.testing.assert_array_equal(check.gradients(F.norm, [x], {"ord": ord})[0], np.zeros(3))


@pytest.mark.parametrize("size", [1e-200, 1e200, 5e-324 * 2**52])
def test_norm_of_extreme_elements_neither_underflows_nor_overflows(size, check):
    x = np.array([[3.0, 4.0], [0.6, -0.8]]) * np.array([[size], [1.0]])
    np.testing.assert_allclose(F.norm(x, axis=1), [5 * size, 1.0], rtol=1e-15)
    np.testing.assert_allclose(F.norm(x, ord=3, axis=1), np.cbrt([91, 0.728]) * [size, 1.0], rtol=1e-15)
    np.testing.assert_allclose(check.gradients(F.norm, [x], {"axis": 1})[0], [[0.6, 0.8], [0.6, -0.8]], rtol=1e-15)


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_std_of_equal_elements_has_slope_zero_though_their_mean_is_rounded(axis, check):
    x = np.full((3, 3), 0.1)
    np.testing.assert_array_equal(check.gradients(F.std, [x], {"axis": axis})[0], np.zeros((3, 3)))


def test_logsumexp_shares_its_gradient_among_infinities(check):
    x = np.array([[1.0, np.inf, 2.0], [np.inf, -np.inf, np.inf]])
    np.testing.assert_array_equal(check.gradients(F.logsumexp, [x], {"axis": 1})[0], [[0, 1, 0], [0.5, 0, 0.5]])


@pytest.mark.parametrize("large", [0.0, 1e10, -1e10, 1e300])
def test_logsumexp_keeps_the_digits_of_its_slopes(large, check):
    (gx,) = check.gradients(F.logsumexp, [np.array([large, large])])
    np.testing.assert_array_equal(gx, [0.5, 0.5])
