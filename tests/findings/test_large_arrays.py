"""What is told of small arrays is told of large ones."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, op


@op(batch="elementwise")
def cube_and_square(x):
    """x^3 + x^2."""
    return x * x * x + x * x


@cube_and_square.backward
def _(g, x):
    return 3 * g * x * x


@pytest.mark.parametrize("size", [300, 60_000])
def test_a_term_that_is_missing_is_named(size):
    x = np.random.default_rng(size).normal(size=size)
    (parameter,) = check(lambda x: F.sum(cube_and_square(x)), x).parameters
    assert [finding.name for finding in parameter.findings] == ["missing-term"]
    assert "-2 times x" in parameter.findings[0].message
