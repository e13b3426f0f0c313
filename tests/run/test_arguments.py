"""Names of arrays, and combinations of attribute values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gradcheck_cli.core.arguments import REQUIRED, Attribute, Input
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.run.arguments import MOST_COMBINATIONS, argument_names, combinations


def operator(inputs: Sequence[Input] = (Input("x"),), attributes: Sequence[Attribute] = ()) -> Operator:
    return Operator("f", lambda *arrays, **_: arrays[0], tuple(inputs), tuple(attributes))


@pytest.mark.parametrize(
    ("inputs", "count", "names"),
    [
        ([Input("x"), Input("y")], None, ["x", "y"]),
        ([Input("xs", variadic=True)], None, ["x1", "x2"]),
        ([Input("first"), Input("rest", variadic=True)], 4, ["first", "rest1", "rest2", "rest3"]),
        ([Input("x1"), Input("xs", variadic=True)], None, ["x1", "x1_", "x2"]),
        ([Input("_x"), Input("__")], None, ["x", "arg"]),
        ([Input("_1")], None, ["arg1"]),
    ],
)
def test_arrays_have_names_that_an_expression_can_hold(
    inputs: list[Input], count: int | None, names: list[str]
) -> None:
    found = [name for name, _ in argument_names(operator(inputs), count)]
    assert found == names
    assert len(set(found)) == len(found)
    assert all(name.isidentifier() and not name.startswith("_") for name in found)


def test_the_product_of_a_few_values_is_tried() -> None:
    attributes = [Attribute("a", 1, (1, 2)), Attribute("b", None, (None, "x", "y")), Attribute("c", 0)]
    found = combinations(operator(attributes=attributes))
    assert len(found) == 6
    assert {(each["a"], each["b"]) for each in found} == {(a, b) for a in (1, 2) for b in (None, "x", "y")}
    assert all("c" not in each for each in found)  # left to its default


@pytest.mark.parametrize("sizes", [(3, 3, 3), (20, 2), (2, 2, 2, 2, 2)])
def test_of_many_values_every_one_is_tried(sizes: tuple[int, ...]) -> None:
    attributes = [Attribute(f"a{place}", 0, tuple(range(size))) for place, size in enumerate(sizes)]
    found = combinations(operator(attributes=attributes))
    assert len(found) == max(MOST_COMBINATIONS, *sizes)
    assert len({tuple(each.values()) for each in found}) == len(found)
    for attribute in attributes:
        assert {each[attribute.name] for each in found} == set(attribute.values)
    assert found == combinations(operator(attributes=attributes))


def test_an_operator_without_attributes_has_one_combination() -> None:
    assert combinations(operator()) == [{}]


def test_a_required_attribute_without_values_is_to_be_declared() -> None:
    with pytest.raises(OperatorError) as caught:
        combinations(operator(attributes=[Attribute("axis", REQUIRED)]))
    (problem,) = caught.value.problems
    assert problem.code == "nothing-declared"
    assert "'axis'" in problem.message
    assert problem.hint == '@op(x=arr("n k"), axis=[...])'


def test_a_required_attribute_may_come_from_a_sample_function() -> None:
    sampled = replace(operator(attributes=[Attribute("axis", REQUIRED)]), sampler=lambda rng: (1.0, {"axis": 0}))
    assert combinations(sampled) == [{}]


def test_values_need_not_be_hashable() -> None:
    values: tuple[Any, ...] = ([1, 2], {"mode": "a"})
    functions: tuple[Callable[[], None], ...] = (lambda: None, lambda: None)
    found = combinations(operator(attributes=[Attribute("a", None, values), Attribute("b", None, functions)]))
    assert len(found) == 4
