"""Arrays that cases share: what is wrong with one is said with the cases in which it is."""

import pytest

from gradcheck_cli import arr, ints, op


@op(x=arr("n"), i=ints("k", below="n"))
def pick(x, i):
    """x[i]."""
    return x[i]


@pick.backward("x")
def _(g, x, i):
    raise NotImplementedError


@op(x=arr(low=1, high=2))
def root(x):
    """The square root of x."""
    return x**0.5


@root.backward
def _(g, out):
    return g / (2 * out)


GIVEN = {"pick": pick.operator, "root": root.operator}
NOT_DIFFERENTIABLE = "i is a parameter, and the operator that takes it takes integers"


@pytest.mark.parametrize(
    ("cases", "named"),
    [
        (["{name: gate, expr: 'pick(x, i)'}", "{name: sum, expr: x + i}"], " (in case 'gate')"),
        (["{name: gate, expr: 'pick(x, i)'}"], " (in case 'gate')"),
        (["{name: gate, expr: 'pick(x, i)'}", "{name: other, expr: tanh(x)}"], " (in case 'gate')"),
        (["{name: a, expr: 'pick(x, i)'}", "{name: b, expr: '2 * pick(x, i)'}"], ""),
        (
            ["{name: a, expr: 'pick(x, i)'}", "{name: b, expr: '2 * pick(x, i)'}", "{name: c, expr: x * i}"],
            " (in cases 'a', 'b')",
        ),
    ],
)
def test_a_parameter_that_some_case_gives_to_an_operator_that_takes_integers(said, cases, named):
    text = f"params: {{x: '3', i: '3'}}\ncases: [{', '.join(cases)}]\n"
    assert said(text, given=GIVEN) == [f"1:18 {NOT_DIFFERENTIABLE}{named} [not-differentiable] (move i to inputs)"]


def test_a_dim_that_some_case_does_not_have(said):
    text = "params: {x: n 2}\ncases:\n  - {name: a, expr: exp(x), dims: {n: 3}}\n  - {name: b, expr: tanh(x)}\n"
    assert said(text) == ["1:13 no dim is named 'n' (in case 'b') [unknown-dim] (give it a size: dims: {n: 3})"]


def test_bounds_that_cross_those_of_the_operator_of_some_case(said):
    text = "params: {x: {shape: 3, low: 5}}\ncases: [{name: a, expr: root(x)}, {name: b, expr: tanh(x)}]\n"
    (found,) = said(text, given=GIVEN)
    assert found.startswith("1:24 low: 5 is not below high: 2 (in case 'a') [contradiction]")


def test_all_that_a_matrix_makes_of_a_case_is_one_case(said):
    text = (
        "params: {x: '3', i: '3'}\ncases:\n"
        "  - {name: a, expr: 'pick(x, i) * k', matrix: {k: [1, 2, 3, 4, 5]}}\n  - {name: b, expr: x + i}\n"
    )
    assert said(text, given=GIVEN) == [
        f"1:18 {NOT_DIFFERENTIABLE} (in case 'a') [not-differentiable] (move i to inputs)"
    ]


def test_what_stands_in_the_case_itself_needs_no_name(said):
    text = "cases:\n  - {name: a, expr: 'pick(x, i)', params: {x: '3', i: '3'}}\n  - {expr: tanh(x), params: {x: 1}}\n"
    assert said(text, given=GIVEN) == [f"2:52 {NOT_DIFFERENTIABLE} [not-differentiable] (move i to inputs)"]
    alone = "expr: pick(x, i)\nparams: {x: '3', i: '3'}\n"
    assert said(alone, given=GIVEN) == [f"2:18 {NOT_DIFFERENTIABLE} [not-differentiable] (move i to inputs)"]
