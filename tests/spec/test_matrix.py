"""`matrix:` multiplies a case."""

import numpy as np
import pytest

from gradcheck_cli.spec import cases
from gradcheck_cli.spec.matrix import read_matrix


@pytest.fixture
def combine(document, found_in):
    """Read a matrix; return its combinations and what was said."""

    def combined(text, sizes=()):
        node, found = document(text)
        return read_matrix(node, set(sizes), found), found_in(found)

    return combined


def test_product_is_made_in_order_with_readable_names(combine):
    combinations, said = combine("slope: [0.1, 1e-2]\nn: [3, 4]\n")
    assert said == []
    assert [combination.suffix for combination in combinations] == [
        "[slope=0.1,n=3]",
        "[slope=0.1,n=4]",
        "[slope=1e-2,n=3]",
        "[slope=1e-2,n=4]",
    ]
    assert combinations[3].values == {"slope": 0.01, "n": 4}


def test_all_kinds_of_values_are_taken(combine):
    combinations, said = combine("v: [1, 2.5, abc, 'on', true, ~, [0, 1], [[2], a]]")
    assert said == []
    assert [combination.values["v"] for combination in combinations] == [
        1,
        2.5,
        "abc",
        "on",
        True,
        None,
        (0, 1),
        ((2,), "a"),
    ]
    assert combinations[5].suffix == "[v=~]"
    assert combinations[7].suffix == "[v=[[2],a]]"


def test_no_matrix_is_one_case():
    (combination,) = read_matrix(None, set(), None)
    assert (combination.values, combination.suffix) == ({}, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n: []", ["1:4 the matrix lists no values for 'n' [no-values] (leave it out)"]),
        ("n: [1, 2, 1]", ["1:11 the matrix lists 1 twice for 'n' [duplicate-value] (keep one)"]),
        (
            "n: [{a: 1}]",
            ["1:5 'n' can't be a mapping: a matrix lists numbers, texts, booleans and lists [wrong-type]"],
        ),
        (
            "n: [1, [{a: 1}]]",
            ["1:8 'n' can't be a mapping: a matrix lists numbers, texts, booleans and lists [wrong-type]"],
        ),
        ("m: [2, 2.5]", ["1:8 m should be a size: a whole number, 0 or more, not 2.5 [wrong-type]"]),
        ("m: [-1]", ["1:5 m should be a size: a whole number, 0 or more, not -1 [wrong-type]"]),
        ("m: [true]", ["1:5 m should be a size: a whole number, 0 or more, not true [wrong-type]"]),
        ("dtype: [float64, float16]", ["1:18 dtype should be float64 or float32 [wrong-knob]"]),
        ('n: ["a\\nb"]', ["1:5 a value of a matrix is written on one line [wrong-type]"]),
    ],
)
def test_what_is_wrong_with_a_matrix_is_said(combine, text, expected):
    combinations, said = combine(text, ["m"])
    assert said == expected
    assert len(combinations) >= 1


def test_key_without_a_right_value_stays_known(combine):
    combinations, _ = combine("a: [{b: 1}]\nc: [1, 2]\n")
    assert [combination.values for combination in combinations] == [{"c": 1, "a": ...}, {"c": 2, "a": ...}]


@pytest.mark.parametrize(
    "text",
    [
        "a: [" + ", ".join(map(str, range(10_001))) + "]",
        "a: [" + ", ".join(map(str, range(101))) + "]\nb: [" + ", ".join(map(str, range(100))) + "]",
        "\n".join(f"a{i}: [1, 2, 3]" for i in range(900)),
    ],
)
def test_number_of_cases_is_bounded(combine, text):
    combinations, said = combine(text)
    assert len(said) == 1
    assert "more than 10,000" in said[0]
    assert len(combinations) == 1


def test_matrix_sets_dims_constants_and_dtype(load):
    loaded = load(
        """
        name: scaled
        expr: slope * tanh(x)
        dims: {n: 1}
        params: {x: n m}
        matrix: {n: [2, 3], m: [4], slope: [0.5], dtype: [float64, float32]}
        """
    )
    assert [case.name for case in loaded] == [
        "scaled[n=2,m=4,slope=0.5,dtype=float64]",
        "scaled[n=2,m=4,slope=0.5,dtype=float32]",
        "scaled[n=3,m=4,slope=0.5,dtype=float64]",
        "scaled[n=3,m=4,slope=0.5,dtype=float32]",
    ]
    assert [case.parameters[0].shape for case in loaded] == [(2, 4), (2, 4), (3, 4), (3, 4)]
    assert [case.knobs.dtype for case in loaded] == [case.parameters[0].dtype for case in loaded]
    values = {"x": np.ones((2, 4))}
    np.testing.assert_allclose(loaded[0].expression(values, np.dtype("float64"))[0], np.tanh(values["x"]) / 2)


def test_lists_and_nothing_are_attributes(load):
    loaded = load("expr: sum(x, axis=axis)\nparams: {x: 2 3}\nmatrix: {axis: [~, 0, [0, 1]]}\n")
    shapes = [case.expression({"x": np.ones((2, 3))}, np.dtype("float64"))[0].shape for case in loaded]
    assert shapes == [(), (3,), ()]


def test_key_that_nothing_uses_is_said(said):
    text = "expr: tanh(x)\ndims: {n: 3, k: 2}\nparams: {x: n}\nmatrix: {nn: [1, 2], k: [1], n: [2]}\n"
    assert said(text) == [
        "4:10 nothing uses the matrix key 'nn' [unused-matrix] (did you mean 'n'?)",
        "4:22 nothing uses the matrix key 'k' [unused-matrix] (no shape and no expression uses this dim)",
    ]


def test_bound_of_integers_uses_a_key(load):
    loaded = load("expr: x * i\nparams: {x: '3'}\ninputs: {i: {shape: 3, below: k}}\nmatrix: {k: [2, 5]}\n")
    assert [case.inputs[0].below for case in loaded] == [2, 5]


def test_matrix_at_the_top_is_for_the_cases_that_use_it(load, said):
    text = """
        matrix: {n: [2, 3], s: [1]}
        cases:
          - {name: a, expr: s * tanh(x), params: {x: n}}
          - {name: b, expr: tanh(x), params: {x: n}}
          - {name: c, expr: tanh(x), params: {x: '7'}}
        """
    assert [case.name for case in load(text)] == ["a[n=2,s=1]", "a[n=3,s=1]", "b[n=2]", "b[n=3]", "c"]
    assert said(text.replace("s * ", "")) == ["1:21 no case uses the matrix key 's' [unused-matrix] (leave it out)"]


def test_size_that_is_none_is_said_at_the_word(said):
    assert said("expr: tanh(x)\nparams: {x: k}\nmatrix: {k: [2, two]}\n") == [
        "2:13 'k' is 'two' here, which is no size [wrong-type]"
    ]


def test_cost_of_a_matrix_is_bounded(problems, load, monkeypatch):
    monkeypatch.setattr(cases, "_MOST_CHARACTERS", 100)
    text = "expr: tanh(x) + a\nparams: {x: 3}\nmatrix: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n"
    assert [problem.message for problem in problems(text)] == [
        "the expressions of all cases have more than 100 characters"
    ]
    assert len(load(text.replace("9, 10", "9"))) == 9
