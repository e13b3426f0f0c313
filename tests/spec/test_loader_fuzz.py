"""Whatever a spec holds, reading it ends in cases or in sentences for people, never in a traceback."""

import json
import math
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.arrays.values import draw_values
from gradcheck_cli.spec.loader import load_spec

LOADER = Loader()
SECONDS = 20
FEW = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])

SPEC = """\
# a network
dims: {batch: 4, hidden: 3}
seed: 7
params: {W: batch hidden, b: {shape: hidden, init: he, sample: 2}}
cases:
  - name: "first"
    inputs:
      x: [[1, 2.5, -3e-2, .5]]
      labels: {shape: batch, below: hidden}
    expr: |
      h = tanh(x @ W + b)
      mean(cross_entropy(h, labels)) + 1e-3 * sum(W**2)
    check: {rtol: 1e-6, dtype: float64}
    expect: pass
  - {expr: sum(W) * s, matrix: {s: [1, 2], batch: [2, 3]}, expect: {W: fail}, value: 1.5}
---
expr: 'log(x)'
params:
  x: {shape: 2 2, low: 0.5, high: 2}
grad: {x: [[1, 2], [3, 4]]}
"""
PIECES = [
    *"[]{}:,-#&*!|>'\"%@`?\t\n ~",
    "  ",
    "\n  ",
    "\n- ",
    ": ",
    "---\n",
    "null",
    "true",
    "on",
    "010",
    "1e-6",
    "1e999",
    ".nan",
    "-.inf",
    "<<: ",
    "*a",
    "&a ",
    "!!int ",
    "expr: ",
    "params: ",
    "inputs: ",
    "dims: ",
    "matrix: ",
    "cases:",
    "check: ",
    "shape: ",
    "value: ",
    "init: he",
    "init: spd",
    "low: 3",
    "below: 2",
    "dtype: int64",
    "avoid: [0]",
    "file: a.npy",
    "ops: x.py",
    "name: ",
    "é",
    "\u202e",
    "lambda x: x",
    "x.__class__",
    "9" * 400,
    "0",
    "-1",
    "10000000",
    "hidden",
    "W",
    "\x00",
    "\u2028",
    "\ud800",
]


def outcome(text):
    """Load a text; return its cases, or none after looking at what was said."""
    start = time.monotonic()
    try:
        cases = load_spec(None, shown="-", text=text, loader=LOADER, given={}, data_only=True)
    except SpecError as error:
        cases, said = (), error.problems
    else:
        said = ()
    assert cases or said
    assert time.monotonic() - start < SECONDS, text
    for problem in said:
        look_at_problem(problem)
    places = [(problem.location.line, problem.location.column) for problem in said]
    assert places == sorted(places), text
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        look_at_arrays(case)
    return cases


def look_at_problem(problem):
    assert problem.location is not None, problem
    assert problem.location.file == "-", problem
    assert problem.location.line >= 1, problem
    assert problem.location.column >= 1, problem
    assert problem.message, problem
    assert problem.code, problem
    assert "Traceback" not in str(problem), problem


def look_at_arrays(case):
    arrays = [*case.parameters, *case.inputs]
    if sum(math.prod(spec.shape) for spec in arrays) > 10_000:
        return
    try:
        values = draw_values(case)
    except SpecError:
        return
    assert {name: array.shape for name, array in values.items()} == {spec.name: spec.shape for spec in arrays}
    assert {name: array.dtype for name, array in values.items()} == {spec.name: spec.dtype for spec in arrays}


def test_spec_that_is_changed_below_is_right():
    assert len(outcome(SPEC)) == 6


@given(st.text())
@example("\ud800")
@example("a: " + "[" * 50)
@FEW
def test_any_text_ends_in_sentences(text):
    outcome(text)


@given(st.binary())
@FEW
def test_any_bytes_end_in_sentences(data):
    outcome(data)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
@FEW
def test_any_pieces_of_the_language_end_in_sentences(pieces):
    outcome("".join(pieces))


@given(
    st.lists(
        st.tuples(st.integers(0, len(SPEC)), st.integers(0, 12), st.sampled_from(["", *PIECES])), min_size=1, max_size=4
    )
)
@settings(FEW, max_examples=400)
def test_any_change_to_a_spec_ends_in_cases_or_sentences(changes):
    text = SPEC
    for start, length, piece in changes:
        text = text[:start] + piece + text[start + length :]
    outcome(text)


@given(st.permutations(SPEC.splitlines()), st.integers(1, 19))
@FEW
def test_any_order_of_its_lines_ends_in_sentences(lines, count):
    outcome("\n".join(lines[:count]))


