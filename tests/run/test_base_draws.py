"""Draws over all attribute values, and over all that a sample function returns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.domain import arr
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.run.base_draws import base_draws, combined, remaining, unseen_values

CHOICES = [{"axis": axis, "mode": mode} for axis in (0, 1) for mode in ("a", "b")]
ATTRIBUTES = (Attribute("axis", 0, (0, 1)), Attribute("mode", "a", ("a", "b")))
PLAIN = Operator("f", lambda x, **_: x, (Input("x", arr("n")),), ATTRIBUTES)


def rng_of(*words: object) -> np.random.Generator:
    return np.random.default_rng([len(words), *(int(word) for word in words[1:])])  # type: ignore[call-overload]


@pytest.mark.parametrize("samples", [1, 3])
def test_every_choice_is_drawn_so_many_times(samples: int) -> None:
    draws = base_draws(PLAIN, CHOICES, samples, rng_of)
    assert [attributes for _, attributes in draws] == [chosen for chosen in CHOICES for _ in range(samples)]
    values = {arrays[0].tobytes() for arrays, _ in draws}
    assert len(values) == len(draws)  # each is a draw of its own


def sampled(*shapes: tuple[int, ...], **attributes: list[Any]) -> Operator:
    def sampler(rng: np.random.Generator) -> Any:
        given = {name: values[int(rng.integers(len(values)))] for name, values in attributes.items()}
        return {"x": rng.standard_normal(shapes[int(rng.integers(len(shapes)))]), **given}

    return replace(PLAIN, sampler=sampler)


def test_every_shape_of_a_sample_function_is_drawn() -> None:
    draws = base_draws(sampled((2,), (3, 1), ()), [{}], 1, rng_of)
    assert {arrays[0].shape for arrays, _ in draws} == {(2,), (3, 1), ()}
    assert len(draws) == 3


def test_a_sample_function_of_one_shape_is_drawn_as_often_as_asked() -> None:
    draws = base_draws(sampled((2,)), [{}], 3, rng_of)
    assert len(draws) == 3
    assert len({arrays[0].tobytes() for arrays, _ in draws}) == 3


def test_a_sample_function_is_called_until_it_gave_every_value() -> None:
    rare = sampled((2,), mode=[*["a"] * 40, "b"])
    draws = base_draws(rare, CHOICES, 1, rng_of)
    assert unseen_values(rare, draws) == []
    assert len(draws) <= 17
    never = sampled((2,), mode=["a"])
    assert unseen_values(never, base_draws(never, CHOICES, 1, rng_of)) == ["mode='b'"]


def test_attributes_of_a_sample_function_stand_and_the_others_are_combined() -> None:
    draws = base_draws(sampled((2,), axis=[1]), CHOICES, 1, rng_of)
    assert sorted(attributes["mode"] for _, attributes in draws) == ["a", "b"]
    assert {attributes["axis"] for _, attributes in draws} == {1}


def test_what_a_draw_brings_along_goes_before_what_was_chosen() -> None:
    assert combined(([1], {"axis": 5}), {"axis": 0, "mode": "a"}) == ([1], {"axis": 5, "mode": "a"})
    assert remaining(CHOICES, {"axis": 5}) == [{"mode": "a"}, {"mode": "b"}]
    assert remaining(CHOICES, {}) == CHOICES


def test_choices_that_look_alike_are_told_apart() -> None:
    long = ["x" * 100 + end for end in "ab"]
    functions = [lambda: 1, lambda: 2]
    assert len(remaining([{"a": value} for value in long], {})) == 2
    assert len(remaining([{"f": function} for function in functions], {})) == 2


def test_values_that_never_come_up_are_named() -> None:
    draws = base_draws(sampled((2,), axis=[1]), CHOICES, 1, rng_of)
    assert unseen_values(PLAIN, draws) == ["axis=0"]
    assert unseen_values(PLAIN, base_draws(PLAIN, CHOICES, 1, rng_of)) == []
