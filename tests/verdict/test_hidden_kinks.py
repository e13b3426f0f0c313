"""Where elements tie, a right gradient is one of those beside the point, whatever differences at the point show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, op

SEEDS = range(4)
EQUAL, MIXED, LONG = [2.0, 2, 2], [2.0, 1, 2, 2, 5, 5], [3.0, 1, 2, 2, 2, 2, 2, 9, 1, 7]


def verdicts(function: Callable[..., Any], x: Any, **knobs: Any) -> dict[int, str]:
    """The verdict of every seed."""
    return {seed: str(check(function, {"x": np.array(x)}, seed=seed, **knobs).verdict) for seed in SEEDS}


def sorting(change: Callable[[Any, Any, Any], Any], kind: Any = "stable") -> Any:
    """A sort, with something done to its gradient; ties are in an order of their own."""

    @op
    def sorted_(x):
        """The elements in ascending order."""
        return np.sort(x)

    @sorted_.backward
    def _(g, x):
        order = np.argsort(x, kind="stable") if kind == "stable" else len(x) - 1 - np.argsort(x[::-1], kind="stable")
        gradient = np.zeros_like(x)
        gradient[order] = g
        return change(gradient, g, x)

    return sorted_


def singular_values(change: Callable[[Any], Any]) -> Any:
    @op
    def values(x):
        """The singular values, the largest first."""
        return np.linalg.svd(x)[1]

    @values.backward
    def _(g, x):
        u, _, v = np.linalg.svd(x)
        return change((u * g) @ v)

    return values


def rotation(seed: int) -> Any:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]


RIGHT: dict[str, tuple[Any, Any]] = {
    "all of a sort": (F.sort, EQUAL),
    "of two ties": (F.sort, MIXED),
    "of a long tie": (F.sort, LONG),
    "the last come first": (sorting(lambda r, _g, _x: r, kind="last"), LONG),
    "shared evenly": (sorting(lambda r, _g, x: np.array([r[x == each].mean() for each in x])), MIXED),
    "the middle one": (lambda x: F.sort(x)[1], EQUAL),
    "the middle of many": (lambda x: F.sort(x)[4], LONG),
    "a median of four": (lambda x: (F.sort(x)[1] + F.sort(x)[2]) / 2, [2.0, 2, 2, 2]),
    "the largest two": (lambda x: F.topk(x, k=2)[0], [2.0, 2, 2, 1]),
    "the middle singular value": (lambda x: F.svdvals(x)[1], 2 * np.eye(3)),
    "of a rotated matrix": (lambda x: F.svdvals(x)[1], 2 * rotation(0) @ rotation(1)),
    "all singular values": (F.svdvals, 2 * rotation(2)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_gradient_beside_a_tie_is_right_at_the_tie(name: str) -> None:
    assert set(verdicts(*RIGHT[name]).values()) == {"pass"}, (name, verdicts(*RIGHT[name]))


def test_it_is_said_that_there_is_a_kink() -> None:
    result = check(lambda x: F.sort(x)[1], {"x": np.array(EQUAL)})
    (finding,) = result.parameters[0].findings
    assert (finding.name, finding.message[:5]) == ("kink-at-point", "x[1]:")
    assert "elements tie here" in finding.message
    assert str(check(lambda x: F.sort(x)[1], {"x": np.array(EQUAL)}, kinks="fail").verdict) == "fail"


CHANGES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "doubled": lambda r, _g, _x: 2 * r,
    "negated": lambda r, _g, _x: -r,
    "1 % too much": lambda r, _g, _x: 1.01 * r,
    "not put back": lambda _r, g, _x: g,
    "reversed": lambda r, _g, _x: r[::-1].copy(),
    "the first off": lambda r, _g, x: r + 1e-3 * (np.arange(len(x)) == 0),
    "the last off": lambda r, _g, x: r + 1e-4 * (np.arange(len(x)) == len(x) - 1),
    "the mean of all": lambda r, _g, _x: np.full_like(r, r.mean()),
    "nothing": lambda r, _g, _x: 0 * r,
    "all of it for each": lambda r, _g, x: np.array([r[x == each].sum() for each in x]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("x", [MIXED, LONG], ids=["two ties", "a long tie"])
def test_a_wrong_gradient_of_a_sort_is_wrong_at_ties(change: str, x: Any) -> None:
    assert set(verdicts(sorting(CHANGES[change]), x).values()) == {"fail"}, change


@pytest.mark.parametrize("change", ["doubled", "negated", "1 % too much", "the first off", "the last off"])
def test_a_wrong_gradient_of_one_order_is_wrong_at_ties(change: str) -> None:
    function = sorting(CHANGES[change])
    assert set(verdicts(lambda x: function(x)[1], EQUAL).values()) == {"fail"}, change
    assert set(verdicts(lambda x: function(x)[4], LONG).values()) == {"fail"}, change


@pytest.mark.parametrize(
    "change", [lambda r: 2 * r, lambda r: r.T, lambda r: r + np.diag([0.1, 0, 0])], ids=["twice", "transposed", "off"]
)
def test_a_wrong_gradient_of_singular_values_is_wrong_where_they_repeat(change: Callable[[Any], Any]) -> None:
    function, x = singular_values(change), 2 * rotation(0) @ rotation(1)
    assert set(verdicts(function, x).values()) == {"fail"}
    assert set(verdicts(lambda x: function(x)[1], x).values()) == {"fail"}


def test_directions_know_ties_too() -> None:
    assert set(verdicts(lambda x: F.sort(x)[1], EQUAL, directions=4).values()) == {"pass"}
    assert set(verdicts(F.sort, MIXED, directions=4).values()) == {"pass"}
    doubled = sorting(CHANGES["doubled"])
    assert set(verdicts(lambda x: doubled(x)[1], EQUAL, directions=4).values()) == {"fail"}


@pytest.mark.parametrize("error", [1e-6, 1e-3, 0.5])
@pytest.mark.parametrize("curvature", [1.0, 1e2, 1e4])
def test_curvature_is_no_kink(error: float, curvature: float) -> None:
    """Slopes that change on the way from the point don't make a wrong gradient one of them."""

    def value(x: Any) -> float:
        return float(np.sum(np.sin(curvature * x) / curvature) + x[0] * x[1])

    def gradient(x: Any) -> Any:
        return np.cos(curvature * x) + x[::-1] + error * np.array([1.0, 0.0])

    assert str(check(value, [0.3, 0.7], grad=gradient).verdict) == "fail"


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6])
def test_a_kink_beside_the_point_excuses_nothing(distance: float) -> None:
    """The gradient of the other side is wrong on this one."""
    result = check(
        lambda x: float(np.sum(np.abs(x - 1))),
        [1 + distance, 3.0],
        grad=lambda x: np.where(np.arange(2) == 0, -1.0, np.sign(x - 1)),
    )
    assert str(result.verdict) == "fail"
