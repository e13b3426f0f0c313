"""The order of gradients: as a person says it, and as far as names in the text tell it."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli.bridges.functions.order import by_name, order_hints, order_said, order_told
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.errors import Location, OperatorError

WHERE = Location("code.py", 9)
INPUTS = tuple(Input(name, loose=True) for name in ("x", "y", "w"))
DX, DW = np.ones(1), np.ones(2)
OPERANDS = [np.zeros(1), np.zeros(3), np.zeros(2)]


def test_an_order_is_said_by_the_names_of_inputs_or_of_gradients():
    assert order_said(["w", "x"], INPUTS, WHERE) == ("w", "x")
    assert order_said(["dw", "_", "grad_x"], INPUTS, WHERE) == ("w", "_", "x")
    assert order_said((), INPUTS, WHERE) == ()
    assert order_said(None, INPUTS, WHERE) == ()


@pytest.mark.parametrize(
    ("returns", "message"),
    [(["dz"], "returns names 'dz', which is no input"), (["x", "dx"], "returns names 'x' twice")],
)
def test_an_order_that_cannot_be_is_refused(returns, message):
    with pytest.raises(OperatorError, match=rf"code\.py:9: error: {message}"):
        order_said(returns, INPUTS, WHERE)


def test_names_tell_an_order_if_all_of_them_are_gradients_of_different_inputs():
    assert order_told(("dx", "dw"), INPUTS) == ("x", "w")
    assert order_told(("dw", "dx"), INPUTS) == ("w", "x")
    assert order_told(("dx", None), INPUTS) == ()
    assert order_told(("dx", "grads"), INPUTS) == ()
    assert order_told(("dx", "grad_x"), INPUTS) == ()
    assert order_told((), INPUTS) == ()


def test_names_choose_the_inputs_where_these_are_more():
    assert by_name((DX, DW), ("x", "w"), INPUTS, OPERANDS) == {"x": DX, "w": DW}
    assert by_name([DX, DW], ("x", "w"), INPUTS, OPERANDS) == {"x": DX, "w": DW}
    assert by_name(DW, ("w",), INPUTS, OPERANDS) == {"w": DW}


def test_names_never_reorder_the_gradients_of_all_inputs():
    everyone = (DX, DX, DW)
    assert by_name(everyone, ("x", "y", "w"), INPUTS, OPERANDS) is everyone


def test_names_in_another_order_count_only_where_places_can_not():
    whole = np.zeros(2, dtype=int)
    assert by_name((DW, DX), ("w", "x"), INPUTS, [OPERANDS[0], whole, OPERANDS[2]]) == (DW, DX)
    assert by_name((DX, DX), ("y", "x"), INPUTS, OPERANDS) == (DX, DX)
    assert by_name((DW, DX), ("w", "y"), INPUTS, OPERANDS) == {"w": DW, "y": DX}


def test_another_number_than_the_names_tell_is_left_alone():
    for returned in ((DX,), (DX, DX, DW), None, {"x": DX}):
        assert by_name(returned, ("x", "w"), INPUTS, OPERANDS) is returned
    pair = (DX, DW)
    assert by_name(pair, ("w",), INPUTS, OPERANDS) is pair


def test_names_in_another_order_get_a_hint():
    hints = order_hints(("w", "x"), INPUTS)
    assert all("say returns: w x" in hint for hint in hints.values())
    assert "gradient-shape" in hints
    assert order_hints(("x", "w"), INPUTS) == {}
    assert order_hints((), INPUTS) == {}
