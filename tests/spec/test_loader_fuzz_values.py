"""Whatever values the keys of a spec have, reading it ends in cases or in sentences for people."""

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spec.outcomes import FEW, outcome

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
