"""The arguments that an operator has to take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.domain import arr
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.run.base_arguments import base_arguments

PLAIN = Operator("f", lambda x, y: x, (Input("x", arr("n k", low=1)), Input("y", arr("k"))))


def test_domains_are_drawn_from_and_attributes_left_for_later() -> None:
    operator = replace(PLAIN, attributes=(Attribute("axis", 0, (0, 1)),))
    arrays, attributes = base_arguments(operator, np.random.default_rng(0))
    x, y = arrays
    assert attributes == {}
    assert x.shape[1:] == y.shape
    assert x.min() >= 1


def test_the_generator_decides() -> None:
    first, _ = base_arguments(PLAIN, np.random.default_rng(3))
    again, _ = base_arguments(PLAIN, np.random.default_rng(3))
    other, _ = base_arguments(PLAIN, np.random.default_rng(4))
    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[1], other[1])


def test_a_sample_function_says_it_all() -> None:
    operator = replace(
        PLAIN, attributes=(Attribute("axis", 0),), sampler=lambda rng: {"x": [[1, 2]], "y": [3.0, 4.0], "axis": 1}
    )
    (x, y), attributes = base_arguments(operator, np.random.default_rng(0))
    assert attributes == {"axis": 1}
    assert x.dtype == np.float64  # whole numbers can't be differentiated by
    assert np.array_equal(x, [[1, 2]])
    assert np.array_equal(y, [3, 4])


def test_an_operators_own_value_is_taken() -> None:
    operator = replace(PLAIN, own={"y": np.array([7, 8], dtype=np.int64)})
    (_, y), _ = base_arguments(operator, np.random.default_rng(0))
    assert (y.dtype, y.tolist()) == (np.float64, [7.0, 8.0])


def test_what_cannot_be_drawn_is_said() -> None:
    operator = replace(PLAIN, inputs=(Input("x", arr("n k", spd=True)),), file="my_ops.py", line=3)
    with pytest.raises(OperatorError) as caught:
        base_arguments(operator, np.random.default_rng(0))
    (problem,) = caught.value.problems
    assert str(problem.location) == "my_ops.py:3"
    assert "can't draw arguments for f" in problem.message
    assert "@f.sample" in problem.hint


def test_arrays_that_a_sample_function_leaves_out_at_the_end_have_a_place() -> None:
    operator = replace(PLAIN, inputs=(Input("x"), Input("y", optional=True), Input("z", optional=True)))
    arrays, _ = base_arguments(
        replace(operator, sampler=lambda rng: (np.ones(2), None, None)), np.random.default_rng(0)
    )
    assert arrays[0].tolist() == [1, 1]
    assert arrays[1:] == [None, None]
