"""Expressions compiled and evaluated over a few arrays and constants, beside operators of their own."""

import numpy as np

from gradcheck_cli import Variable, arr, ints, keep, mask, op
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place


@op(x=arr(low=0.5), factor=[2, 3])
def stretch(x, *, factor=2, mode=None):
    """x * factor; mode is looked at by tests alone."""
    return x * np.asarray(factor, dtype=x.dtype)


@stretch.backward
def _(g, factor):
    return g * factor


@op(x=arr(), labels=ints("", below=3), outputs="first second")
def split_at(x, labels, scale=None):
    """Two outputs: x up to labels and behind it, times scale."""
    scale = np.ones((), x.dtype) if scale is None else scale
    return keep(x[:labels] * scale, x[labels:] * scale, n=x.shape[0])


@split_at.backward
def _(g_first, g_second, scale):
    raise NotImplementedError


@op
def join(*xs, subscripts="", axis=0):
    """The arrays joined; subscripts is text, as einsum's."""
    return keep(np.concatenate(xs, axis=axis), mark=subscripts)


@join.backward
def _(g, xs):
    return np.split(g, len(xs))


@op
def relu(x):
    """Not the built-in: ten times as much."""
    return 10 * np.maximum(x, 0)


@relu.backward
def _(g, x):
    return 10 * g * (x > 0)


@op(x=mask())
def count(x):
    """How many are true."""
    return np.asarray(x, dtype=np.float64).sum()


OWN = (stretch, split_at, join, relu, count)
SCOPE = Scope(Loader(), own={made.operator.name: made.operator for made in OWN})

X = np.arange(12.0).reshape(3, 4) / 8 - 0.5
W = np.linspace(-1, 1, 8).reshape(4, 2)
B = np.array([0.25, -0.75])
IDX = np.array([2, 0, 2])
MASK = np.array([True, False, True])
ARRAYS = {"x": X, "W": W, "b": B, "idx": IDX, "m": MASK, "sum": np.array([1.0, 2.0])}
CONSTANTS = {"n": 2, "half": 0.5, "mode": "same", "flag": True, "sizes": [2, 6], "act": "tanh", "axes": [1, 0]}


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
