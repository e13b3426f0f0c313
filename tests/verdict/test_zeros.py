"""Gradients that are zero in theory, and rounding in fact: the forward may hide that it rounds at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, op


def invariant(axis: int, shift: float = 0.0) -> Any:
    """The cosine between columns and one vector that is repeated along them: of its size nothing depends."""

    @op
    def cosine(x, y):
        """sum(x * y) / (|x| |y|) along an axis."""
        y = np.broadcast_to(y, x.shape)
        units = [z / np.sqrt(np.sum(z * z, axis=axis, keepdims=True)) for z in (x, y)]
        return np.sum(units[0] * units[1], axis=axis)

    @cosine.backward
    def _(g, x, y, out):
        full = np.broadcast_to(y, x.shape)
        x_norm, y_norm = (np.sqrt(np.sum(z * z, axis=axis, keepdims=True)) for z in (x, full))
        g, out = np.expand_dims(g, axis), np.expand_dims(out, axis)
        gx = g * (full / y_norm - out * x / x_norm) / x_norm
        gy = g * (x / x_norm - out * full / y_norm) / y_norm
        return gx, np.sum(gy, axis=0) + shift

    return cosine


def test_a_gradient_that_is_what_rounding_leaves_of_zero_is_right() -> None:
    """Nobody calls it wrong; nearly always it is known to be nothing."""
    verdicts = {}
    for seed in range(25):
        rng = np.random.default_rng(seed)
        result = check(invariant(0), {"x": rng.standard_normal((4, 4)), "y": rng.standard_normal(4)}, seed=seed)
        found = [finding.name for finding in result.parameters[1].findings]
        verdicts[seed] = "vacuous" if found == ["vacuous"] else str(result.verdict)
    assert "fail" not in verdicts.values(), verdicts
    assert list(verdicts.values()).count("vacuous") >= 23, verdicts


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("shift", [1e-12, -1e-9, 1e-3])
def test_one_that_is_more_than_that_is_wrong(seed: int, shift: float) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((4, 4)), rng.standard_normal(4)
    result = check(invariant(0, shift), {"x": x, "y": y}, seed=seed)
    assert str(result.verdict) == "fail", (seed, result)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (F.square, 0.0),
        (lambda x: F.sum(x * x), [0.0, 0.0]),
        (lambda x: x[0] * x[1] * x[2], [0.0, 0.0, 1.0]),
        (lambda x: x * x * x, [0.0, 0.0]),
    ],
    ids=["square", "sum of squares", "product", "cube"],
)
def test_a_value_and_a_gradient_that_are_zero_are_a_vacuous_pass(function: Any, x: Any) -> None:
    result = check(function, {"x": np.array(x)})
    assert str(result.verdict) == "pass"
    assert [finding.name for finding in result.parameters[0].findings] == ["vacuous"]


@pytest.mark.parametrize("gradient", [1.0, 1e-3, 1e-9])
def test_a_gradient_that_is_not_zero_there_is_wrong(gradient: float) -> None:
    result = check(lambda x: float(np.sum(x * x)), [0.0, 0.0], grad=lambda x: gradient + 2 * x)
    assert str(result.verdict) == "fail"


@pytest.mark.parametrize("k", [1e2, 7e2, 1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize(("gradient", "slope"), [(5.0, 0.0), (1e-3, 0.0), (0.0, 5.0)])
def test_a_value_out_of_proportion_beside_the_point_excuses_nothing(k: float, gradient: float, slope: float) -> None:
    with np.errstate(all="ignore"):
        result = check(
            lambda x: float(np.sum(np.expm1(k * x) - k * x + slope * x)), [0.0, 0.0], grad=lambda x: gradient + 0 * x
        )
    assert str(result.verdict) != "pass"
