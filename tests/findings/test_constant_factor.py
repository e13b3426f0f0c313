"""The gradient is right but for a factor: named with the size that it comes from."""

import numpy as np
import pytest

from gradcheck_cli.findings.constant_factor import constant_factor
from gradcheck_cli.verdict.evidence import Evidence

SHAPES = {"x": (5, 7), "w": (7, 3)}


def evidence(analytic, numeric, bar=1e-11):
    a, n = np.ravel(analytic).astype(float), np.ravel(numeric).astype(float)
    return Evidence("w", np.shape(analytic), np.arange(a.size), a, n, np.full(a.shape, bar))


@pytest.fixture
def numeric():
    return np.random.default_rng(3).standard_normal((7, 3))


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (1 / 5, "0.2 times the right one (1/5; 5 is the size of axis 0 of x): some courses take the mean"),
        (7, "7 times the right one (7; 7 is the size of axis 1 of x)"),
        (1 / 35, "0.0285714 times the right one (1/35; x has 35 elements): some courses"),
        (2, "2 times the right one (2)"),
        (0.37, "0.37 times the right one"),
        (-0.5, "-0.5 times the right one (-1/2)"),
    ],
)
def test_a_factor_is_named(numeric, factor, said):
    finding = constant_factor(evidence(factor * numeric, numeric), SHAPES)
    assert finding is not None
    assert finding.code == "GC202"
    assert finding.message.startswith(f"the gradient of w is {said}")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda n: -n,
        lambda n: 0 * n,
        lambda n: n + 0.3,
        lambda n: np.where(n > 0, n, 2 * n),
        lambda n: n[::-1],
        lambda n: np.full_like(n, np.nan),
    ],
)
def test_other_mistakes_are_no_factor(numeric, spoil):
    assert constant_factor(evidence(spoil(numeric), numeric), SHAPES) is None


def test_one_element_needs_a_telling_factor():
    assert constant_factor(evidence([1.234], [1.0]), SHAPES) is None
    found = constant_factor(evidence([0.2], [1.0]), SHAPES)
    assert found is not None
    assert "1/5" in found.message