KEYS = [
    "name",
    "expr",
    "params",
    "inputs",
    "dims",
    "ops",
    "seed",
    "check",
    "matrix",
    "expect",
    "value",
    "grad",
    "cases",
    "shape",
    "init",
    "low",
    "high",
    "avoid",
    "distinct",
    "below",
    "dtype",
    "sample",
    "file",
    "rtol",
    "x",
    "W",
    "n",
]
SCALARS = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        3,
        -1,
        2.5,
        1e-6,
        1e300,
        math.inf,
        math.nan,
        "",
        "x",
        "W",
        "n",
        "n 3",
        "he",
        "spd",
        "uniform",
        "fail",
        "float32",
        "int64",
        "bool",
        "tanh(x)",
        "x @ W + n",
        "sum(x) *",
        "a.npy",
        "a.npz:b",
        "../a.npy",
        "GC203",
        10**18,
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
ARRAYS = st.dictionaries(st.sampled_from(["x", "W", "n"]), VALUES, max_size=3)
CASES = st.fixed_dictionaries(
    {},
    optional={
        "expr": st.sampled_from(["tanh(x)", "x @ W", "sum(x, n)", "x * n + W", "y"]),
        **dict.fromkeys(["params", "inputs", "dims", "matrix", "grad"], ARRAYS),
        **dict.fromkeys(["value", "expect", "check", "ops"], VALUES),
        **dict.fromkeys(["seed", "name"], SCALARS),
    },
)
FORMS = st.sampled_from([3, -2.5, [1, 2], [[1, 2], [3, 4.5]], "n", "n 3", "", {"shape": 5}, {"value": [1, 2]}]) | (
    st.fixed_dictionaries(
        {"shape": st.sampled_from(["n n", "3 3", [2, "n", 2, 2], ""])},
        optional={
            "init": st.sampled_from(["normal", "uniform", "zeros", "ones", "he", "xavier", "spd"]),
            "low": st.integers(-3, 1),
            "high": st.integers(0, 3),
            "avoid": st.sampled_from([0, [], [0.5, 9]]),
            "distinct": st.booleans(),
            "dtype": st.sampled_from(["float32", "float64", "int64", "bool"]),
            "below": st.sampled_from([3, "n"]),
            "sample": st.integers(1, 5),
        },
    )
)
LIKELY = {
    "seed": st.integers(0, 10**20),
    "check": st.sampled_from([{}, {"rtol": 1e-5}, {"dtype": "float32", "sweep": True}]),
    "expect": st.sampled_from(["pass", "fail", {"x": "inconclusive"}]),
    "matrix": st.sampled_from([{}, {"n": [0, 1, 5]}, {"dtype": ["float32", "float64"]}]),
    "value": st.sampled_from([1, [1, 2]]),
}


@st.composite
def likely_cases(draw):
    """Draw a case of which each part is likely to be right."""
    expr = draw(st.sampled_from(["tanh(x)", "x * W + n", "sum(x, axis=n)", "log(x) @ W"]))
    arrays = {"x": draw(FORMS)} | ({"W": draw(FORMS)} if "W" in expr else {})
    inputs = {"W": arrays.pop("W")} if "W" in arrays and draw(st.booleans()) else {}
    case = {"expr": expr, "params": arrays, "inputs": inputs, "dims": {"n": draw(st.integers(0, 4))}}
    for key in draw(st.sets(st.sampled_from(sorted(LIKELY)), max_size=3)):
        case[key] = draw(LIKELY[key])
    return case


def as_yaml(value):
    """JSON is YAML, but for the numbers that it lacks."""
    return json.dumps(value).replace("-Infinity", "-.inf").replace("Infinity", ".inf").replace("NaN", ".nan")


@given(VALUES)
@FEW
def test_any_value_ends_in_sentences(value):
    outcome(as_yaml(value))


@given(CASES, st.lists(CASES, max_size=3))
@FEW
def test_any_case_ends_in_cases_or_sentences(top, cases):
    outcome(as_yaml({**top, **({"cases": cases} if cases else {})}))


@given(likely_cases())
@settings(FEW, max_examples=300)
def test_any_case_of_likely_parts_ends_in_cases_or_sentences(case):
    outcome(as_yaml(case))


@pytest.mark.parametrize(
    "text",
    [
        "x: [" + "1, " * 100_000 + "]",
        "a: &a [1]\n" + "b: *a\n" * 20_000,
        "expr: x\nparams: {x: 3}\n" + "k: 1\n" * 50_000,
        "{" + ", ".join(f"k{i}: 1" for i in range(30_000)) + "}",
        "dims: {" + ", ".join(f"n{i}: 1" for i in range(900)) + "}\nparams: {x: " + "m " * 30 + "}\nexpr: x\n",
        "params: {"
        + ", ".join(f"n{i}: m{i}" for i in range(900))
        + "}\nexpr: "
        + "+".join(f"q{i}" for i in range(400)),
        "expr: x\nparams: {x: " + "9 " * 100_000 + "}",
        "expr: >\n" + "  x +\n\n" * 500 + "  yy\nparams: {x: 3}\n",
        "name: '" + "n" * 500_000 + "'\nexpr: x\nparams: {x: 3}\n",
        "'" + "k" * 500_000 + "': 1\n",
        "expect: " + "f" * 500_000,
        "#" * 1_000_000,
        ":" * 1_000_000,
        "\t" * 1_000_000,
        "- " * 300_000,
        "'" * 1_000_000,
    ],
    ids=lambda text: text[:20].replace("\n", " "),
)
def test_large_texts_end_quickly_and_say_little(text):
    start = time.monotonic()
    with pytest.raises(SpecError) as caught:
        load_spec(None, shown="-", text=text, loader=LOADER, given={}, data_only=True)
    assert time.monotonic() - start < SECONDS
    assert len(str(caught.value)) < 500_000
