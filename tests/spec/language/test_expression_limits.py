"""Hostile and random text: it is data, it ends within limits, and it only ever gives problems."""

import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place

SCOPE = Scope(Loader())
X = np.arange(6.0).reshape(2, 3) / 4 - 0.6
Y = np.arange(1.0, 7.0).reshape(2, 3)
ARRAYS = {"x": X, "y": Y, "idx": np.array([1, 0, 1])}
CONSTANTS = {"n": 2, "mode": "same", "flag": True, "sizes": [3, 2]}


def compiled(text, lines=()):
    problems = []
    place = Place("f.yaml", 1, 1, lines)
    expression = compile_expression(
        text, scope=SCOPE, arrays=ARRAYS, constants=CONSTANTS, place=place, problems=problems
    )
    assert (expression is None) == bool(problems)
    return expression, problems


def messages(text):
    return [problem.message for problem in compiled(text)[1]]


UNSAFE = {
    "().__class__": "names that start with _ are not available",
    "x.__class__": "names that start with _ are not available",
    "x.__class__.__bases__[0].__subclasses__()": "names that start with _ are not available",
    "().__class__.__mro__": "names that start with _ are not available",
    "x.sum.__globals__": "names that start with _ are not available",
    "__import__('os')": "names that start with _ are not available",
    "__import__('os').system('id')": "names that start with _ are not available",
    "__builtins__": "names that start with _ are not available",
    "np.__loader__": "np.__loader__ is not available",
    "np.load('f')": "unknown operator 'load'",
    "np.lib.npyio.load('f')": "np.lib.npyio.load is not available",
    "open('f')": "unknown operator 'open'",
    "eval('1')": "unknown operator 'eval'",
    "exec('1')": "unknown operator 'exec'",
    "getattr(x, 'data')": "unknown operator 'getattr'",
    "x.data": "'.data' is not available",
    "x.tofile('f')": "unknown operator 'tofile'",
    "'{0.__class__}'.format(x)": "unknown operator 'format'",
    "f'{x.__class__}'": "an f-string is not part of the language",
    "lambda: x": "'lambda' is not part of the language",
    "(lambda: x)()": "only operators are called, by their name",
    "[a for a in x]": "a comprehension is not part of the language",
    "sum(a for a in x)": "a comprehension is not part of the language",
    "(yield x)": "'yield' is not part of the language",
    "(h := x)": "':=' is not part of the language",
    "import os\nx": "'import' is not part of the language",
    "from os import path\nx": "'import' is not part of the language",
    "class A: pass\nx": "'class' is not part of the language",
    "del x\ny": "'del' is not part of the language",
    "global x\nx": "'global' is not part of the language",
    "x.T = y\nx": "only names are assigned to",
}


@pytest.mark.parametrize("text", UNSAFE)
def test_text_cannot_reach_beyond_its_operators(text):
    assert UNSAFE[text] in messages(text)


HOSTILE = {
    "brackets": "(" * 100_000,
    "closed brackets": "(" * 50_000 + "x" + ")" * 50_000,
    "minus signs": "-" * 50_000 + "x",
    "fewer minus signs": "-" * 5_000 + "x",
    "powers of powers": "x" + "**2" * 3_000,
    "a very long sum": "x" + " + x" * 200_000,
    "a sum that the parser takes": "x" + " + x" * 2_500,
    "nots": "not " * 7_000 + "x",
    "lambdas": "lambda: " * 3_000 + "x",
    "conditions": "x if x else " * 900 + "x",
    "attributes": "F" + ".a" * 1_900 + ".relu(x)",
    "calls": "relu(" * 150 + "x" + ")" * 149,
    "a long name": "a" * 150_000,
    "a tower": "9**9**9 * x",
    "a large power": "10**5000 * x",
    "a large size": "reshape(x, (9**9**9, 1))",
    "a large product": "reshape(x, (" + "*".join(["9" * 300] * 30) + ", 1))",
    "many digits": "9" * 100_000,
    "many hexadecimal digits": "x * 0x" + "f" * 100_000,
    "a null byte": "x\0",
    "a lone surrogate": "x + '\ud800'",
    "a form feed alone": "\f",
    "a backslash": "\\",
    "quotes": "'" * 999,
    "a decorator": "@x",
    "an operator of nothing": "+",
    "chained comparisons": "x" + " < x" * 900,
    "lists in lists by name": "a = [1, 1]\n" + "a = [a, a]\n" * 40 + "x + a",
    "refused signs": "x" + " ^ x" * 900,
    "unknown operators": " + ".join(f"f{number}(x)" for number in range(400)),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_gives_problems_soon(kind):
    started = time.perf_counter()
    found = messages(HOSTILE[kind])
    assert found
    assert max(map(len, found)) < 1_000
    assert time.perf_counter() - started < 5


def test_a_long_list_given_again_and_again_is_refused():
    problems = []
    values = {"long": [0.5] * 10_000}
    text = "concatenate([" + "[" + ", ".join(["long"] * 200) + "], x])"
    compile_expression(text, scope=SCOPE, arrays=["x"], constants=values, place=Place("f", 1, 1), problems=problems)
    assert [problem.message for problem in problems] == ["a list of more than 1,000,000 numbers"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" + " + x" * 999, 1000 * X),
        ("x" + " - x" * 999, -998 * X),
        ("x" + " + (x" * 150 + ")" * 150, 151 * X),
        ("-" * 1_998 + "x", X),
        ("x" + " * 1" * 990, X),
        ("x * 0 + 1" + " + 1" * 980, 981 + 0 * X),
        ("x" + ".T" * 998, X),
        ("x" + "[0:2]" * 300, X),
        ("h = x\n" + "h = negative(h)\n" * 300 + "h", X),
        ("concatenate([" + "x, " * 900 + "])", np.concatenate([X] * 900)),
        ("x\f+ y", X + Y),
        ("x\r\n", X),
        ("x  # " + "comment " * 5_000, X),
    ],
    ids=lambda value: None,
)
def test_text_within_the_limits_works_whatever_its_form(text, expected):
    expression, problems = compiled(text)
    assert problems == []
    np.testing.assert_allclose(expression(ARRAYS, np.dtype(float))[0], expected, rtol=1e-12)


