"""Parameters and inputs: the forms that they take, and what doesn't go together."""

import numpy as np
import pytest


@pytest.fixture
def array(load, operators, tmp_path):
    """Return the record of one array of a one-case spec."""
    np.save(tmp_path / "floats.npy", np.arange(3.0))
    np.save(tmp_path / "whole.npy", np.arange(3))
    np.save(tmp_path / "flags.npy", np.array([True, False, True]))

    def record(name, text, **options):
        (case,) = load(text, given=operators, **options)
        return next(spec for spec in (*case.parameters, *case.inputs) if spec.name == name)

    return record


@pytest.mark.parametrize(
    ("form", "shape", "value"),
    [
        ("3", (), 3.0),
        ("-1.5", (), -1.5),
        ("[1, 2]", (2,), [1, 2]),
        ("[[1, 2], [3, 4]]", (2, 2), [[1, 2], [3, 4]]),
        ("{value: [1, 2]}", (2,), [1, 2]),
        ("{value: 7, shape: ''}", (), 7),
        ("{file: floats.npy}", (3,), [0, 1, 2]),
        ("{file: whole.npy, shape: n}", (3,), [0, 1, 2]),
        (".inf", (), np.inf),
        ("n", (3,), None),
        ("n 4", (3, 4), None),
        ("4 5", (4, 5), None),
        ("''", (), None),
        ("{shape: 5}", (5,), None),
        ("{shape: n n}", (3, 3), None),
        ("{shape: [2, n]}", (2, 3), None),
        ("{shape: []}", (), None),
    ],
)
def test_forms_of_a_parameter(array, form, shape, value):
    spec = array("x", f"expr: tanh(x)\ndims: {{n: 3}}\nparams:\n  x: {form}\n")
    assert spec.shape == shape
    assert spec.dtype == "float64"
    assert str(spec.location) == "spec.grad.yaml:4:3"
    if value is None:
        assert spec.value is None
    else:
        assert spec.value.dtype == np.float64
        np.testing.assert_array_equal(spec.value, value)


@pytest.mark.parametrize(
    ("expr", "form", "dtype", "below"),
    [
        ("x * i", "n", "float64", None),
        ("x * i", "[1, 2, 3]", "float64", None),
        ("x * i", "{shape: n, below: 2}", "int64", 2),
        ("x * i", "{shape: n, below: k}", "int64", 5),
        ("x * i", "{shape: n, below: 2, dtype: int32}", "int64", 2),
        ("x * i", "{value: [1, 2, 0], dtype: int64}", "int64", None),
        ("x * i", "{value: [1, 2, 0], below: 3}", "int64", 3),
        ("x * i", "{shape: n, dtype: int64, init: zeros}", "int64", None),
        ("x * i", "{shape: n, dtype: float32}", "float32", None),
        ("x * i", "{shape: n, dtype: bool}", "bool", None),
        ("x * i", "{file: whole.npy}", "int64", None),
        ("x * i", "{file: whole.npy, dtype: float64}", "float64", None),
        ("x * i", "{file: floats.npy}", "float64", None),
        ("x * i", "{file: flags.npy}", "bool", None),
        ("x * i", "[true, false, true]", "bool", None),
        ("pick_three(x, i)", "n", "int64", 3),
        ("pick_three(x, i)", "[2, 0]", "int64", 3),
        ("pick_three(x, i)", "[2.0, 0]", "int64", 3),
        ("pick_three(x, i)", "{shape: n, below: 2}", "int64", 2),
        ("pick(x, i)", "{shape: n, below: 2}", "int64", 2),
        ("pick(x, i)", "n", "int64", 4),
        ("pick(x, i)", "[1, 1]", "int64", 4),
        ("hide(x, i)", "n", "bool", None),
        ("hide(x, i)", "[true, false, false]", "bool", None),
        ("hide(x, i)", "[1, 0, 1]", "bool", None),
    ],
)
def test_inputs_have_the_type_that_spec_and_operator_ask_for(array, expr, form, dtype, below):
    text = f"expr: {expr}\ndims: {{n: 3, k: 5, classes: 4}}\nparams: {{x: n}}\ninputs:\n  i: {form}\n"
    spec = array("i", text)
    assert (spec.dtype, spec.below) == (dtype, below)
    assert spec.value is None or spec.value.dtype == dtype


def test_floating_type_of_the_case_is_that_of_its_arrays(array):
    text = "expr: x * i\nparams: {x: [1, 2]}\ninputs: {i: '2'}\ncheck: {dtype: float32}\n"
    assert array("x", text).dtype == array("i", text).dtype == "float32"
    assert array("x", text).value.dtype == np.float32


