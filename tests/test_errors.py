"""Errors for people: places, carets, near names, hostile text, and the way between processes."""

import pickle
import unicodedata

import pytest

from gradcheck_cli.errors import (
    ContractViolation,
    GradcheckError,
    Location,
    OperatorError,
    Problem,
    SpecError,
    near,
    printable,
)


@pytest.mark.parametrize(
    ("location", "text"),
    [(Location("a.py"), "a.py"), (Location("a.py", 3), "a.py:3"), (Location("a.py", 3, 7), "a.py:3:7")],
    ids=str,
)
def test_a_location_shows_what_is_known(location, text):
    assert str(location) == text


def test_a_problem_has_a_line_a_caret_and_a_hint():
    problem = Problem("unknown key 'exp'", Location("a.yaml", 1, 3), "unknown-key", "did you mean 'expr'?", "  exp: x")
    assert str(problem).splitlines() == [
        "a.yaml:1:3: error: unknown key 'exp' [unknown-key]",
        "    exp: x",
        "    ^",
        "  hint: did you mean 'expr'?",
    ]


def test_what_is_not_known_is_left_out():
    assert str(Problem("something")) == "error: something"
    assert str(Problem("something", Location("a.py", 2), source="x = 1")) == "a.py:2: error: something\n  x = 1"
    assert str(Problem("something", hint="do this")) == "error: something\n  hint: do this"


def cells(text):
    """The cells of a terminal that a text takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


@pytest.mark.parametrize(
    "source",
    ["x: @", "\t\tx: @", "汉字: @", "e\u0301te\u0301: @", "\u202ex: @", "\x1b[31mx: @", "\U0001f600: @"],
    ids=["plain", "tabs", "wide", "combining", "bidi", "escape", "emoji"],
)
def test_the_caret_stands_under_its_column(source):
    problem = Problem("here", Location("a.yaml", 1, source.index("@") + 1), source=source)
    _, line, caret = str(problem).splitlines()
    assert cells(line[: line.index("@")]) == caret.index("^")
    assert caret.strip() == "^"


def test_a_column_behind_the_line_still_has_a_caret():
    assert str(Problem("here", Location("a.yaml", 1, 99), source="ab")).splitlines()[2] == "    ^"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, größe, 汉字 x", "plain text, größe, 汉字 x"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\x9b0m", r"\x9b0m"),
        ("abc\u202ecba", r"abc\u202ecba"),
        ("a\u2066b\u2069", r"a\u2066b\u2069"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("a\u2028b\u2029c\x85", r"a\u2028b\u2029c\x85"),
        ("\udcff", r"\udcff"),
        ("\ue000", r"\ue000"),
    ],
    ids=ascii,
)
def test_what_would_move_a_cursor_or_reorder_a_line_is_escaped(text, shown):
    assert printable(text) == shown
    assert len(printable(text).splitlines()) == 1
    assert printable(text).isprintable()


def test_every_part_of_a_problem_is_printable():
    hostile = "\x1b]0;x\x07\n\u202e"
    text = str(Problem(hostile, Location(hostile, 1, 1), hostile, hostile, hostile))
    assert len(text.splitlines()) == 4
    assert all(line.isprintable() for line in text.splitlines())


def test_a_near_name_is_a_sentence():
    assert near("exprs", ["params", "expr"]) == "did you mean 'expr'?"
    assert near("zzz", ["params", "expr"]) == ""
    assert near("mse", ["smooth_mse_loss", "mse_loss", "mean"]) == "did you mean 'mse_loss'?"
    assert near("attention", ["scaled_dot_product_attention", "tan"]) == "did you mean 'scaled_dot_product_attention'?"
    assert near("x", []) == ""


def test_an_error_holds_one_problem_or_several():
    one, other = Problem("one"), Problem("other", Location("a.py", 2))
    assert GradcheckError(one).problems == (one,)
    assert SpecError(problem for problem in (one, other)).problems == (one, other)
    assert str(OperatorError([one, other])) == "error: one\na.py:2: error: other"


def test_a_violation_names_the_finding_and_the_operator():
    error = ContractViolation("gradient-shape", "the gradient of x is wrong", "relu", Location("a.py", 3), "sum it")
    assert (error.finding, error.operator, error.message) == ("gradient-shape", "relu", "the gradient of x is wrong")
    assert str(error) == "a.py:3: error: relu: the gradient of x is wrong [gradient-shape]\n  hint: sum it"
    assert isinstance(error, GradcheckError)


@pytest.mark.parametrize(
    "error",
    [
        SpecError([Problem("one"), Problem("other", Location("a.py", 2), "code", "hint", "source")]),
        OperatorError(Problem("one")),
        ContractViolation("gradient-count", "message", "relu", None, "hint"),
    ],
    ids=["spec", "operator", "contract"],
)
def test_errors_pass_between_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert again.problems == error.problems
    assert str(again) == str(error)
    assert vars(again) == vars(error)
