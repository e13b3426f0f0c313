"""Shapes: words and sizes, and what is said about other things."""

import pytest

from gradcheck_cli.spec.arrays.shapes import read_shape, shape_text, shape_words
from gradcheck_cli.spec.text.nodes import Mark

SPACES = "(words and sizes have spaces between them: batch 3)"
DIMS = {"batch": 4, "hidden": 5, "none": 0, "half": 0.5, "lost": ...}


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("batch hidden", (4, 5)),
        ("'  batch   3 '", (4, 3)),
        ("7", (7,)),
        ("'007'", (7,)),
        ("''", ()),
        ("[]", ()),
        ("[batch, 3, 2 hidden]", (4, 3, 2, 5)),
        ("none 3", (0, 3)),
        ("3162 3162", (3162, 3162)),
        ("1 " * 31 + "1", (1,) * 32),
    ],
)
def test_words_and_sizes_make_a_shape(document, text, shape):
    node, found = document(f"shape: {text}")
    assert read_shape(node.items["shape"], DIMS, found) == shape
    assert len(found) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("batch hiden", ["1:14 no dim is named 'hiden' [unknown-dim] (did you mean 'hidden'?)"]),
        (
            "zz 3 'q'",
            [
                "1:8 no dim is named 'zz' [unknown-dim] (give it a size: dims: {zz: 3})",
                f"1:13 ''q'' is no size and no name of a dim [wrong-shape] {SPACES}",
            ],
        ),
        (
            "'4,5'",
            ["1:9 '4,5' is no size and no name of a dim [wrong-shape] (words and sizes have spaces between them: 4 5)"],
        ),
        (
            "4x5",
            ["1:8 '4x5' is no size and no name of a dim [wrong-shape] (words and sizes have spaces between them: 4 5)"],
        ),
        (
            "(4, 5)",
            [
                f"1:8 '(4,' is no size and no name of a dim [wrong-shape] {SPACES}",
                f"1:12 '5)' is no size and no name of a dim [wrong-shape] {SPACES}",
            ],
        ),
        (
            "-3 2",
            ["1:8 '-3' is no size and no name of a dim [wrong-shape] (a number is written in decimal digits alone)"],
        ),
        (
            "1_000",
            ["1:8 '1_000' is no size and no name of a dim [wrong-shape] (a number is written in decimal digits alone)"],
        ),
        (
            "...",
            [f"1:8 '...' is no size and no name of a dim [wrong-shape] {SPACES}"],
        ),
        ("nan", ["1:8 no dim is named 'nan' [unknown-dim] (the number is written .nan)"]),
        ("half", ["1:8 'half' is 0.5 here, which is no size [wrong-type]"]),
        (
            "3163 3163",
            [
                "1:8 an array has at most 10,000,000 elements, not 3163\u00d73163 [too-large] "
                "(check a smaller one: a gradient is right at every size)"
            ],
        ),
        (
            "99999999999999999999",
            [
                "1:8 an array has at most 10,000,000 elements, not 99999999999999999999 [too-large] "
                "(check a smaller one: a gradient is right at every size)"
            ],
        ),
        (
            "0 10000001",
            [
                "1:8 an array has at most 10,000,000 elements, not 0\u00d710000001 [too-large] "
                "(check a smaller one: a gradient is right at every size)"
            ],
        ),
        ("1 " * 33, ["1:8 an array has at most 32 axes, not 33 [too-large]"]),
        (
            "'²'",
            [f"1:9 '²' is no size and no name of a dim [wrong-shape] {SPACES}"],
        ),
    ],
)
def test_what_is_no_shape_is_said_at_its_word(document, found_in, text, expected):
    node, found = document(f"shape: {text}")
    assert read_shape(node.items["shape"], DIMS, found) is None
    assert found_in(found) == expected


def test_dim_that_was_reported_is_silent(document):
    node, found = document("shape: lost 3")
    assert read_shape(node.items["shape"], DIMS, found) is None
    assert len(found) == 0


def test_words_have_positions(document):
    node, _ = document("a: 'x  y'\nb: [z, 3]\nc: |\n  u v\n")
    assert list(shape_words(node.items["a"])) == [("x", Mark(1, 5)), ("y", Mark(1, 8))]
    assert list(shape_words(node.items["b"])) == [("z", Mark(2, 5)), ("3", Mark(2, 8))]
    assert [word for word, _ in shape_words(node.items["c"])] == ["u", "v"]


def test_shape_is_written_for_people():
    assert [shape_text(shape) for shape in ((), (3,), (4, 8))] == ["a single number", "3", "4\u00d78"]
