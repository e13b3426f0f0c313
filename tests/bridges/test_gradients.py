"""Whose gradient is whose, in every form in which code returns them."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli.bridges.gradients import Slots, forms_of, gradients_by_slot, of_gradient, require_one_number, scaled
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.domain import arr, ints
from gradcheck_cli.core.returned import MISSING
from gradcheck_cli.errors import ContractViolation, Location, OperatorError

WHERE = Location("code.py", 9)
X, W, B = np.ones((2, 3)), np.ones((3, 4)), np.ones(4)
LABELS = np.array([0, 1])
DX, DW, DB = np.full((2, 3), 5.0), np.full((3, 4), 6.0), np.full(4, 7.0)


def slots(**operands):
    inputs = tuple(Input(name, loose=True) for name in operands)
    return Slots("affine", inputs, tuple(operands.values()), WHERE)


def by_slot(returned, where, order=()):
    """Return gradients with names instead of arrays, so that they can be compared."""
    names = {id(DX): "dx", id(DW): "dw", id(DB): "db", id(None): None, id(MISSING): "missing"}
    return [names[id(gradient)] for gradient in gradients_by_slot(returned, where, order)]


AFFINE = slots(x=X, w=W, b=B)


@pytest.mark.parametrize("returned", [(DX, DW, DB), [DX, DW, DB]], ids=["tuple", "list"])
def test_a_sequence_is_read_in_the_order_of_the_arguments(returned):
    assert by_slot(returned, AFFINE) == ["dx", "dw", "db"]
    assert by_slot(returned[::-1], AFFINE) == ["db", "dw", "dx"]


def test_one_array_alone_is_the_gradient_of_the_only_array():
    assert by_slot(DX, slots(x=X)) == ["dx"]
    assert by_slot(DX, slots(x=X, axis=0)) == ["dx", "missing"]


@pytest.mark.parametrize("form", ["{}", "d{}", "d_{}", "g{}", "g_{}", "grad_{}", "grad{}", "{}_grad", "{}.grad"])
def test_a_mapping_is_read_by_the_names_that_gradients_go_by(form):
    returned = {form.format("w"): DW, form.format("x"): DX}
    assert by_slot(returned, AFFINE) == ["dx", "dw", "missing"]


def test_a_mapping_with_a_misspelt_name_is_an_error_that_suggests_one():
    where = slots(weights=W, x=X)
    with pytest.raises(ContractViolation, match="gradient for 'weight', which is no argument") as error:
        gradients_by_slot({"weight": DW}, where)
    assert "did you mean 'weights'?" in str(error.value)
    with pytest.raises(ContractViolation, match="there are: weights, x"):
        gradients_by_slot({"dq": DW}, where)


def test_a_mapping_with_two_gradients_of_one_input_is_an_error():
    with pytest.raises(ContractViolation, match="two gradients for w"):
        gradients_by_slot({"w": DW, "dw": DW}, AFFINE)


def test_gradients_of_what_stands_in_a_mapping_of_weights_are_left_out():
    where = slots(x=X, params={"Wax": W, "ba": B})
    assert by_slot({"dx": DX, "dWax": DW, "ba": DB}, where) == ["dx", "missing"]
    with pytest.raises(ContractViolation, match="'dWxx'"):
        gradients_by_slot({"dWxx": DW}, where)


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        pytest.param((DX, DW), ["dx", "missing", "dw"], id="of the floating arrays"),
        pytest.param((DX, None, DW), ["dx", None, "dw"], id="of all arrays"),
    ],
)
def test_integers_have_no_gradient_or_none(returned, expected):
    assert by_slot(returned, slots(x=X, labels=LABELS, w=W)) == expected


def test_plain_values_have_no_gradient_or_none():
    where = slots(x=X, axis=1, w=W, mode="train")
    assert by_slot((DX, DW), where) == ["dx", "missing", "dw", "missing"]
    assert by_slot((DX, None, DW, None), where) == ["dx", None, "dw", None]


def test_none_for_attributes_behind_the_arguments_is_dropped():
    assert by_slot((DX, DW, DB, None, None), AFFINE) == ["dx", "dw", "db"]


def test_declared_integers_have_no_slot_and_may_be_left_out():
    inputs = (Input("x", arr("n d")), Input("labels", ints("n", below=2)), Input("w", arr("d k")))
    where = Slots("loss", inputs, (X, LABELS, W), WHERE)
    assert by_slot((DX, DW), where) == ["dx", "dw"]
    assert by_slot((DX, None, DW), where) == ["dx", "dw"]
    assert by_slot({"w": DW}, where) == ["missing", "dw"]


def test_a_shorter_sequence_belongs_to_the_first():
    assert by_slot((DX, DW), AFFINE) == ["dx", "dw", "missing"]
    assert by_slot(DX, AFFINE) == ["dx", "missing", "missing"]
    assert by_slot((), AFFINE) == ["missing", "missing", "missing"]


def test_too_many_gradients_are_an_error_that_names_the_inputs():
    with pytest.raises(ContractViolation, match=r"returned 4 gradients for 3 inputs \(x, w, b\)") as error:
        gradients_by_slot((DX, DW, DB, DB), AFFINE)
    assert (error.value.finding, error.value.location) == ("gradient-count", WHERE)
    with pytest.raises(ContractViolation, match=r"returned 2 gradients for 1 input \(x\)"):
        gradients_by_slot((DX, DW), slots(x=X))


def test_an_order_that_is_said_wins():
    assert by_slot((DB, DX, DW), AFFINE, ("b", "x", "w")) == ["dx", "dw", "db"]
    assert by_slot((DW, DX), AFFINE, ("w", "x")) == ["dx", "dw", "missing"]
    assert by_slot((DX, "statistics", DW), AFFINE, ("x", "_", "w")) == ["dx", "dw", "missing"]


@pytest.mark.parametrize("returned", [(DX,), (DX, DW, DB)], ids=["fewer", "more"])
def test_another_number_than_said_is_an_error(returned):
    with pytest.raises(ContractViolation, match=r"for 2 inputs \(x, w\)"):
        gradients_by_slot(returned, AFFINE, ("x", "w"))


def test_any_number_of_arrays_are_told_apart_by_their_places():
    where = Slots("stack", (Input("scale", loose=True), Input("xs", variadic=True, loose=True)), (2.0, X, X), WHERE)
    assert by_slot((DX, DW), where) == ["missing", "dx", "dw"]
    assert by_slot({"dxs[1]": DX}, where) == ["missing", "missing", "dx"]
    assert [where.name(slot) for slot in range(3)] == ["scale", "xs[0]", "xs[1]"]


def test_a_list_of_numbers_is_the_gradient_of_the_only_array():
    vector = slots(x=np.ones(3), n=2)
    assert gradients_by_slot([1.0, 2.0, 3.0], vector)[0] == [1.0, 2.0, 3.0]
    assert gradients_by_slot([[1.0, 2.0, 3.0]] * 2, slots(x=X))[0] == [[1.0, 2.0, 3.0]] * 2
    with pytest.raises(ContractViolation, match="3 gradients for 1 input"):
        gradients_by_slot((1.0, 2.0, 3.0), vector)
    with pytest.raises(ContractViolation, match="2 gradients for 1 input"):
        gradients_by_slot([[1.0], [1.0, 2.0]], slots(x=X))
    assert gradients_by_slot([0.5], slots(x=np.ones(1)))[0] == [0.5]


def test_the_name_of_a_gradient_leads_to_one_input_or_to_none():
    assert of_gradient("dW", ["W", "b"]) == "W"
    assert of_gradient("grad_b", ["W", "b"]) == "b"
    assert of_gradient("dw", ["W", "b"]) is None
    assert of_gradient("W", ["W", "b"]) is None
    assert of_gradient("d_x", ["x", "_x"]) is None, "of d_x and d_x"
    assert "dx" in forms_of("x")
    assert "x" not in forms_of("x")


def test_gradients_of_a_number_are_scaled_in_whatever_form():
    g = np.array(3.0)
    assert scaled(2.0, g) == 6
    assert np.array_equal(scaled(np.ones(2), g), [3, 3])
    assert [part.tolist() for part in scaled((np.ones(1), np.zeros(1)), g)] == [[3], [0]]
    assert scaled([1.0, [2.0]], g) == [3, [6]]
    assert scaled({"x": 2, "y": None, "z": "text"}, g) == {"x": 6, "y": None, "z": "text"}
    assert scaled(np.ones(2, np.float32), g).dtype == np.float32
    assert scaled(np.ones(2), np.array([[0.5]])).tolist() == [0.5, 0.5]
    assert scaled(True, g) is True


@pytest.mark.parametrize(
    "value",
    [1.5, np.float64(1.5), np.array(1.5), np.array([1.5]), np.array([[1.5]])],
    ids=lambda each: type(each).__name__,
)
def test_one_number_is_a_value(value):
    assert require_one_number(value, "J", WHERE).item() == 1.5


def test_whole_numbers_become_floating_ones():
    assert require_one_number(3, "J", WHERE).dtype == np.float64
    assert require_one_number(np.float32(3), "J", WHERE).dtype == np.float32


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (np.ones(2), r"an array of shape \(2,\)"),
        (np.ones(0), r"an array of shape \(0,\)"),
        ("1", "str"),
        (True, "bool"),
        (1j, "complex"),
        ([1.0, [2.0]], "list"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_is_not_one_number_is_no_value(value, got):
    with pytest.raises(OperatorError, match=rf"J returned {got}: a value with gradients of its own is one number"):
        require_one_number(value, "J", WHERE)
