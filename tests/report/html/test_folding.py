from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.report.html.folding import MOST_COLUMNS, MOST_ROWS, fold

SHAPES = st.lists(st.integers(1, 60), max_size=5).map(tuple).filter(lambda shape: 0 < math.prod(shape) <= 20_000)


@given(SHAPES, st.integers(0, 2**32 - 1))
def test_the_largest_element_is_in_its_cell_whatever_the_rank(shape: tuple[int, ...], seed: int) -> None:
    array = np.random.default_rng(seed).uniform(size=shape)
    index = tuple(int(at) for at in np.unravel_index(int(array.argmax()), shape))
    folded = fold(array)
    assert folded.values.shape[0] <= MOST_ROWS
    assert folded.values.shape[1] <= MOST_COLUMNS
    assert folded.values[folded.cell(index, shape)] == array.max()
    assert np.nanmax(folded.values) == array.max()
    assert np.nanmin(folded.values) >= array.min()


@given(SHAPES, st.integers(0, 2**32 - 1))
def test_every_element_is_at_most_its_cell(shape: tuple[int, ...], seed: int) -> None:
    draw = np.random.default_rng(seed)
    array = draw.uniform(size=shape)
    array[draw.uniform(size=shape) < 0.5] = np.nan
    folded = fold(array)
    for index in list(np.ndindex(shape))[:: max(1, array.size // 50)]:
        cell = folded.values[folded.cell(index, shape)]
        assert np.isnan(array[index]) or array[index] <= cell, (seed, index)


def test_a_matrix_is_shown_as_it_is() -> None:
    array = np.arange(12.0).reshape(3, 4)
    folded = fold(array)
    assert np.array_equal(folded.values, array)
    assert (folded.rows.name, folded.columns.name) == ("axis 0", "axis 1")
    assert folded.rows.block == folded.columns.block == 1


def test_axes_are_folded_where_the_picture_comes_nearest_to_a_square() -> None:
    kernel = fold(np.zeros((16, 8, 3, 3)))
    assert (kernel.rows.axes, kernel.columns.axes) == ((0,), (1, 2, 3))
    assert kernel.columns.name == "axes 1, 2, 3 folded"
    assert fold(np.zeros((2, 3, 20))).rows.axes == (0, 1)


def test_axes_of_one_element_are_passed_over() -> None:
    assert fold(np.zeros((1, 5, 1, 6))).rows.axes == (1,)
    assert fold(np.zeros((1, 7, 1))).columns.name == "axis 1"
    assert fold(np.zeros((1, 1))).columns.name == ""


def test_a_block_is_unknown_only_if_all_of_it_is() -> None:
    array = np.full((MOST_ROWS * 2, 3), np.nan)
    array[0, 0] = 1.0
    array[5] = np.inf
    folded = fold(array)
    assert folded.rows.block == 2
    assert folded.values[0, 0] == 1.0
    assert np.isnan(folded.values[0, 1])
    assert np.isinf(folded.values[2]).all()


@pytest.mark.parametrize(
    ("length", "block", "rows"), [(40, 1, 1), (41, 1, 2), (960, 1, 24), (961, 2, 13), (10**6, 1042, 24)]
)
def test_a_vector_runs_through_rows(length: int, block: int, rows: int) -> None:
    array = np.arange(float(length))
    folded = fold(array)
    assert folded.columns.block == block
    assert folded.values.shape[0] == rows
    assert folded.values[folded.cell((length - 1,), array.shape)] == length - 1
    if folded.wrapped:
        assert np.isnan(folded.values.reshape(-1)[folded.cells :]).all()
        assert not np.isnan(folded.values.reshape(-1)[: folded.cells]).any()
