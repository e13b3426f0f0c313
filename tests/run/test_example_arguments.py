"""The arguments of an example: which shapes and values are chosen; `example_spec` tests how they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.report.spec_text import can_be_written
from gradcheck_cli.run.check_operators import check_operators
from gradcheck_cli.run.example_arguments import can_be_listed, example_arguments
from gradcheck_cli.run.example_cases import example_cases
from gradcheck_cli.run.operator_options import OperatorOptions

PAIR = """
    def mse_forward(pred, target):
        difference = pred - target
        return (difference**2).mean(), difference

    def mse_backward(dout, difference):
        slope = dout * 2 * difference / difference.size
        return slope, -slope
"""


def test_code_that_declares_nothing_gets_one_shape_where_others_are_wrong(write: Callable[..., Path]) -> None:
    """Nobody said that it broadcasts: `check-ops` calls it undecided, and a spec mustn't call it wrong."""
    (mse,) = example_cases(Library().file(write("losses.py", PAIR))).operators
    assert example_arguments(mse, can_be_written).sizes.own == {}
    same = replace(mse, bridged="")
    assert example_arguments(same, can_be_written).sizes.own == {0: (2, 3, 1), 1: (3, 4)}


def test_code_that_declares_nothing_gets_shapes_that_broadcast_where_it_is_right(write: Callable[..., Path]) -> None:
    text = """
        from gradcheck_cli import unbroadcast

        def gap_forward(x, y):
            return (x - y) ** 2, (x, y)

        def gap_backward(dout, cache):
            x, y = cache
            slope = 2 * dout * (x - y)
            return unbroadcast(slope, x.shape), unbroadcast(-slope, y.shape)
    """
    (gap,) = example_cases(Library().file(write("gaps.py", text))).operators
    assert example_arguments(gap, can_be_written).sizes.own == {0: (2, 3, 1), 1: (3, 4)}


@pytest.mark.parametrize(
    ("value", "listed"),
    [
        (1.5, True),
        ("mean", True),
        (None, True),
        (True, True),
        ([1, (2, 3)], True),
        (float("inf"), False),
        (float("nan"), False),
        ({"a": 1}, False),
        ([1, {"a": 1}], False),
        ("a\nb", False),
    ],
)
def test_what_a_matrix_can_list(value: object, listed: bool) -> None:
    assert can_be_listed(value) is listed


def test_a_sample_function_may_leave_an_optional_input_out(write: Callable[..., Path]) -> None:
    text = """
        import numpy as np
        from gradcheck_cli import op

        @op(s=[1.0, 2.0])
        def scaled(x, y=None, *, s=1.0):
            return s * x

        @scaled.backward
        def _(g, s):
            return s * g, None

        @scaled.sample
        def _(rng):
            return rng.normal(size=int(rng.integers(1, 9)))
    """
    operators = Loader().file(write("mine.py", text))
    chosen = example_arguments(operators[0], can_be_written)
    assert chosen.arrays is not None
    assert [array is None for array in chosen.arrays] == [False, True]
    assert chosen.arrays[0].size == 6
    assert chosen.attributes == {"s": (1.0, 2.0)}
    (result,) = check_operators(operators, OperatorOptions()).operators
    assert (result.ok, result.error) == (True, None)
