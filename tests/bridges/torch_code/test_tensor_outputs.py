"""Outputs by the text of a function: works without PyTorch."""

from __future__ import annotations

import math

import pytest

from gradcheck_cli.bridges.torch_code.tensor_outputs import flat, output_names


def one(x):
    return x


def two(x):
    h = x
    return h, 2 * x


def underscores(x):
    _rest = x
    return x, _rest, x


def early(x):
    if x is None:
        return None
    y, z = x
    return y, z


def inner(x):
    def pair():
        return x, x

    return pair()


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (one, ("out",)),
        (two, ("h", "out2")),
        (underscores, ("out1", "out2", "out3")),
        (early, ("y", "z")),
        (inner, ("out",)),
        (math.sin, ("out",)),
        (lambda x: (x, x), ("out",)),
    ],
)
def test_outputs_have_the_names_that_are_returned(function, names):
    assert output_names(function) == names


def test_name_of_an_argument_is_not_taken_for_an_output():
    assert output_names(two, ["h"]) == ("out1", "out2")


def test_containers_are_opened_however_deep():
    assert flat((1, [2, {"a": 3, "b": (4,)}], "text")) == [1, 2, 3, 4, "text"]
    assert flat(5) == [5]
