"""Positions inside a text: each style of YAML is followed back to the file."""

import pytest

from gradcheck_cli.spec.text.text_place import place_of


def mark_in_file(document, text, word):
    """Where `word`, found in the value of `expr`, is said to stand in the file."""
    node, found = document(text)
    scalar = node.items["expr"]
    offset = scalar.text.index(word)
    line = scalar.text.count("\n", 0, offset) + 1
    column = offset - (scalar.text.rfind("\n", 0, offset) + 1) + 1
    location = place_of(scalar, found).at(line, column)
    return location.line, location.column, found.lines


@pytest.mark.parametrize(
    "text",
    [
        "expr: tanh(WORD) + 1\n",
        "a: 1\nexpr:   tanh(x)   +   WORD\n",
        "expr: 'it''s(x, ''a'') + WORD'\n",
        'expr: "a\\tb\\\\ \\x41 \\u0041 \\U00000041 \\" + WORD"\n',
        'expr: "tanh(x)\\n+ WORD"\n',
        "expr: |\n  h = x\n  WORD + 1\n",
        "expr: |2-\n    h = x\n  y = WORD\n",
        "expr: |\n\n  h = x\n\n  y +\n    WORD\n",
        "a:\nexpr: |  # with a comment\n      h = 1\n      WORD\n",
        "expr: >\n  h +\n  x * WORD\n",
        "expr: >-\n\n  h +\n\n  x +\n   y * WORD\n",
        "expr: tanh(x) +\n  tanh(y) +\n\n  WORD\n",
        "expr: 'x +\n\n   y +\n  WORD'\n",
        'expr: "x + \\\n   y +\n  WORD"\n',
        "expr: 'ü + WORD'\n",
        "{expr: x + WORD, b: c}\n",
    ],
)
def test_word_is_found_where_it_stands(document, text):
    line, column, lines = mark_in_file(document, text, "WORD")
    assert lines[line - 1][column - 1 : column + 3] == "WORD", (line, column)


def test_start_of_a_text_is_its_first_character(document):
    node, found = document("expr: 'x'\n")
    place = place_of(node.items["expr"], found)
    assert (place.line, place.column) == (1, 8)
    assert str(place.at()) == "spec.yaml:1:8"


def test_position_behind_the_text_is_its_end(document):
    node, found = document("expr: (x\nb: 1\n")
    place = place_of(node.items["expr"], found)
    assert [str(place.at(1, column)) for column in (2, 3, 9)] == ["spec.yaml:1:8", "spec.yaml:1:9", "spec.yaml:1:9"]


def test_empty_text_has_a_place(document):
    node, found = document("expr: ''\n")
    assert str(place_of(node.items["expr"], found).at(1, 1)) == "spec.yaml:1:8"


def test_problem_shows_the_line_of_the_file(document):
    node, found = document("a: 1\nexpr: |\n  h = x\n  y = zz\n")
    problem = place_of(node.items["expr"], found).problem("undefined name 'zz'", "undefined-name", line=2, column=5)
    assert str(problem).splitlines() == [
        "spec.yaml:4:7: error: undefined name 'zz' [undefined-name]",
        "    y = zz",
        "        ^",
    ]


def test_problem_in_a_long_line_shows_none(document):
    node, found = document("expr: x + " + "y" * 300 + "\n")
    assert place_of(node.items["expr"], found).problem("undefined", "undefined-name").source == ""
