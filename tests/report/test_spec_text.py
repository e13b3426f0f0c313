"""How the parts of a spec are written: what is read back is what was meant."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.core.arguments import REQUIRED, Attribute, Input
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.report.spec_text import (
    Unwritten,
    array_text,
    call_text,
    can_be_written,
    files_text,
    four_digits,
    literal,
    quoted,
)


def operator(*attributes: Attribute) -> Operator:
    return Operator("f", lambda x: x, (Input("x"), Input("y", optional=True)), attributes)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-3, "-3"),
        (1e-5, "1e-05"),
        (math.inf, "np.inf"),
        (-math.inf, "-np.inf"),
        (np.float64(0.5), "0.5"),
        (np.int64(3), "3"),
        ("it's", '"it\'s"'),
        ((2,), "(2,)"),
        ((2, -1), "(2, -1)"),
        ([0, [1.5]], "[0, [1.5]]"),
        ({"mode": "a", "pads": (0, 1)}, "dict(mode='a', pads=(0, 1))"),
    ],
)
def test_attributes_are_written_as_python_reads_them(value: Any, text: str) -> None:
    assert literal(value) == text
    assert can_be_written(value)
    if "np." not in text and "dict" not in text:
        assert ast.literal_eval(text) == value


@pytest.mark.parametrize("value", [slice(2), (0, slice(None)), math.nan, len, {1: 2}, {"a b": 1}, object(), ...])
def test_what_an_expression_has_no_words_for(value: Any) -> None:
    assert not can_be_written(value)
    with pytest.raises(Unwritten, match="no words for"):
        literal(value)


def test_a_call_names_its_attributes() -> None:
    f = operator(Attribute("axis", 0), Attribute("mode", REQUIRED))
    assert call_text(f, ["x", "y"], {"axis": 1, "mode": "a"}) == "f(x, y, axis=1, mode='a')"
    assert call_text(f, ["x.T"], {}) == "f(x.T)"


def test_arrays_that_are_left_out_at_the_end_are_not_written() -> None:
    assert call_text(operator(), ["x", "None"], {}) == "f(x)"
    assert call_text(operator(), ["None", "y"], {}) == "f(None, y)"


def test_none_is_written_where_it_is_not_the_default() -> None:
    assert call_text(operator(Attribute("axis", None)), ["x"], {"axis": None}) == "f(x)"
    assert call_text(operator(Attribute("axis", 0)), ["x"], {"axis": None}) == "f(x, axis=None)"
    assert call_text(operator(Attribute("axis", REQUIRED)), ["x"], {"axis": None}) == "f(x, axis=None)"


def test_a_default_without_words_is_left_out() -> None:
    f = operator(Attribute("function", len))
    assert call_text(f, ["x"], {"function": len}) == "f(x)"
    with pytest.raises(Unwritten):
        call_text(f, ["x"], {"function": max})


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array(0.1), "0.1"),
        (np.array([1.0, -2.5e-9]), "[1.0, -2.5e-09]"),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
        (np.array([True, False]), "[true, false]"),
        (np.array(True), "1"),  # a single truth value is no parameter's value
        (np.zeros((2, 0)), "[[], []]"),
    ],
)
def test_arrays_are_lists(array: np.ndarray, text: str) -> None:
    assert array_text(array) == text
    assert np.array_equal(yaml.safe_load(text) if "e-" not in text else ast.literal_eval(text), array)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_no_digit_is_lost(values: list[float]) -> None:
    assert [float(part) for part in array_text(np.array(values)).strip("[]").split(", ")] == values


def test_digits_are_left_out_where_that_is_asked_for() -> None:
    assert array_text(np.array([1 / 3, 2e10]), four_digits) == "[0.3333, 2e+10]"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1).map(str.strip))
def test_a_text_is_read_back_as_it_was(text: str) -> None:
    after = f"f, {text}".rstrip()
    assert yaml.safe_load(f"name: {quoted(after)}") == {"name": after}


@pytest.mark.parametrize("text", ["f(x)", "f, as declared, mode='a'", "f(x, shape=(2, -1))"])
def test_a_plain_text_needs_no_quotes(text: str) -> None:
    assert quoted(text) == text


def test_files_are_named() -> None:
    line = files_text(["my_ops.py", "odd, name.py", "it's/ops.py"])
    assert line.startswith("ops: [my_ops.py, ")
    assert yaml.safe_load(line) == {"ops": ["my_ops.py", "odd, name.py", "it's/ops.py"]}
