"""Unquoted words: YAML 1.2 and nothing of YAML 1.1's surprises."""

import math

import pytest

from gradcheck_cli.spec.text.scalars import read_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("1E+3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-3", -3),
        ("+3", 3),
        ("-0.25e1", -2.5),
        ("010", 10),
        ("0", 0),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("+.INF", math.inf),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_word_has_the_value_that_yaml_1_2_gives_it(text, value):
    read = read_plain(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "on",
        "off",
        "yes",
        "no",
        "y",
        "0x10",
        "0o7",
        "1_000",
        "12:30:45",
        "2024-01-01",
        "1e",
        ".",
        "e5",
        "-",
        "tRUE",
        "inf",
        "nan",
        "-.nan",
        "1.2.3",
        "\u0661",
    ],
)
def test_everything_else_is_text(text):
    assert read_plain(text) == text


def test_not_a_number_is_read():
    value = read_plain(".nan")
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize("text", ["1e999", "-1e400", "9" * 309, "1" + "0" * 5000])
def test_number_beyond_float64_is_refused(text):
    with pytest.raises(ValueError, match=r"too large|too many digits"):
        read_plain(text)


def test_longest_integer_is_a_float_too():
    value = read_plain("9" * 308)
    assert isinstance(value, int)
    assert math.isfinite(float(value))
