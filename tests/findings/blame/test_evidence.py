"""Plain differences of all elements: near the gradient, with a bar that covers how far they are off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import op
from gradcheck_cli.findings.blame.evidence import plain_evidence
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.verdict.evidence import Evidence

x = np.random.default_rng(3).normal(size=(4, 5))


def measured(call: Callable[[Mapping[str, Any]], Any], x: np.ndarray, g: np.ndarray, most: int = 10000) -> Evidence:
    return plain_evidence(TracedFunction(call), {"x": x}, ["x"], [g], most, 60.0)["x"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_smooth_function_is_measured_within_its_bar(dtype: str) -> None:
    g = np.random.default_rng(4).normal(size=x.shape).astype(dtype)
    found = measured(lambda v: F.tanh(v["x"]), x.astype(dtype), g)
    right = np.ravel(g.astype(np.float64) / np.cosh(x.astype(dtype).astype(np.float64)) ** 2)
    np.testing.assert_array_equal(found.elements, np.arange(x.size))
    assert found.shape == (4, 5)
    assert (np.abs(found.numeric - right) <= found.bar).all()
    assert (found.bar < (1e-6 if dtype == "float64" else 0.05)).all()
    np.testing.assert_allclose(found.analytic, right, rtol=1e-3)


def test_a_kink_has_a_wide_bar_and_its_neighbours_have_not() -> None:
    found = measured(lambda v: F.relu(v["x"]), np.array([0.0, 1.0, -1.0]), np.ones(3))
    assert found.bar[0] >= 1
    assert (found.bar[1:] < 1e-6).all()


def test_elements_at_the_edge_of_the_domain_are_left_out() -> None:
    found = measured(lambda v: F.log(v["x"]), np.array([2.0, 1e-7, 3.0]), np.ones(3))
    assert found.elements.tolist() == [0, 2]
    assert found.analytic.shape == found.numeric.shape == found.bar.shape == (2,)


def test_few_evaluations_leave_elements_out_evenly() -> None:
    found = measured(lambda v: F.tanh(v["x"]), np.arange(9.0), np.ones(9), most=12)
    assert found.elements.tolist() == [0, 4, 8]
    assert found.numeric.shape == (3,)
    assert measured(lambda v: F.tanh(v["x"]), x, np.ones(x.shape), most=1).elements.tolist() == [0]


def test_little_time_leaves_elements_out() -> None:
    function = TracedFunction(lambda v: F.tanh(v["x"]))
    found = plain_evidence(function, {"x": x}, ["x"], [np.ones(x.shape)], 10000, 1e-9)["x"]
    assert found.elements.tolist() == [0]


def test_an_operator_that_raises_outside_of_its_domain_leaves_elements_out() -> None:
    @op
    def strict_root(x):
        """The square root of x, of which no element may be negative."""
        if (x < 0).any():
            raise ValueError("negative")
        return np.sqrt(x)

    @strict_root.backward
    def _(g, out):
        return g / (2 * out)

    found = measured(lambda v: strict_root(v["x"]), np.array([4.0, 1e-9, 9.0]), np.ones(3))
    assert found.elements.tolist() == [0, 2]
    np.testing.assert_allclose(found.numeric, [0.25, 1 / 6], rtol=1e-6)
