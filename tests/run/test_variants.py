"""Which variants an operator is tried on, and that they stay inside what it declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.domain import Domain, arr, ints, mask
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.run.variants import Variant, variants_of

Shapes = list[Any]


def operator(*domains: Domain, optional: Sequence[int] = (), variadic: bool = False) -> Operator:
    names = "xyzw"
    inputs = [Input(names[place], domain, place in optional) for place, domain in enumerate(domains)]
    if variadic:
        inputs[-1] = Input("xs", domains[-1], variadic=True)
    return Operator("f", lambda *arrays: arrays[0], tuple(inputs))


def shapes(op: Operator, kind: Kind, seed: int = 0) -> dict[str, Shapes]:
    """Return the shapes of the variants of one kind by their words."""
    drawn = {each.words: each.make(np.random.default_rng(seed)) for each in variants_of(op) if each.kind is kind}
    return {
        words: [None if array is None else array.shape for array in arguments[0]]
        for words, arguments in drawn.items()
        if arguments
    }


def test_an_undeclared_input_is_tried_in_all_ranks() -> None:
    op = operator(arr())
    assert shapes(op, Kind.SCALAR) == {"0-d": [()]}
    assert shapes(op, Kind.SHAPE) == {"one axis": [(3,)], "three axes": [(3, 4, 3)]}
    assert shapes(op, Kind.SIZE_ONE) == {"first axis of size 1": [(1, 3)], "last axis of size 1": [(3, 1)]}
    assert shapes(op, Kind.EMPTY) == {"first axis of size 0": [(0, 3)], "last axis of size 0": [(3, 0)]}
    assert shapes(op, Kind.BROADCAST) == {}


def test_words_are_varied_one_by_one() -> None:
    op = operator(arr("n k"), ints("n", below="k"))
    ones = shapes(op, Kind.SIZE_ONE)
    assert list(ones) == ["n = 1", "k = 1"]
    (n, k), labels = ones["n = 1"]
    assert (n, labels) == (1, (1,))
    assert k > 1
    empty = shapes(op, Kind.EMPTY)
    assert empty["n = 0"][1] == (0,)
    assert "k = 0" not in empty  # no label is below 0
    assert shapes(op, Kind.SCALAR) == shapes(op, Kind.SHAPE) == {}


def test_leading_axes_come_and_go() -> None:
    op = operator(arr("... n"))
    assert [len(shape) for (shape,) in shapes(op, Kind.SHAPE).values()] == [1, 3]
    assert next(shape[0] for (shape,) in shapes(op, Kind.SIZE_ONE).values()) == 1
    bare = operator(arr("..."))
    assert shapes(bare, Kind.SCALAR) == {"0-d": [()]}


def test_inputs_that_share_a_shape_are_broadcast_both_ways() -> None:
    found = shapes(operator(arr(), arr()), Kind.BROADCAST)
    for name, other in (("x", 1), ("y", 0)):
        one = 1 - other
        full = found[f"{name} has an axis fewer"][other]
        assert found[f"{name} has an axis fewer"][one] == full[1:]
        assert found[f"{name} is 0-d"][one] == ()
        assert found[f"{name} has a first axis of size 1"][one][0] == 1
        assert found[f"{name} has a last axis of size 1"][one][-1] == 1
    assert found["x and y broadcast to one another"] == [(4, 1), (1, 3)]
    for both in found.values():
        assert np.broadcast_shapes(*both)


def test_leading_axes_are_broadcast() -> None:
    found = shapes(operator(arr("... m k"), arr("... k n")), Kind.BROADCAST)
    assert len(found["x has no leading axis"][0]) == 2
    assert len(found["x has no leading axis"][1]) == 3
    assert found["y has a leading axis of size 1"][1][0] == 1
    left, right = found["x and y broadcast to one another"]
    assert (left[:2], right[:2]) == ((4, 1), (1, 3))


@pytest.mark.parametrize("op", [operator(arr("n"), arr("n")), operator(arr(), arr("n"))])
def test_declared_shapes_are_not_broadcast(op: Operator) -> None:
    assert shapes(op, Kind.BROADCAST) == {}


def test_masks_and_indices_are_broadcast_too() -> None:
    found = shapes(operator(mask(), arr()), Kind.BROADCAST)
    assert found["x is 0-d"][0] == ()
    assert found["y is 0-d"][1] == ()


def test_words_say_whose_shape_they_mean() -> None:
    found = shapes(operator(arr(), arr("n")), Kind.SCALAR)
    assert list(found) == ["x: 0-d"]


def test_indices_repeat() -> None:
    op = operator(arr("v d"), ints("n", below="v"))
    (variant,) = [each for each in variants_of(op) if each.kind is Kind.REPEATED]
    for seed in range(10):
        arguments = variant.make(np.random.default_rng(seed))
        assert arguments is not None
        table, index = arguments[0]
        assert index[0] == index[1], f"seed {seed}"
        assert 0 <= index.min() <= index.max() < len(table)


def test_a_single_index_cannot_repeat() -> None:
    op = operator(arr("v"), ints("", below="v"))
    (variant,) = [each for each in variants_of(op) if each.kind is Kind.REPEATED]
    assert variant.make(np.random.default_rng(0)) is None


def test_optional_inputs_are_left_out_one_by_one() -> None:
    found = shapes(operator(arr("n"), arr("n"), arr("n"), optional=[1, 2]), Kind.LEFT_OUT)
    assert [[shape is None for shape in each] for each in found.values()] == [
        [False, True, False],
        [False, False, True],
    ]
    assert list(found) == ["without y", "without z"]


def laid_out(op: Operator, seed: int = 0) -> list[Variant]:
    found = [each for each in variants_of(op) if each.kind is Kind.LAYOUT]
    return [each for each in found if each.make(np.random.default_rng(seed))]


def test_layouts_are_those_that_the_arrays_have_axes_for() -> None:
    assert [each.words for each in laid_out(operator(arr("n k")))] == ["in Fortran order", "not contiguous"]
    assert [each.words for each in laid_out(operator(arr("n k"), arr("k")))] == [
        "in Fortran order",
        "x in Fortran order",
        "not contiguous",
    ]
    assert [each.words for each in laid_out(operator(arr("n")))] == ["not contiguous"]
    assert laid_out(operator(arr(""))) == []


def test_a_layout_changes_no_number_of_the_draw() -> None:
    op = replace(operator(arr("n k")), sampler=lambda rng: np.arange(6.0).reshape(2, 3))
    for variant in laid_out(op):
        arguments = variant.make(np.random.default_rng(0))
        assert arguments is not None
        assert np.array_equal(arguments[0][0], np.arange(6.0).reshape(2, 3))


def test_a_sample_function_is_tried_in_other_layouts_only() -> None:
    op = replace(operator(arr(), arr(), optional=[1]), sampler=lambda rng: (np.ones((2, 2)), np.ones((2, 2))))
    assert {variant.kind for variant in variants_of(op)} == {Kind.LAYOUT}


@pytest.mark.parametrize(
    "domain",
    [
        arr(low=0.5, high=2),
        arr("n k", low=-1, avoid=0),
        arr("... n", avoid=(1, 2)),
        arr(high=0, distinct=True),
    ],
)
def test_variants_stay_inside_the_domain(domain: Domain) -> None:
    for seed in range(5):
        for variant in variants_of(operator(domain, domain)):
            arguments = variant.make(np.random.default_rng(seed))
            for array in arguments[0] if arguments else ():
                assert domain.low is None or (array >= domain.low).all(), f"{variant.words}, seed {seed}"
                assert domain.high is None or (array <= domain.high).all(), f"{variant.words}, seed {seed}"
                for kink in domain.avoid:
                    assert not array.size or np.abs(array - kink).min() >= 0.1, f"{variant.words}, seed {seed}"
                assert not domain.distinct or len(np.unique(array)) == array.size, f"{variant.words}, seed {seed}"


def test_a_positive_definite_matrix_stays_one() -> None:
    for variant in variants_of(operator(arr("n n", spd=True), arr("n"))):
        arguments = variant.make(np.random.default_rng(0))
        assert arguments is None or np.all(np.linalg.eigvalsh(arguments[0][0]) > 0)


def test_words_are_never_said_twice() -> None:
    domains: list[Callable[[], list[Domain]]] = [
        lambda: [arr(), arr(), arr()],
        lambda: [arr("... m k"), arr("... k n"), arr("n")],
        lambda: [arr("v d"), ints("n", below="v"), ints("n", below="v"), mask("n")],
    ]
    for make in domains:
        words = [variant.words for variant in variants_of(operator(*make(), optional=[2]))]
        assert len(set(words)) == len(words)
