"""Where problems stand: syntax errors in plain words, columns in characters, lines of the file."""

import pytest

from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place
from tests.spec.language.refusing import ARRAYS, CONSTANTS, SCOPE, problems_of, said


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"),
    [
        ("", 1, 1, "the expression is empty", "sum(tanh(x))"),
        ("# nothing", 1, 1, "the expression is empty", ""),
        ("relu(x", 1, 5, "'(' is never closed", ""),
        ("x[0", 1, 2, "'[' is never closed", ""),
        ("x)", 1, 2, "')' closes nothing", ""),
        ("(x]", 1, 3, "closing parenthesis ']' does not match opening parenthesis '('", ""),
        ("x +", 1, 4, "this is not an expression", ""),
        ("2x", 1, 1, "this is no number", "2*x"),
        ("x + 'a", 1, 5, "a quote is never closed", ""),
        ("x + 010", 1, 5, "a number doesn't start with 0", ""),
        ("x \N{MULTIPLICATION SIGN} y", 1, 3, "invalid character '\N{MULTIPLICATION SIGN}' (U+00D7)", "write *"),
        ("x\N{SUPERSCRIPT TWO}", 1, 2, "invalid character '\N{SUPERSCRIPT TWO}' (U+00B2)", "write **2"),
        ("clip(x min=1)", 1, 6, "something is missing here", "a comma"),
        ("clip(min=1, x)", 1, 14, "positional argument follows keyword argument", "last"),
        ("relu(x) = y", 1, 1, "only names are assigned to", "h = ..."),
        ("h = x\n  h", 2, 3, "this line is indented differently", "same column"),
        ("x\0", 1, 1, "the text holds a null byte", ""),
        ("x + 1" + "0" * 5000, 1, 1, "this number has too many digits", ""),
    ],
)
def test_a_syntax_error_is_put_in_plain_words(text, line, column, message, hint):
    (problem,) = problems_of(text)
    assert (problem.location.line, problem.location.column, problem.message) == (line, column, message)
    assert hint in problem.hint


def test_columns_count_characters():
    name = "gr\N{LATIN SMALL LETTER O WITH DIAERESIS}\N{LATIN SMALL LETTER SHARP S}e"
    assert said(f"{name} + z")[1] == (1, 9, "undefined name 'z'")
    assert said(f"relu({name}) @ x + rleu(x)")[1] == (1, 19, "unknown operator 'rleu'")
    assert said(f"{name} +* x") == [(1, 8, "this is not an expression")]


def test_a_problem_stands_in_the_file_at_the_place_of_the_text():
    lines = ("expr: |", "  h = relu(x)", "  h + z")
    problems = []
    compile_expression(
        "h = relu(x)\nh + z", scope=SCOPE, arrays=["x"], constants={}, place=Place("a.yaml", 2, 3, lines, 2),
        problems=problems,
    )  # fmt: skip
    assert str(problems[0]).splitlines()[:3] == [
        "a.yaml:3:7: error: undefined name 'z' [undefined-name]",
        "    h + z",
        "        ^",
    ]


def test_every_call_has_a_place_in_the_order_of_evaluation():
    text = "h = relu(x) @ y\n# a comment\nsum(h[0] * (x > 0)\n    + h.T)"
    problems = []
    place = Place("case.yaml", 5, 3, tuple([""] * 4 + text.split("\n")), indent=2)
    made = compile_expression(text, scope=SCOPE, arrays=ARRAYS, constants=CONSTANTS, place=place, problems=problems)
    assert problems == []
    assert [(operator.name, str(where)) for operator, where in made.calls] == [
        ("relu", "case.yaml:5:7"),
        ("matmul", "case.yaml:5:15"),
        ("getitem", "case.yaml:7:7"),
        ("multiply", "case.yaml:7:12"),
        ("transpose", "case.yaml:8:11"),
        ("add", "case.yaml:8:7"),
        ("sum", "case.yaml:7:3"),
    ]
