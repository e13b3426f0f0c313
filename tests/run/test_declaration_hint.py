"""What to declare: the line to write."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradcheck_cli import arr, ints, keep, mask, op, unbroadcast
from gradcheck_cli.core.arguments import REQUIRED, Attribute, Input
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.run.declaration_hint import (
    declares_values,
    is_undeclared,
    line_to_write,
    refused_hint,
    shapes_hint,
    undefined_hint,
)


def operator(*names: str, **domains: Domain) -> Operator:
    inputs = [Input(name) for name in names] + [Input(name, domain) for name, domain in domains.items()]
    return Operator("f", lambda *arrays: arrays[0], tuple(inputs))


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["x", "labels"], '@op(x=arr("n k"), labels=ints("n", below="k"))'),
        (["x", "W", "b"], '@op(x=arr("n k"), W=arr("k m"), b=arr("k"))'),
        (["scores", "mask"], '@op(scores=arr("n k"), mask=mask("n k"))'),
    ],
)
def test_the_line_to_write_is_guessed_from_names(names: list[str], line: str) -> None:
    op_ = operator(*names)
    assert line_to_write(op_) == line
    assert line in refused_hint(op_)
    # What is suggested can be written.
    parameters = ", ".join(names)
    namespace = {"op": op, "arr": arr, "ints": ints, "mask": mask, "keep": keep, "unbroadcast": unbroadcast}
    exec(f"{line}\ndef f({parameters}): return x", namespace)


def test_a_required_attribute_is_to_be_given_values() -> None:
    op_ = replace(operator("x"), attributes=(Attribute("axis", REQUIRED), Attribute("mode", "a", ("a",))))
    assert line_to_write(op_) == '@op(x=arr("n k"), axis=[...])'


def test_integers_and_masks_that_are_declared_stay_so() -> None:
    assert line_to_write(operator(x=ints(below=3), y=mask())) == '@op(x=ints("n", below="k"), y=mask("n k"))'


def test_who_declares_what() -> None:
    sampled = replace(operator("x"), sampler=lambda rng: rng)
    assert is_undeclared(operator("x", "y"))
    assert not is_undeclared(operator("x", y=arr("n")))
    assert not is_undeclared(sampled)
    assert not declares_values(operator("x", y=arr("n"), z=ints(below=3)))
    assert declares_values(operator(x=arr(low=1)))
    assert declares_values(operator(x=arr("n", avoid=0)))
    assert declares_values(sampled)


def test_declared_operators_are_pointed_to_a_sample_function() -> None:
    assert "@f.sample" in refused_hint(operator(x=arr("n")))
    assert refused_hint(replace(operator("x"), sampler=lambda rng: rng)).startswith("@f.sample has to return")


def test_where_a_value_is_not_finite_bounds_are_missing() -> None:
    assert "@op(x=arr(low=0.1))" in undefined_hint(operator("x", "y"))
    assert "@op(y=arr(low=0.1))" in undefined_hint(operator(labels=ints(below=3), y=arr()))


def test_shapes_can_be_ruled_out() -> None:
    assert shapes_hint(operator("x")).startswith("x has no declared shape")
    assert shapes_hint(operator("x", "y", "z")).startswith("x, y and z have no declared shape")
    assert shapes_hint(operator(x=arr("n k"))) == ""
    assert shapes_hint(replace(operator("x"), sampler=lambda rng: rng)) == ""