def test_what_is_drawn_from_is_recorded(array):
    assert array("x", "expr: root(x)\nparams: {x: '3'}\n").domain.low == 1
    own = array("x", "expr: root(x)\nparams: {x: {shape: 3, high: 1.5, avoid: [1.2, 1.3], distinct: true}}\n").domain
    assert (own.low, own.high, own.avoid, own.distinct) == (1, 1.5, (1.2, 1.3), True)
    uniform = array("x", "expr: root(x)\nparams: {x: {shape: 3, init: uniform, avoid: 0.5}}\n")
    assert (uniform.init, uniform.domain.low, uniform.domain.high, uniform.domain.avoid) == ("uniform", 0, 1, (0.5,))
    assert array("x", "expr: tanh(x)\nparams: {x: {shape: 3, sample: 2}}\n").sample == 2


CONTRADICTIONS = [
    ("{value: 1, file: floats.npy}", "x has both a value and a file", "keep one of them"),
    ("{low: 1}", "x has no shape, no value and no file", "shape: '' is a single number"),
    ("{value: [1, 2], shape: 3}", "the value of x is 2, its shape says 3", ""),
    ("{file: floats.npy, shape: 3 1}", "the file of x is 3, its shape says 3\u00d71", ""),
    (
        "{value: 1, init: he}",
        "'init' means nothing beside a value",
        "init is about arrays that are drawn: leave it or the value out",
    ),
    (
        "{file: floats.npy, low: 1}",
        "'low' means nothing beside a file",
        "low is about arrays that are drawn: leave it or the file out",
    ),
    (
        "{shape: 3, init: zeros, low: 1}",
        "'low' means nothing with init: zeros",
        "bounds go with init: uniform, or with no init",
    ),
    (
        "{shape: 3, init: he, avoid: 1}",
        "'avoid' means nothing with init: he",
        "bounds go with init: uniform, or with no init",
    ),
    ("{shape: 3, below: 2}", "'below' is for integers, and the parameter x is differentiated", "make it an input"),
    ("{shape: 3, dtype: int64}", "a parameter is differentiated, so it can't be int64", "make it an input"),
    ("{shape: 3, dtype: bool}", "a parameter is differentiated, so it can't be bool", "make it an input"),
    ("{shape: 3, dtype: flot64}", "no dtype 'flot64'", "did you mean 'float64'?"),
    ("{shape: 3, low: 2, high: 1}", "low: 2 is not below high: 1", ""),
    ("{shape: 3, low: 2, high: 2}", "low: 2 is not below high: 2", ""),
    ("{shape: 3, low: .inf}", "low should be a finite number", "for no bound leave it out"),
    ("{shape: 3, high: .nan}", "high should be a finite number", "for no bound leave it out"),
    (
        "{shape: 3, init: uniform, low: 2}",
        "low: 2 is not below high: 1",
        "give high as well: 1 is the one of init: uniform",
    ),
    ("{shape: 3 4, init: spd}", "a symmetric positive definite matrix is square, and x is 3\u00d74", ""),
    ("{shape: 3, init: spd}", "a symmetric positive definite matrix is square, and x is 3", ""),
    ("[1, true]", "x mixes numbers with true", ""),
    ("[true, false]", "x should hold numbers, not true and false", ""),
    ("{file: flags.npy}", "x should hold numbers, not true and false", ""),
    ("{file: none.npy}", "no file 'none.npy'", ""),
    ("{value: 1e300, dtype: float32}", "x holds a number that is too large for float32", ""),
    ("[[1, 2], [3]]", "ragged list: 1 element here, 2 in the first one", "all lists of one level have the same length"),
]


@pytest.mark.parametrize(("form", "message", "hint"), CONTRADICTIONS, ids=[form for form, _, _ in CONTRADICTIONS])
def test_contradiction_in_a_parameter_is_said(array, problems, form, message, hint):
    found = problems(f"expr: tanh(x)\nparams:\n  x: {form}\n")
    assert [(problem.message, problem.hint) for problem in found] == [(message, hint)]
    assert found[0].location.line == 3