def test_the_limit_counts_names_numbers_and_operations():
    assert compiled("x" + " + x" * 999)[1] == []  # 1,000 names, 999 sums and the line: 2,000
    (problem,) = compiled("x" + " + x" * 1_000)[1]
    assert problem.code == "too-long"
    assert problem.message == "the expression is too long: more than 2,000 names, numbers and operations"


def checked(text):
    """Compile; evaluate what compiles. Anything but problems and OperatorError is a failure of the test."""
    expression, problems = compiled(text, tuple(text.splitlines()))
    for problem in problems:
        assert problem.message
        assert str(problem)
        assert problem.location is None or (problem.location.line >= 1 and problem.location.column >= 1)
    if expression is not None:
        try:
            with np.errstate(all="ignore"):
                made = expression(ARRAYS, np.dtype(float))
        except OperatorError as error:
            assert error.problems[0].location.file == "f.yaml"  # noqa: PT017 (both outcomes are right)
        else:
            assert all(isinstance(array, np.ndarray) for array in made)
    return problems


@given(st.text(max_size=60))
def test_arbitrary_text_only_ever_gives_problems(text):
    checked(text)


TOKENS = [
    *"xyn", "x", "y", "idx", "h", "mode", "flag", "sizes", "0", "1", "-1", "2.5", "'a'", "None", "True", "...",
    *"+-*/@()[]{},.:=<>&|~%^;", "**", "//", "==", "!=", "<=", ":=", "->", "+=", "\n", "\n  ", " ", "#", "\\", "'", "\t",
    "relu", "sum", "where", "reshape", "concatenate", "np", "np.exp", "np.pi", ".T", ".sum", "axis=0", "key", "dict",
    "lambda", "if", "else", "for", "in", "not", "and", "or", "import", "def", "f'", "_", "__class__", "*x", "**x",
    "\N{LATIN SMALL LETTER O WITH DIAERESIS}", "\N{MULTIPLICATION SIGN}", "\f",
]  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=14).map("".join))
def test_random_tokens_only_ever_give_problems(text):
    checked(text)


def grown(inner):
    """Extend a strategy for parts of the language by one level."""
    pair = st.tuples(inner, inner)
    listed = st.lists(inner, max_size=3).map(", ".join)
    return st.one_of(
        st.tuples(
            inner, st.sampled_from(["+", "-", "*", "/", "**", "@", "//", "%", "<", "==", "&", "|", "^"]), inner
        ).map(" ".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("~{}".format),
        inner.map("{}.T".format),
        listed.map("[{}]".format),
        listed.map("({},)".format),
        st.tuples(inner, listed).map(lambda parts: "{}[{}]".format(*parts)),
        pair.map(lambda parts: "x[{}:{}]".format(*parts)),
        st.tuples(st.sampled_from(["relu", "sum", "where", "reshape", "concatenate", "clip", "rleu", "x"]), listed).map(
            lambda parts: "{}({})".format(*parts)
        ),
        st.tuples(inner, st.sampled_from(["sum", "reshape", "getitem", "nothing"]), listed).map(
            lambda parts: "{}.{}({})".format(*parts)
        ),
        pair.map(lambda parts: "sum({}, axis={})".format(*parts)),
        pair.map(lambda parts: "h = {}\n{} + h".format(*parts)),
        pair.map(lambda parts: "h, k = {}\n{} + h + k".format(*parts)),
    )


LEAVES = st.sampled_from(
    ["x", "y", "idx", "n", "mode", "flag", "sizes", "0", "1", "2", "1.5", "1e300", "'a'", "None", "...", "h", "np.pi"]
)


@given(st.recursive(LEAVES, grown, max_leaves=8))
def test_random_expressions_only_ever_give_problems_or_values(text):
    checked(text)


ARITHMETIC = st.recursive(
    st.sampled_from(["x", "y", "n", "1", "2", "3.0", "0.5", "1e-3", "np.pi"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda parts: "({} {} {})".format(*parts)),
        inner.map("(-{})".format),
        inner.map("np.tanh({})".format),
        inner.map("({}**2)".format),
        st.tuples(inner, inner).map(lambda parts: "np.where({} > {}, x, y)".format(*parts)),
    ),
    max_leaves=12,
)


NUMBER = re.compile(r"(?<![\w.])\d[\d.]*(?:e-?\d+)?")


class Reference:
    """NumPy's functions and constants, in one floating type."""

    tanh = staticmethod(np.tanh)
    where = staticmethod(np.where)

    def __init__(self, made):
        self.pi = made(np.pi)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@given(text=ARITHMETIC)
def test_random_arithmetic_is_that_of_numpy_to_the_last_bit(dtype, text):
    """The reference is Python itself, with every number made one of the floating type."""
    text = f"x + {text}"
    expression, problems = compiled(text)
    made = np.dtype(dtype).type
    arrays = {name: array.astype(dtype) for name, array in ARRAYS.items()}
    with np.errstate(all="ignore"):
        expected = eval(NUMBER.sub(r"made(\g<0>)", text), {"np": Reference(made), "made": made, "n": made(2), **arrays})
        if problems:
            assert {problem.code for problem in problems} == {"wrong-number"}
            return
        (value,) = expression(arrays, np.dtype(dtype))
    assert value.dtype == dtype
    np.testing.assert_array_equal(value, expected)
