"""Indices are NumPy's: whole numbers, slices, lists, masks and index arrays."""

import numpy as np
import pytest

from tests.spec.language.compiling import IDX, MASK, X, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[0]", X[0]),
        ("x[-1, n]", X[-1, 2]),
        ("x[1:, ::-1]", X[1:, ::-1]),
        ("x[:n, n - 1:2*n]", X[:2, 1:4]),
        ("x[None, 0, np.newaxis]", X[None, 0, None]),
        ("x[..., 0]", X[..., 0]),
        ("x[...]", X),
        ("x[()]", X),
        ("x[[0, -1]]", X[[0, -1]]),
        ("x[axes]", X[[1, 0]]),
        ("x[[0, 2], [1, 3]]", X[[0, 2], [1, 3]]),
        ("x[(0, 1)]", X[0, 1]),
        ("x[idx]", X[IDX]),
        ("x[idx, 1:3]", X[IDX, 1:3]),
        ("x[idx, [0, 1, 3]]", X[IDX, [0, 1, 3]]),
        ("x[m]", X[MASK]),
        ("x[~m]", X[~MASK]),
        ("x[x > 0]", X[X > 0]),
        ("x[x > 1/2]", X[X > 0.5]),
        ("x[(x > 0) & (x < 0.5)]", X[(X > 0) & (X < 0.5)]),
        ("x[idx - 1]", X[IDX - 1]),
        ("x[maximum(idx, 1)]", X[[2, 1, 2]]),
        ("x[(idx + n // 2 - 1)[0]]", X[2]),
        ("x[1:][0]", X[1]),
        ("x.T[0]", X.T[0]),
    ],
)
def test_indices_are_those_of_numpy(text, expected):
    np.testing.assert_array_equal(value(text), expected)


def test_whole_numbers_are_integers_inside_of_an_index_only():
    for text in ("x[idx + 1 - 1] * 2", "x[x > 1] + 2", "x[0] + maximum(b[0], 1)"):
        assert value(text, "float32").dtype == np.float32, text
