"""Gradients that vanish at the point: both sides show what roundings of the point make of zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, op


def of_low_rank(seed: int, size: int, rank: int) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((size, rank)) @ rng.standard_normal((rank, size))


def shifted(shift: float) -> Any:
    """The determinant with a constant added to its gradient."""

    @op
    def determinant(a):
        """det(a)."""
        return np.linalg.det(a)

    @determinant.backward
    def _(g, a):
        u, s, v = np.linalg.svd(a)
        others = np.where(np.eye(len(s), dtype=bool), 1, s).prod(axis=-1)
        return g * (np.sign(np.linalg.det(u) * np.linalg.det(v)) * (u * others) @ v + shift)

    return determinant


@pytest.mark.parametrize(("size", "rank"), [(3, 1), (4, 1), (4, 2), (5, 3)])
def test_the_determinant_of_a_matrix_whose_rank_is_less_by_two_is_a_vacuous_pass(size: int, rank: int) -> None:
    for seed in range(10):
        result = check(F.det, {"a": of_low_rank(seed, size, rank)}, seed=seed)
        names = [finding.name for finding in result.parameters[0].findings]
        assert (str(result.verdict), names) == ("pass", ["vacuous"]), (seed, result)


def test_whose_rank_is_less_by_one_has_a_gradient_to_compare() -> None:
    for seed in range(10):
        result = check(F.det, {"a": of_low_rank(seed, 3, 2)}, seed=seed)
        assert (str(result.verdict), result.parameters[0].findings) == ("pass", ()), (seed, result)


@pytest.mark.parametrize("shift", [1e-11, 1e-6, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_gradient_beyond_what_roundings_make_is_wrong(seed: int, shift: float) -> None:
    assert str(check(shifted(shift), {"a": of_low_rank(seed, 3, 1)}, seed=seed).verdict) == "fail"


@pytest.mark.parametrize("distance", [1e-9, 1e-6, 1e-3])
def test_a_gradient_that_is_small_beside_a_minimum_is_compared(distance: float) -> None:
    right = check(lambda x: float(np.sum((x - 1) ** 2)), [1 + distance], grad=lambda x: 2 * (x - 1))
    wrong = check(lambda x: float(np.sum((x - 1) ** 2)), [1 + distance], grad=lambda x: 3 * (x - 1))
    assert (str(right.verdict), str(wrong.verdict)) == ("pass", "fail")


@pytest.mark.parametrize("wrong", [[2.0, 1.0], [1.0, -1.0], [1e-12, 1.0]])
def test_a_branch_that_a_rounding_decides_excuses_nothing(wrong: list[float]) -> None:
    """Beside a tie the gradient changes at once: that is no rounding."""
    result = check(lambda x: float(np.max(x)), [2.0, 2.0], grad=lambda x: np.where(x[0] == x[1], wrong, x == np.max(x)))
    assert str(result.verdict) == ("pass" if wrong == [1e-12, 1.0] else "fail")


def test_a_small_element_beside_a_large_one_is_compared() -> None:
    """What roundings do to one element says nothing of another."""

    def value(x: Any) -> float:
        return float(1e8 * (x[0] - 1) ** 2 + 1e-12 * x[1])

    right = check(value, [1.0, 1.0], grad=lambda x: np.array([2e8 * (x[0] - 1), 1e-12]))
    wrong = check(value, [1.0, 1.0], grad=lambda x: np.array([2e8 * (x[0] - 1), 2e-12]))
    assert str(right.verdict) != "fail"
    assert str(wrong.verdict) != "pass"
