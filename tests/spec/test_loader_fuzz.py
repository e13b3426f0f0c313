"""Whatever the text of a spec is, reading it ends in cases or in sentences for people, never in a traceback."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.loader import load_spec
from tests.spec.outcomes import FEW, LOADER, SECONDS, outcome

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
