"""Where elements tie, a right gradient is one of those beside the point, whatever differences at the point show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, op

SEEDS = range(2)
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


def shared(x: Any) -> Any:
    """The gradient of the median, shared by all that tie."""
    return (x == np.median(x)) / (x == np.median(x)).sum()


RIGHT: dict[str, tuple[Any, Any]] = {
    "many": (F.sort, np.full(40, 2.0)),
    "whole numbers": (F.sort, np.random.default_rng(0).integers(0, 5, 100).astype(float)),
    "at the edge of a domain": (lambda x: F.log(F.sort(x)), np.full(8, 2.0)),
    "where it curves": (lambda x: F.exp(10 * F.sort(x)), EQUAL),
    "of a row and a column": (lambda x: F.min(F.max(x, axis=1)), np.ones((3, 3))),
    "squares": (lambda x: F.sort(x * x)[2], [2.0, -2, 2, -2, 2]),
    "of a wide matrix": (F.svdvals, 2 * np.eye(4, 6)),
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
    assert (finding.name, finding.message[:20]) == ("kink-at-point", "x: elements tie here")
    assert str(check(lambda x: F.sort(x)[1], {"x": np.array(EQUAL)}, kinks="fail").verdict) == "fail"


CHANGES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "doubled": lambda r, _g, _x: 2 * r,
    "negated": lambda r, _g, _x: -r,
    "1 % too much": lambda r, _g, _x: 1.01 * r,
    "not put back": lambda _r, g, _x: g,
    "reversed": lambda r, _g, _x: r[::-1].copy(),
    "the first off": lambda r, _g, x: r * (1 + 1e-3 * (np.arange(len(x)) == 0)),
    "the last off": lambda r, _g, x: r * (1 + 1e-4 * (np.arange(len(x)) == len(x) - 1)),
    "a hundred thousandth too much": lambda r, _g, _x: 1.00001 * r,
    "the mean of all": lambda r, _g, _x: np.full_like(r, r.mean()),
    "nothing": lambda r, _g, _x: 0 * r,
    "all of it for each": lambda r, _g, x: np.array([r[x == each].sum() for each in x]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("x", [MIXED, LONG], ids=["two ties", "a long tie"])
def test_a_wrong_gradient_of_a_sort_is_wrong_at_ties(change: str, x: Any) -> None:
    assert set(verdicts(sorting(CHANGES[change]), x).values()) == {"fail"}, change


@pytest.mark.parametrize("change", ["doubled", "negated", "1 % too much"])
def test_a_wrong_gradient_of_one_order_is_wrong_at_ties(change: str) -> None:
    function = sorting(CHANGES[change])
    assert set(verdicts(lambda x: function(x)[1], EQUAL).values()) == {"fail"}, change
    assert set(verdicts(lambda x: function(x)[4], LONG).values()) == {"fail"}, change


@pytest.mark.parametrize(
    "change", [lambda r: 2 * r, lambda r: r.T, lambda r: r * 1.2], ids=["twice", "transposed", "too much"]
)
def test_a_wrong_gradient_of_singular_values_is_wrong_where_they_repeat(change: Callable[[Any], Any]) -> None:
    function, x = singular_values(change), 2 * rotation(0) @ rotation(1)
    assert set(verdicts(function, x).values()) == {"fail"}
    assert set(verdicts(lambda x: function(x)[1], x).values()) == {"fail"}


ZEROS = [(3, 4), (2, 2), (3, 3)]


@pytest.mark.parametrize("shape", ZEROS)
@pytest.mark.parametrize("seed", range(6))
def test_the_gradient_of_all_singular_values_is_right_at_zero(shape: tuple[int, int], seed: int) -> None:
    result = check(F.svdvals, {"x": np.zeros(shape)}, seed=seed)
    assert str(result.verdict) == "pass", f"seed {seed}"


@pytest.mark.parametrize("shape", ZEROS)
@pytest.mark.parametrize("factor", [-1.2, 0.8, 1.01, 2.0])
def test_a_wrong_gradient_of_all_singular_values_is_wrong_at_zero(shape: tuple[int, int], factor: float) -> None:
    @op
    def values(x):
        """The singular values, the largest first."""
        return np.linalg.svd(x, full_matrices=False)[1]

    @values.backward
    def _(g, x):
        u, _, v = np.linalg.svd(x, full_matrices=False)
        return factor * ((u * g) @ v)

    assert set(verdicts(values, np.zeros(shape)).values()) == {"fail"}


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


def weighted(value: Any, smooth: Any) -> Any:
    """A median of three, and squares of others, with their gradients weighted."""

    def gradient(x: Any) -> Any:
        out = smooth * 2 * x
        out[:3] = 0
        out[np.argsort(x[:3], kind="stable")[1]] = 1
        return out

    x = np.array([value] * 3 + [1.5, 2.5, 0.5, 1.0, 2.0, -1, 3.0])
    return {"f": lambda x: float(np.median(x[:3]) + np.sum(x[3:] ** 2)), "params": [x], "grad": gradient}


@pytest.mark.parametrize("directions", [None, 4])
@pytest.mark.parametrize("value", [2.0, 1e4, 1e6])
def test_ties_excuse_nothing_that_is_wrong_beside_them(value: float, directions: int | None) -> None:
    for smooth, verdict in ((1.0, "pass"), (-1.0, "fail"), (1.001, "fail"), (0.0, "fail")):
        given = weighted(value, smooth)
        result = check(given["f"], given["params"], grad=given["grad"], directions=directions)
        assert str(result.verdict) == verdict or (directions and smooth == 1.001), (value, smooth)


@pytest.mark.parametrize(
    "gradient",
    [[0.0] * 3 + [5.5] * 6 + [11] * 3, [0.0] * 2 + [5.5] * 8 + [11] * 2, [0.0] * 6 + [11] * 6],
    ids=["thirds", "ends", "halves"],
)
def test_sums_of_the_largest_have_to_be_possible(gradient: list[float]) -> None:
    """Each element alone may have what it has, and all together."""
    result = check(lambda x: float(np.arange(12.0) @ np.sort(x)), [np.full(12, 2.0)], grad=lambda x: np.array(gradient))
    assert str(result.verdict) == "fail"


def test_ties_of_several_parameters_are_broken_together() -> None:
    numbers = {name: np.array(2.0) for name in "abc"}
    halves = {"x": np.full(3, 2.0), "y": np.full(3, 2.0)}
    for seed in SEEDS:
        middle = check(lambda a, b, c: F.sort(F.stack(a, b, c))[1], numbers, seed=seed)
        joined = check(lambda x, y: F.sort(F.concatenate(x, y)), halves, seed=seed)
        assert (str(middle.verdict), str(joined.verdict)) == ("pass", "pass"), seed


@pytest.mark.parametrize(
    ("function", "x", "gradient"),
    [
        (lambda x: float(np.abs(x - 1).sum() + 1e5), [1 - 1e-5, 3.0], lambda x: np.array([0.0, 1])),
        (lambda x: float(np.abs(x - 1).sum() + 1e3), [1 - 1e-8, 3.0], lambda x: np.array([1.0, 1])),
        (lambda x: float((np.logaddexp(0, 1e7 * (x - 1)) / 1e7).sum() + 1e4), [1 + 5e-8, 3.0], lambda x: 1.0 * (x > 1)),
    ],
    ids=["beside", "very near", "a bend"],
)
def test_kinks_and_bends_that_noise_hides_are_no_ties(function: Any, x: Any, gradient: Any) -> None:
    assert {str(check(function, x, grad=gradient, seed=seed).verdict) for seed in SEEDS} == {"fail"}
