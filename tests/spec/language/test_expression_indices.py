"""Indices are NumPy's: whole numbers, slices, lists, masks and index arrays."""

import numpy as np
import pytest

from gradcheck_cli import Variable
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place

SCOPE = Scope(Loader())
X = np.arange(12.0).reshape(3, 4) / 8 - 0.5
B = np.array([0.25, -0.75])
IDX = np.array([2, 0, 2])
MASK = np.array([True, False, True])
ARRAYS = {"x": X, "b": B, "idx": IDX, "m": MASK}
CONSTANTS = {"n": 2, "axes": [1, 0]}


def compiled(text):
    problems = []
    place = Place("case.yaml", 1, 1, tuple(text.split("\n")))
    expression = compile_expression(
        text, scope=SCOPE, arrays=ARRAYS, constants=CONSTANTS, place=place, problems=problems
    )
    assert not problems, "\n".join(map(str, problems))
    return expression


def outputs(text, dtype="float64"):
    """Evaluate on arrays, on Variables and again, which must agree to the last bit; return the arrays."""
    expression = compiled(text)
    values = {name: array.astype(dtype) if array.dtype.kind == "f" else array for name, array in ARRAYS.items()}
    plain = expression(values, np.dtype(dtype))
    variables = {name: Variable(array, requires_grad=array.dtype.kind == "f") for name, array in values.items()}
    for again in (expression(variables, np.dtype(dtype)), expression(values, np.dtype(dtype))):
        for first, second in zip(plain, again, strict=True):
            np.testing.assert_array_equal(first, getattr(second, "data", second))
    return plain


def value(text, dtype="float64"):
    (only,) = outputs(text, dtype)
    return only


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
