"""The number that decides, and the order of severity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.verdict.outcome import Outcome, Status, rel_err, tolerance

numbers = st.floats(-1e100, 1e100)


@pytest.mark.parametrize(
    ("analytic", "numeric", "bar", "passes"),
    [
        (1.0, 1.0, 0.0, True),
        (1.0, 1.0 + 1e-8, 0.0, True),
        (1.0, 1.0 + 1e-6, 0.0, False),
        (1e-17, 0.0, 1e-12, True),
        (1e-6, 0.0, 1e-12, False),
        (0.0, 0.0, 0.0, True),
        (1.0, -1.0, 1e-3, False),
        (1.0, 1.0005, 1e-3, True),
        (1e-300, 2e-300, 0.0, False),
        (1e300, 1e300, np.inf, True),
    ],
)
def test_a_difference_passes_within_the_bar_or_rtol(analytic, numeric, bar, passes):
    assert (rel_err(analytic, numeric, bar, 1e-7) <= 1e-7) is passes


def test_without_a_bar_it_is_the_relative_error_of_the_sources():
    assert rel_err(3.0, 1.0, 0.0, 1e-7) == 0.5
    assert rel_err(1.0, 0.0, 0.0, 1e-7) == 1.0
    assert rel_err(1.0, -1.0, 0.0, 1e-7) == 1.0


@given(numbers, numbers, st.floats(0, 1e100), st.floats(1e-12, 0.1))
def test_it_is_at_most_1_and_decides_as_bar_and_rtol_do(analytic, numeric, bar, rtol):
    error = rel_err(analytic, numeric, bar, rtol)
    assert 0 <= error <= 1 + 1e-12
    difference = abs(analytic - numeric)
    limit = max(bar, tolerance(analytic, numeric, rtol))
    if difference < 0.999 * limit:
        assert error <= rtol
    if difference > 1.001 * limit > 0:
        assert error > rtol


def test_an_unknown_slope_is_no_agreement():
    assert not rel_err(1.0, np.nan, np.inf, 1e-7) <= 1e-7


def test_tolerance_is_relative_to_both():
    assert tolerance(3.0, -1.0, 1e-3) == pytest.approx(4e-3)


def test_the_figures_of_an_outcome():
    outcome = Outcome(4, 1, Status.FAIL, -3.0, 1.0, 0.5)
    assert (outcome.difference, outcome.size) == (4.0, 3.0)
    assert outcome.rel_err(1e-7) == rel_err(-3.0, 1.0, 0.5, 1e-7)


def test_statuses_are_in_the_order_of_severity():
    mildest_first = [
        Status.PASS, Status.KINK, Status.JUMP, Status.UNCLEAR, Status.INVALID_AT_KINK, Status.FAIL
    ]  # fmt: skip
    assert sorted(Status) == mildest_first
