"""What a plain function with a gradient of its own may return, and what is named."""

import numpy as np
import pytest

from gradcheck_cli import Variable
from gradcheck_cli.errors import ContractViolation, Location
from gradcheck_cli.numeric.call import Subject
from gradcheck_cli.numeric.own_gradient import as_number, gradients_by_name, value_and_gradients

SUBJECT = Subject("fprime", Location("model.py", 7))
W, B = np.zeros((2, 3)), np.zeros(3)


@pytest.mark.parametrize(
    "value",
    [2.0, 2, np.float64(2), np.array(2.0), np.array([2.0]), np.array([[2]]), np.float32(2)],
    ids=["float", "int", "np.float64", "0-d", "1 element", "1 integer", "float32"],
)
def test_one_real_number_in_any_form_is_a_value(value):
    number = as_number(value)
    assert number.dtype.kind == "f"
    assert number.item() == 2.0


def test_a_value_keeps_its_floating_type():
    assert as_number(np.float32(2)).dtype == np.float32


@pytest.mark.parametrize(
    "value", [None, "2", 1j, np.array(["2"]), {}], ids=["None", "text", "complex", "texts", "dict"]
)
def test_a_value_that_is_no_real_number_is_refused(value):
    with pytest.raises(TypeError, match="returns a real number, not"):
        as_number(value)


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 1)])
def test_a_value_of_another_size_is_refused(shape):
    with pytest.raises(ValueError, match="one number, not an array"):
        as_number(np.zeros(shape))


def test_a_pair_is_value_and_gradient():
    assert value_and_gradients((1.0, [2.0])) == (1.0, [2.0])


def test_a_longer_tuple_is_the_value_and_a_gradient_per_parameter():
    assert value_and_gradients((1.0, 2.0, 3.0)) == (1.0, (2.0, 3.0))


@pytest.mark.parametrize("returned", [1.0, (1.0,), np.ones(2), None], ids=["number", "one", "array", "None"])
def test_what_is_no_pair_of_value_and_gradient_is_refused(returned):
    with pytest.raises(TypeError, match=r"\(value, gradient\)"):
        value_and_gradients(returned)


@pytest.mark.parametrize(
    "gradients",
    [(W + 1, B + 2), [W + 1, B + 2], {"b": B + 2, "W": W + 1}, {"b": B + 2, "W": W + 1, "t": 0.0}],
    ids=["tuple", "list", "mapping", "mapping with another name"],
)
def test_gradients_find_their_parameters(gradients):
    found = gradients_by_name(gradients, {"W": W, "b": B}, SUBJECT)
    assert list(found) == ["W", "b"]
    np.testing.assert_array_equal(found["W"], W + 1)
    np.testing.assert_array_equal(found["b"], B + 2)


@pytest.mark.parametrize(
    ("gradient", "x"),
    [
        (np.ones(3), np.zeros(3)),
        ([1.0, 1.0, 1.0], np.zeros(3)),
        ((1.0, 1.0, 1.0), np.zeros(3)),
        ([np.ones(3)], np.zeros(3)),
        ((np.ones(3),), np.zeros(3)),
        ([[1.0, 1.0, 1.0]], np.zeros(3)),
        ([[1.0, 1.0, 1.0]], np.zeros((1, 3))),
        ([1.0], np.zeros(1)),
        ((1.0,), np.zeros(1)),
        ((1.0,), np.zeros(())),
        (1.0, np.zeros(())),
        (True, np.zeros(())),
        (np.ones(3, dtype=int), np.zeros(3)),
    ],
    ids=str,
)
def test_the_gradient_of_one_parameter_may_be_the_array_or_a_sequence_of_it(gradient, x):
    found = gradients_by_name(gradient, {"x": x}, SUBJECT)["x"]
    np.testing.assert_array_equal(found, np.ones(x.shape))
    assert found.dtype == np.float64


def test_rows_of_different_lengths_are_no_gradient():
    with pytest.raises(ContractViolation, match="the gradient of x is no array of real numbers but list"):
        gradients_by_name([[1.0], [1.0, 2.0]], {"x": np.zeros(3)}, SUBJECT)


def test_rows_of_a_matrix_are_the_matrix_and_several_matrices_are_too_many():
    found = gradients_by_name([W[0] + 1, W[1] + 1], {"W": W}, SUBJECT)
    np.testing.assert_array_equal(found["W"], W + 1)
    with pytest.raises(ContractViolation, match=r"2 gradients for 1 parameter \(W\)"):
        gradients_by_name((W, W), {"W": W}, SUBJECT)


@pytest.mark.parametrize(
    ("gradients", "finding", "words"),
    [
        (W, "gradient-count", "1 gradient for 2 parameters (W, b)"),
        ((W,), "gradient-count", "1 gradient for 2 parameters (W, b)"),
        ((W, B, B), "gradient-count", "3 gradients for 2 parameters (W, b)"),
        ({"W": W}, "gradient-count", "no gradient for b"),
        ({"W": W, "B": B}, "gradient-count", "no gradient for b"),
        ((W.T, B), "gradient-shape", "has shape (3, 2), W has (2, 3)"),
        ((W, W), "gradient-shape", "has shape (2, 3), b has (3,)"),
        ((W, None), "gradient-dtype", "NoneType"),
        ((W, B * 1j), "gradient-dtype", "complex128"),
        ((W, [[1.0], [1.0, 2.0]]), "gradient-dtype", "list"),
        ((W, Variable(B)), "gradient-dtype", "Variable"),
    ],
)
def test_wrong_counts_shapes_and_types_are_findings_of_the_function(gradients, finding, words):
    with pytest.raises(ContractViolation) as caught:
        gradients_by_name(gradients, {"W": W, "b": B}, SUBJECT)
    assert caught.value.finding == finding
    assert words in caught.value.message
    assert (caught.value.operator, caught.value.location) == ("fprime", SUBJECT.location)


@pytest.mark.parametrize(
    ("gradients", "hint"),
    [
        ((W.T, B), "the gradient is transposed: return its .T"),
        ((W, W), "a sum over axis 0 is missing"),
        ({"W": W, "bias": B}, "it returned a mapping of W, bias"),
        ({"W": W, "b_": B}, "did you mean 'b_'?"),
    ],
)
def test_the_hint_says_what_to_do(gradients, hint):
    with pytest.raises(ContractViolation) as caught:
        gradients_by_name(gradients, {"W": W, "b": B}, SUBJECT)
    assert hint in caught.value.hint
