"""Sizes of arrays, and how they are written in sentences."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.findings.health.figures import answer, figures_of, listed, norm, percent, spread, tracked
from tests.findings.health.traces import traced


def test_figures_count_what_is_no_number_and_leave_it_out():
    seen = figures_of(np.array([3.0, 0.0, np.nan, np.inf, -np.inf, -4.0, 0.0, 0.0]))
    assert (seen.norm, seen.low, seen.high, seen.nan, seen.infinite, seen.bad) == (5.0, -4.0, 3.0, 1, 2, 3)
    assert seen.zeros == 3 / 8


@pytest.mark.parametrize("array", [np.empty((0, 3)), np.array([np.nan])])
def test_no_numbers_have_no_range(array):
    seen = figures_of(array)
    assert (seen.norm, seen.zeros, seen.low, seen.high) == (0.0, 0.0, None, None)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "float64"])
def test_figures_of_any_dtype(dtype):
    assert figures_of(np.array([1, 0, 1, 1], dtype)).norm == pytest.approx(np.sqrt(3))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_a_norm_neither_overflows_nor_underflows(scale):
    assert norm([scale * np.array([3.0]), None, scale * np.array([[4.0]])]) == pytest.approx(5 * scale)


def test_a_norm_of_nothing_is_zero_and_of_infinity_is_infinite():
    assert norm([None, np.empty(0), np.zeros(3)]) == 0
    assert norm([np.ones(2), np.array([np.inf])]) == np.inf
    assert np.isnan(norm([np.array([np.nan, 1.0])]))


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.001, "< 1 %"), (0.5, "50 %"), (0.999, "> 99 %"), (1, "100 %")]
)
def test_a_share_is_never_rounded_to_none_or_all(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("array", "text"),
    [
        ([1.0, -2.5], "from -2.5 to 1"),
        ([4.0, 4.0], "4"),
        ([1.0, np.nan], "1 and nan"),
        ([1.0, 2.0, np.inf], "from 1 to 2 and infinite"),
        ([np.nan], "nan"),
        ([], "empty"),
    ],
)
def test_ranges_are_written(array, text):
    assert spread(np.array(array)) == text


def test_long_lists_lose_their_middle():
    words = [str(i) for i in range(20)]
    assert listed(words[:3]) == "0, 1, 2"
    assert listed(words, 4) == "0, 1, ... 16 more ..., 18, 19"


def test_an_operator_is_asked_at_other_inputs_and_says_nothing_where_it_raises():
    made = traced(lambda v: F.sum(F.tanh(v["x"])), {"x": [0.0, 1.0]})
    tanh, total = made.calls
    ((position, x),) = tracked(made, tanh)
    np.testing.assert_array_equal(x, [0.0, 1.0])
    np.testing.assert_allclose(answer(made, tanh, position, np.ones(2)), np.tanh(1.0))
    assert answer(made, total, 0, np.ones(2)) is None
    product = traced(lambda v: v["x"] @ v["w"], {"x": np.ones((2, 3)), "w": np.ones((3, 2))})
    assert answer(product, product.calls[0], 0, np.ones((5, 5))) is None
