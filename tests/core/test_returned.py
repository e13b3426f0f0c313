"""What operators return, held to the contract, and how the messages name the mistake."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, arr, ints, keep, op
from gradcheck_cli.core.returned import shape_hint
from gradcheck_cli.errors import ContractViolation, OperatorError

A = np.arange(6.0).reshape(2, 3)
NAMES = np.array([0, 1])


def pair(returned):
    """An operator of two arrays whose backward returns `returned`."""

    @op
    def pair(x, y):
        """x and y, summed over rows and columns."""
        return x.sum() + y.sum()

    pair.backward(lambda g: returned)
    return pair


def violation(returned, x=A, y=A):
    out = pair(returned)(Variable(x), Variable(y))
    with pytest.raises(ContractViolation) as error:
        out.backward()
    return error.value


def accepted(returned, x=A, y=A):
    x, y = Variable(x), Variable(y)
    pair(returned)(x, y).backward()
    return x.grad, y.grad


# Outputs


def outputs(returned, **options):
    @op(**options)
    def made(x):
        """Something."""
        return returned

    made.backward(lambda g: g)
    operator, _ = made.declared
    return operator(Variable(1.0))


def test_numbers_and_lists_become_arrays():
    assert outputs(2.5).data.dtype == np.float64
    assert outputs(np.float32(2)).data.dtype == np.float32
    assert outputs([1.0, 2.0]).shape == (2,)
    assert outputs(True).data.dtype == bool
    assert outputs((3.0,)).item() == 3.0


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        pytest.param(None, "made returned NoneType.*\n.*hint: the forward has no return statement", id="none"),
        pytest.param(1j, "made returned complex", id="complex number"),
        pytest.param(np.ones(2, dtype=complex), "made returned complex128", id="complex array"),
        pytest.param("text", "made returned str", id="text"),
        pytest.param([[1.0], [1.0, 2.0]], "made returned list", id="ragged"),
        pytest.param(np.array([None, 1]), "made returned object", id="objects"),
        pytest.param({"a": 1}, "made returned dict", id="dict"),
    ],
)
def test_what_is_no_array_of_real_numbers_is_an_error(returned, message):
    with pytest.raises(OperatorError, match=message) as error:
        outputs(returned)
    assert error.value.problems[0].code == "output-type"


@pytest.mark.parametrize(
    ("returned", "options", "message"),
    [
        pytest.param((1.0, 2.0), {}, "declares 1 output and returned 2.*\n.*hint: name several", id="two for one"),
        pytest.param(1.0, {"outputs": "a b"}, "declares 2 outputs and returned 1", id="one for two"),
        pytest.param(keep(1.0), {"outputs": "a b"}, "declares 2 outputs and returned 1", id="kept"),
        pytest.param(keep(x=1.0), {}, "declares 1 output and returned 0", id="nothing but kept values"),
    ],
)
def test_another_number_of_outputs_is_an_error(returned, options, message):
    with pytest.raises(OperatorError, match=message):
        outputs(returned, **options)


# Gradients: how many


def test_one_gradient_per_input_is_right_in_a_tuple_or_a_list():
    for returned in ((A, 2 * A), [A, 2 * A]):
        gx, gy = accepted(returned)
        assert np.array_equal(gx, A)
        assert np.array_equal(gy, 2 * A)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        pytest.param(A, r"returned 1 gradient for 2 inputs \(x, y\)", id="too few"),
        pytest.param((A, A, A), r"returned 3 gradients for 2 inputs \(x, y\)", id="too many"),
        pytest.param((), r"returned 0 gradients for 2 inputs \(x, y\)", id="none at all"),
        pytest.param(np.stack([A, A]), r"returned 1 gradient for 2 inputs", id="stacked in one array"),
    ],
)
def test_a_wrong_number_of_gradients(returned, message):
    error = violation(returned)
    assert error.finding == "gradient-count"
    with pytest.raises(ContractViolation, match=message):
        raise error


def test_a_gradient_for_an_input_that_has_none_is_explained():
    @op(labels=ints("n", below=2))
    def pick(x, labels):
        """Some elements."""
        return x[labels].sum()

    pick.backward(lambda g, x: (np.ones_like(x), np.zeros(2)))
    out = pick(Variable(A), NAMES)
    with pytest.raises(
        ContractViolation, match=r"2 gradients for 1 input \(x\).*\n.*labels \(int\) is declared to have none"
    ):
        out.backward()


def test_none_says_what_to_do():
    error = violation((A, None))
    assert error.finding == "gradient-count"
    assert "its backward returned None for y" in str(error)
    assert "return zeros, or declare that it has no gradient: @op(y=arr(nondiff=True))" in str(error)


def test_none_is_fine_where_no_gradient_is_needed():
    x = Variable(A)
    pair((A, None))(x, A).backward()
    assert np.array_equal(x.grad, A)
    x = Variable(A)
    pair(("nonsense", A))(A, x).backward()
    assert np.array_equal(x.grad, A)


# Gradients: which shape


@pytest.mark.parametrize(
    ("got", "wanted", "hint"),
    [
        ((3, 2), (2, 3), "the gradient is transposed: return its .T"),
        ((4, 3, 2), (2, 3, 4), "the gradient is transposed: return its .T"),
        ((5, 3, 2), (5, 2, 3), "the gradient is transposed: its axes 1 and 2 are in another order"),
        ((4, 3), (3,), "a sum over axis 0 is missing: unbroadcast(gradient, b.shape)"),
        ((4, 3), (1, 3), "a sum over axis 0 is missing: unbroadcast(gradient, b.shape)"),
        ((4, 3), (), "a sum over axes 0, 1 is missing: unbroadcast(gradient, b.shape)"),
        ((5, 4, 3), (4, 1), "a sum over axes 0, 2 is missing: unbroadcast(gradient, b.shape)"),
        ((3, 4), (3,), "a sum over axis 1 is missing"),
        ((2, 3, 4), (2, 4), "a sum over axis 1 is missing"),
        ((3,), (3, 1), "same number of elements: reshape it to (3, 1)"),
        ((6,), (2, 3), "same number of elements: reshape it to (2, 3)"),
        ((1,), (), "a sum over axis 0 is missing: unbroadcast(gradient, b.shape)"),
        ((), (3,), "it is summed too far: np.broadcast_to(gradient, b.shape)"),
        ((1, 3), (4, 3), "it is summed too far: np.broadcast_to(gradient, b.shape)"),
        ((2, 2), (5, 7), "a gradient has the shape of its input"),
        ((7,), (5,), "a gradient has the shape of its input"),
    ],
    ids=str,
)
def test_the_missing_sum_or_transpose_is_named(got, wanted, hint):
    assert shape_hint("b", got, wanted) == hint


def test_a_missing_sum_over_a_broadcast_axis_is_a_violation_and_is_not_repaired():
    @op
    def shifted(x, b):
        """x + b."""
        return x + b

    shifted.backward(lambda g: (g, g))
    out = shifted(Variable(A), Variable(np.ones(3)))
    with pytest.raises(ContractViolation) as error:
        out.backward(A)
    assert error.value.finding == "gradient-shape"
    assert "shifted: the gradient of b has shape (2, 3), b has (3,)" in str(error.value)
    assert "a sum over axis 0 is missing: unbroadcast(gradient, b.shape)" in str(error.value)


def test_a_gradient_in_the_shape_of_one_element_is_not_repaired_either():
    assert violation((A, np.ones((1, 3))), y=A).finding == "gradient-shape"
    assert violation((A, 1.0), y=np.ones(1)).finding == "gradient-shape"
    assert accepted((A, 1.0), y=np.array(2.0))[1] == 1.0


# Gradients: which dtype


@pytest.mark.parametrize(
    "returned",
    [
        pytest.param(A.astype(int), id="integers"),
        pytest.param(A > 2, id="booleans"),
        pytest.param(A.astype(np.float32), id="narrower"),
        pytest.param(A.astype(complex), id="complex"),
        pytest.param("text", id="text"),
        pytest.param([[1.0], [1.0, 2.0]], id="ragged"),
    ],
)
def test_a_wrong_dtype(returned):
    error = violation((A, returned))
    assert error.finding == "gradient-dtype"
    assert "the gradient of y" in str(error)


def test_a_mask_that_widens_float32_is_a_violation():
    small = A.astype(np.float32)

    @op
    def gate(x):
        """x where it is positive."""
        return x * (x > 0).astype(np.float64)

    gate.backward(lambda g, x: g * (x > 0).astype(np.float64))
    out = gate(Variable(small))
    with pytest.raises(
        ContractViolation, match=r"the gradient of x has dtype float64, x has float32.*\n.*astype\(x\.dtype\)"
    ):
        out.backward(np.ones(A.shape))

    @op
    def right(x):
        """x where it is positive."""
        return x * (x > 0)

    right.backward(lambda g, x: g * (x > 0))
    x = Variable(small)
    right(x).backward(np.ones(A.shape))
    assert x.grad.dtype == np.float32


def test_ordinary_promotion_beside_a_wider_input_is_converted():
    gx, gy = accepted((A, A), x=A.astype(np.float32))
    assert gx.dtype == np.float32
    assert gy.dtype == np.float64


def test_integers_beside_single_precision_promote_it():
    """NumPy computes float32 with integers in float64: that is nobody's fault."""

    @op(n=arr(nondiff=True))
    def times(x, n):
        """x * n."""
        return x * n

    times.backward(lambda g, n: g * n)
    x = Variable(A.astype(np.float32))
    times(x, np.arange(3)).backward(np.ones_like(A))
    assert x.grad.dtype == np.float32


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x * np.arange(3),
        lambda x: F.sum(x) / np.int64(6),
        lambda x: x * [1, 2, 3],
        lambda x: F.clip(x, min=np.float64(-1)),
        lambda x: F.leaky_relu(x, slope=np.float64(0.1)),
        lambda x: F.norm(x, ord=np.float64(3), axis=0),
        lambda x: F.var(x, ddof=np.float64(1)),
        lambda x: F.concatenate([x, np.arange(3)[None]]),
    ],
)
def test_what_a_built_in_promotes_is_converted_back(call):
    x = Variable(1 + A.astype(np.float32))
    out = call(x)
    out.backward(np.ones_like(out.data))
    assert x.grad.dtype == np.float32


def test_slots_follow_declarations_and_not_dtypes():
    @op(index=arr(nondiff=True))
    def weighted(x, index, w):
        """x * w, whatever index is."""
        return x * w

    weighted.backward(lambda g, x, w: (g * w, g * x))
    x, w = Variable(A), Variable(2 * A)
    weighted(x, Variable(A), w).backward(np.ones_like(A))
    assert np.array_equal(x.grad, 2 * A)
    assert np.array_equal(w.grad, A)
    index = Variable(A)
    weighted(x, index, w).backward(A)
    assert index.grad is None
