"""Known values and gradients are held against the computed ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.known import KNOWN_RTOL, compare_known
from gradcheck_cli.verdict.judge import Judgement

SPEC = "expr: sum(x * y)\nparams: {x: [1.0, 2.0], y: [3.0, 4.0]}\n"

Compare = Callable[..., list[str]]


@pytest.fixture
def compare(cases: Callable[..., list[Selected]]) -> Compare:
    """Compare computed results with those that a spec knows; return what is said."""

    def messages(keys: str, value: object, gradients: dict[str, object], names: str = "x y") -> list[str]:
        (item,) = cases(SPEC + keys)
        outputs = value if isinstance(value, tuple) else (value,)
        arrays = tuple(np.asarray(out) for out in outputs)
        number = float(arrays[0].item()) if len(arrays) == 1 and arrays[0].size == 1 else None
        judgement = Judgement(number, arrays, {name: np.asarray(g) for name, g in gradients.items()})
        return [finding.message for finding in compare_known(item.case, names.split(), judgement)]

    return messages


def test_nothing_known_is_nothing_compared(compare: Compare) -> None:
    assert compare("", 11.0, {"x": [3.0, 4.0]}) == []


@pytest.mark.parametrize(
    ("known", "computed", "meets"),
    [
        ("11", 11.0, True),
        ("11", 11.0 * (1 + 0.9 * KNOWN_RTOL), True),
        ("11", 11.0 * (1 + 1.1 * KNOWN_RTOL), False),
        ("0", 0.0, True),
        ("0", 1e-300, False),
        ("11", -11.0, False),
        ("11", float("nan"), False),
        ("11", [[11.0]], True),
        ("[11]", 11.0, True),
        ("11", [11.0, 11.0], False),
        ("[11, 12]", [11.0, 12.0], True),
        ("[[11, 12]]", [11.0, 12.0], False),
        ("11", np.float32(11.0 * (1 + 8e-6)), True),
        ("11", np.float32(11.0 * (1 + 1e-4)), False),
        ("11", np.int64(11), True),
    ],
)
def test_a_value_is_met_to_a_millionth(compare: Compare, known: str, computed: object, meets: bool) -> None:
    assert (compare(f"value: {known}\n", computed, {}) == []) is meets


@pytest.mark.parametrize(
    ("computed", "meets"),
    [
        ([3.0, 4.0], True),
        ([3.0, 4.0 + 3e-6], True),
        ([3.0, 4.0 + 5e-6], False),
        ([4.0, 3.0], False),
    ],
)
def test_a_gradient_is_met_element_by_element(compare: Compare, computed: list[float], meets: bool) -> None:
    assert (compare("grad: {x: [3, 4]}\n", 11.0, {"x": computed}) == []) is meets


def test_a_zero_beside_larger_numbers_may_be_their_rounding(compare: Compare) -> None:
    assert compare("grad: {x: [0, 1]}\n", 11.0, {"x": [1e-16, 1.0]}) == []
    assert compare("grad: {x: [0, 1]}\n", 11.0, {"x": [1e-12, 1.0]}) != []


def test_only_the_selected_parameters_are_compared(compare: Compare) -> None:
    keys, gradients = "grad: {x: [3, 4], y: [7, 7]}\n", {"x": [3.0, 4.0], "y": [1.0, 2.0]}
    assert compare(keys, 11.0, gradients, names="x") == []
    assert compare(keys, 11.0, gradients, names="y") == ["the gradient of y is [1., 2.], the spec expects [7., 7.]"]


def test_both_numbers_are_said(compare: Compare) -> None:
    assert compare("value: 12\n", 11.0, {}) == ["the value is 11., the spec expects 12."]


def test_what_was_not_computed_is_not_compared(cases: Callable[..., list[Selected]]) -> None:
    """Then a finding of its own says why."""
    (item,) = cases(SPEC + "value: 12\ngrad: {x: [0, 0]}\n")
    assert compare_known(item.case, ["x"], Judgement()) == []


@pytest.mark.parametrize(
    ("keys", "value", "said"),
    [
        ("value: 11\n", (1.0, 2.0), "'value' is known for one output, and the expression has 2"),
        ("grad: {x: [3, 4]}\n", [1.0, 2.0], r"'grad' is known for a value that is one number, .* shape \(2,\)"),
        ("grad: {x: [3, 4]}\n", (1.0, [2.0, 3.0]), r"shape \(\) and \(2,\)"),
    ],
)
def test_what_nothing_compares_with_is_a_mistake(compare: Compare, keys: str, value: object, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        compare(keys, value, {})