IN_INPUTS = [
    ("x * i", "{shape: 3, sample: 2}", "'sample' is for parameters: the input i isn't checked"),
    ("x * i", "{shape: 3, dtype: int64}", "i is drawn as integers, and nothing says below which number"),
    ("x * i", "{shape: 3, below: m}", "no dim is named 'm'"),
    ("x * i", "{shape: 3, below: zero}", "'zero' is 0, and no whole number is below it"),
    ("x * i", "{shape: 3, below: 2, dtype: float64}", "'below' is for integers, and the dtype is float64"),
    ("x * i", "{shape: 3, below: 2, low: 1}", "'low' is for floating-point numbers"),
    ("x * i", "{shape: 3, below: 2, init: normal}", "'init: normal' is for floating-point numbers"),
    ("x * i", "{shape: 3, dtype: bool, init: he}", "'init: he' is for floating-point numbers"),
    ("x * i", "{value: [1, 5, 0], below: 3}", "i holds numbers that are not from 0 to 2"),
    ("x * i", "{value: [1, -1, 0], below: 3}", "i holds numbers that are not from 0 to 2"),
    ("x * i", "{value: [1, 0.5, 0], below: 3}", "i should hold whole numbers"),
    ("x * i", "{value: [true, false, true], below: 3}", "i should hold whole numbers, not true and false"),
    ("x * i", "{value: [1, 2, 0], dtype: bool}", "i should hold true and false"),
    ("pick_three(x, i)", "[0, 1.5]", "i should hold whole numbers"),
    ("pick_three(x, i)", "[0, .nan]", "i should hold whole numbers"),
    ("pick_three(x, i)", "{file: halves.npy}", "i should hold whole numbers"),
    ("pick_three(x, i)", "[99999999999999999999]", "i should hold whole numbers"),
    ("pick_three(x, i)", "{shape: 3, dtype: float64}", "the operator that takes i takes integers"),
    ("pick(x, i)", "'3'", "i is drawn as integers, and nothing says below which number"),
    ("hide(x, i)", "{shape: 3, below: 2}", "the operator that takes i takes booleans"),
    ("hide(x, i)", "[0, 2, 1]", "i should hold true and false"),
]


@pytest.mark.parametrize(("expr", "form", "message"), IN_INPUTS, ids=[f"{expr} {form}" for expr, form, _ in IN_INPUTS])
def test_contradiction_in_an_input_is_said(problems, operators, tmp_path, expr, form, message):
    np.save(tmp_path / "halves.npy", np.array([0.5]))
    found = problems(f"expr: {expr}\ndims: {{zero: 0}}\nparams: {{x: '3'}}\ninputs:\n  i: {form}\n", given=operators)
    assert [problem.message for problem in found] == [message]
    assert found[0].location.line == 5


def test_first_number_of_a_wrong_kind_is_pointed_at(said, operators):
    text = "expr: pick_three(x, i)\nparams: {x: '3'}\ninputs: {i: [0, 1, 1.5, 2.5]}\n"
    assert said(text, given=operators) == ["3:20 i should hold whole numbers [wrong-type]"]
    text = "expr: tanh(x)\nparams:\n  x: [[1, 2], [3, true]]\n"
    assert said(text) == ["3:19 x mixes numbers with true [wrong-type]"]


def test_parameter_where_an_operator_takes_integers_is_refused(said, operators):
    text = "expr: pick_three(x, i)\nparams: {x: '3', i: '2'}\n"
    assert said(text, given=operators) == [
        "2:18 i is a parameter, and the operator that takes it takes integers [not-differentiable] (move i to inputs)"
    ]


@pytest.mark.parametrize(
    "arrays",
    [
        "params: {x: 2 3, t: 2 3}",
        "params: {x: 2 3}\ninputs: {t: {shape: 2 3}}",
        "params: {x: 2 3}\ninputs: {t: {shape: 2 3, below: 3, low: 0}}",
        "params: {x: 2 3}\ninputs: {t: {shape: 2 3, dtype: float64}}",
        "params: {x: 2 3}\ninputs: {t: [[0.5, 0.5, 0], [0, 0, 1]]}",
    ],
)
def test_floats_where_integers_are_taken_are_sent_where_they_belong(problems, arrays):
    (problem,) = problems(f"expr: cross_entropy(x, t)\n{arrays}\n")
    assert problem.hint.endswith("soft_cross_entropy takes probabilities")
    (problem,) = problems(f"expr: nll_loss(x, t)\n{arrays}\n")
    assert "soft_cross_entropy" not in problem.hint


def test_bounds_that_cross_those_of_the_operator_are_refused(said, operators):
    assert said("expr: root(x)\nparams: {x: {shape: 3, low: 5}}\n", given=operators) == [
        "2:24 low: 5 is not below high: 2 [contradiction] (give high as well: 2 is the one that the operator declares)"
    ]


def test_positive_definite_domain_needs_a_square_matrix_and_no_bounds(said, operators):
    assert said("expr: factor(A)\nparams: {A: 3 4}\n", given=operators) == [
        "2:13 a symmetric positive definite matrix is square, and A is 3\u00d74 [wrong-shape]"
    ]
    assert said("expr: factor(A)\nparams: {A: {shape: 3 3, low: 1}}\n", given=operators) == [
        "2:26 'low' means nothing for a symmetric positive definite matrix [contradiction] "
        "(the operator that takes A asks for one)"
    ]
