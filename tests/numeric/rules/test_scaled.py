"""Operators that multiply each element with a number of its place."""

import numpy as np
import pytest

from gradcheck_cli import check, op
from gradcheck_cli.numeric.rules.choice import choose
from gradcheck_cli.numeric.rules.loop import loop
from tests.numeric.rules.applications import OPERATORS, agrees, all_patterns, apply, perturbed


@pytest.mark.parametrize("attributes", [{}, {"p": 0.2, "seed": 1}, {"training": False}])
@pytest.mark.parametrize("shape", [(), (5,), (3, 4)])
def test_what_a_mask_scales_stays_compact(shape, attributes):
    rng = np.random.default_rng(15)
    applied = apply(OPERATORS["dropout"], [rng.standard_normal(shape)], attributes)
    for axes in all_patterns(len(shape)):
        (made,) = agrees(applied, [perturbed(applied, 0, axes, 5, rng)], 0.0)
        assert made.axes == axes


def test_what_is_no_multiple_is_looped():
    @op(batch="scaled")
    def f(x):
        """x + 1."""
        return x + 1

    f.backward(lambda g: g)
    x = np.array([0.5, -0.3])
    assert choose(apply(f.operator, [x])) is loop
    assert check(f, x).verdict == "pass"


def test_a_number_that_a_value_decides_is_a_wrong_declaration():
    @op(batch="scaled")
    def f(x):
        """x, doubled but near 0.5 and 1: it is x at the point, and ones are ones."""
        return x * np.where((np.abs(x - 0.5) < 0.01) | (np.abs(x - 1) < 0.01), 1.0, 2.0)

    f.backward(lambda g: g)
    result = check(f, np.array([0.5, 0.501]))
    assert "wrong-batch-declaration" in [finding.name for finding in result.findings]
