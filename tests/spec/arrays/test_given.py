"""Numbers that a spec writes out."""

import numpy as np
import pytest

from gradcheck_cli.spec.arrays.given import GivenValues


@pytest.mark.parametrize(
    ("text", "dtype", "values"),
    [
        ("3", "int64", 3),
        ("3.0", "float64", 3.0),
        ("[1, 2]", "int64", [1, 2]),
        ("[1, 2.5]", "float64", [1, 2.5]),
        ("[[1, 2], [3, 4], [5, 6]]", "int64", [[1, 2], [3, 4], [5, 6]]),
        ("[true, false]", "bool", [True, False]),
        ("[]", "float64", []),
        ("[[], []]", "float64", [[], []]),
        ("[.inf, -.inf]", "float64", [np.inf, -np.inf]),
        ("99999999999999999999", "float64", 1e20),
    ],
)
def test_lists_become_arrays(document, text, dtype, values):
    node, found = document(f"v: {text}")
    array = GivenValues(found).read(node.items["v"], "v")
    assert array.dtype == dtype
    assert array.shape == np.shape(values)
    np.testing.assert_array_equal(array, values)
    assert not array.flags.writeable
    assert len(found) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[1, 2], [3]]", ["1:13 ragged list: 1 element here, 2 in the first one [ragged-list]"]),
        ("[1, [2]]", ["1:8 ragged list: here is a list, where the first item is a number [ragged-list]"]),
        ("[[1], 2]", ["1:10 ragged list: here is the number 2, where the first item is a list [ragged-list]"]),
        (
            "[[1, 2], [3], [4]]",
            [
                "1:13 ragged list: 1 element here, 2 in the first one [ragged-list]",
                "1:18 ragged list: 1 element here, 2 in the first one [ragged-list]",
            ],
        ),
        ("[1, two]", ["1:8 v should be numbers, not the text 'two' [wrong-type]"]),
        ("[1, ~]", ["1:8 v should be numbers, not empty [wrong-type]"]),
        ("[1, {a: 1}]", ["1:8 v holds a mapping among its numbers [wrong-type]"]),
        ("[1, true, 2.5]", ["1:8 v mixes numbers with true [wrong-type]"]),
        ("[" * 33 + "1" + "]" * 33, ["1:4 an array has at most 32 axes, not 33 [too-large]"]),
    ],
)
def test_what_is_no_array_is_said_where_it_stands(document, found_in, text, expected):
    node, found = document(f"v: {text}")
    assert GivenValues(found).read(node.items["v"], "v") is None
    assert [line.split(" (")[0] for line in found_in(found)] == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[1 2 3]", "commas go between numbers: [1, 2, 3]"),
        ("[[1, 2], [3 -4e1, 5]]", "commas go between numbers: [3, -4e1]"),
        ("[one two]", "a number is written in decimal digits"),
        (f"[1 {'9' * 400}]", "a number is written in decimal digits"),
    ],
)
def test_what_was_meant_is_said(document, found_in, text, hint):
    node, found = document(f"v: {text}")
    assert GivenValues(found).read(node.items["v"], "v") is None
    assert any(line.endswith(f"({hint})") for line in found_in(found)), found_in(found)


def test_value_is_read_once(document):
    node, found = document("v: [1, 2]")
    values = GivenValues(found)
    first = values.read(node.items["v"], "v")
    assert values.read(node.items["v"], "v") is first
    assert values.cast(first, "float64") is values.cast(first, "float64")


def test_number_too_large_for_float32_is_noticed(document):
    node, found = document("v: [1.0, 1e300]\nw: [1.0, .inf]")
    values = GivenValues(found)
    assert values.cast(values.read(node.items["v"], "v"), "float32") is None
    assert values.cast(values.read(node.items["v"], "v"), "float64")[1] == 1e300
    assert values.cast(values.read(node.items["w"], "w"), "float32")[1] == np.inf
