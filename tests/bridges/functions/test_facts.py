"""What is known of a pair before it is called: names of outputs, words that can be said, and hints."""

from __future__ import annotations

import pytest

from gradcheck_cli.bridges.functions.conventions import Operand, Setting
from gradcheck_cli.bridges.functions.facts import Facts, Places, counted, is_cache, stem
from gradcheck_cli.bridges.functions.forms import Form
from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.errors import Location


def facts(*names, sure=True, inputs="x w", attributes="axis", **more):
    form = Form(names, sure) if names else None
    arguments = tuple(map(Input, inputs.split())), tuple(map(Attribute, attributes.split()))
    return Facts("f", *arguments, form, (), Location("code.py", 7), **more)


@pytest.mark.parametrize("name", ["cache", "caches", "fc_cache", "reluCache", "CACHE", "ctx", "saved", "tape"])
def test_names_of_caches(name):
    assert is_cache(name)


@pytest.mark.parametrize("name", [None, "out", "mask", "x", "unsaved"])
def test_other_names(name):
    assert not is_cache(name)


def test_the_number_of_values_is_known_where_it_is_sure():
    assert facts().count is None
    assert facts("out").count == 1
    assert facts("out", sure=False).count is None
    assert facts("out", "cache", sure=False).count == 2


@pytest.mark.parametrize(
    ("names", "places", "cotangents", "outputs"),
    [
        (("y",), (0,), ("dy",), ("y",)),
        ((None,), (0,), ("dy",), ("out",)),
        ((), (0,), ("g",), ("out",)),
        (("x",), (0,), ("g",), ("out",)),
        (("axis",), (0,), ("g",), ("out",)),
        (("g",), (0,), ("dout",), ("out",)),
        (("g_y",), (0,), ("dout",), ("out",)),
        (("h", "c", "cache"), (0, 1), ("dh", "dc"), ("h", "c")),
        (("cache", "h", "c"), (1, 2), ("dh", "dc"), ("h", "c")),
        ((None, None), (0, 1), ("dh", "grad_c"), ("h", "c")),
        ((None, None), (0, 1), ("gy", "gz"), ("out0", "out1")),
        ((None, None), (0, 1), ("dh", "dh"), ("h", "h_out")),
        (("x", "w"), (0, 1), ("dx", "dw"), ("x_out", "w_out")),
        (("h", "h"), (0, 1), ("a", "b"), ("h", "h_out")),
    ],
)
def test_outputs_get_free_names(names, places, cotangents, outputs):
    assert facts(*names).output_names(Places(places), cotangents) == outputs


def test_a_name_is_not_free_if_that_of_its_cotangent_is_not():
    assert facts("y", inputs="g g_y").output_names(Places((0,))) == ("out",)
    assert facts("y", inputs="y out g g_y").output_names(Places((0,))) == ("y_out",)


def test_what_is_said_of_the_outputs():
    said = facts("h", "c", "cache", outputs=("h", "_"))
    assert said.said_outputs == ("h",)
    assert said.said_places == Places((0,), (1,))
    assert said.output_names(Places((0,))) == ("h",)
    assert (0 in said.said_places, 1 in said.said_places, 2 in said.said_places) == (True, True, False)


def test_the_words_that_can_be_said():
    assert facts().words() == ["g", "x", "w", "axis", "out", "cache"]
    assert facts().words(("h", "c")) == ["g_h", "g_c", "x", "w", "axis", "h", "c", "cache"]
    assert (facts().argument("w"), facts().argument("axis")) == (Operand("w"), Setting("axis"))


def test_a_hint_shows_the_outputs_without_the_cache_behind_them():
    assert facts("h", "c", "cache").say_outputs().endswith("outputs: h _")
    assert facts(None, "c", "cache").say_outputs(Places((0, 1))).endswith("outputs: out0 c")
    assert facts("cache", "out").say_outputs(Places((1,))).endswith("outputs: _ out")


def test_an_error_stands_at_the_backward():
    (problem,) = facts().error("is odd", "do this").problems
    assert str(problem) == "code.py:7: error: the backward of f is odd [pair-convention]\n  hint: do this"


def test_what_a_cotangent_is_named_after():
    names = ["dh", "d_h", "g_h", "grad_h", "delta_h", "dnext_h", "g", "gy", "d", "h"]
    assert [stem(name) for name in names] == ["h", "h", "h", "h", "h", "next_h", None, None, None, None]


def test_numbers_are_written_with_their_nouns():
    assert (counted(1, "output"), counted(2, "output"), counted(0, "output")) == ("1 output", "2 outputs", "0 outputs")
