"""Passes in columns say what the outcomes of their rows say."""

import numpy as np
import pytest

from gradcheck_cli.verdict.outcome import Outcome, Status
from gradcheck_cli.verdict.passes import Passes

RTOL = 1e-7


def passes(*rows):
    """Return passes with the given (element, cotangent, analytic, numeric, bar)."""
    element, cotangent, analytic, numeric, bar = (np.array(column) for column in zip(*rows, strict=True))
    count = len(rows)
    return Passes(element, cotangent, analytic, numeric, bar, np.zeros(count, dtype=bool), np.full(count, np.nan))


def test_rows_are_elements_under_each_cotangent():
    analytic, numeric = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.5, 2.5], [3.5, 4.5]])
    seen = Passes.of(
        np.array([7, 9]), analytic, numeric, np.array([[0.1, 0.1], [0.2, 0.2]]), np.array([[True, False]] * 2)
    )
    assert len(seen) == 4
    assert seen.outcome(0) == Outcome(7, 0, Status.PASS, 1.0, 1.5, 0.1, "truncation-dominates")
    assert seen.outcome(1) == Outcome(9, 0, Status.PASS, 2.0, 2.5, 0.1)
    assert seen.outcome(3) == Outcome(9, 1, Status.PASS, 4.0, 4.5, 0.2)


def test_parts_are_joined_in_their_order():
    first, second = passes((3, 0, 1.0, 1.0, 0.1)), passes((1, 0, 2.0, 2.0, 0.2), (1, 1, 3.0, 3.0, 0.3))
    joined = Passes.joined([first, Passes.none(), second])
    assert [joined.outcome(row) for row in range(3)] == [first.outcome(0), second.outcome(0), second.outcome(1)]
    assert len(Passes.joined([])) == len(Passes.none()) == 0


@pytest.mark.parametrize("seed", range(3))
def test_size_and_deciding_number_are_those_of_the_outcomes(seed):
    rng = np.random.default_rng(seed)
    rows = [(k, k % 2, *rng.choice([0.0, 1.0, -1e-9, 2.5], 2), rng.choice([0.0, 1e-3])) for k in range(50)]
    seen = passes(*rows)
    outcomes = [seen.outcome(row) for row in range(50)]
    assert seen.size.tolist() == [outcome.size for outcome in outcomes]
    assert seen.rel_err(RTOL).tolist() == [outcome.rel_err(RTOL) for outcome in outcomes]


def test_the_worst_has_the_largest_number_then_the_widest_bar_then_comes_first():
    seen = passes(
        (0, 0, 1.0, 1.0, 0.1),
        (1, 0, 1.0, 1.0, 0.3),
        (2, 1, 1.0, 1.0, 0.3),
        (3, 0, 1.0, 1.0, 0.3),
        (4, 1, 1.0, 1.0 + 1e-6, 0.01),
    )
    everything = np.ones(5, dtype=bool)
    assert seen.worst(RTOL, everything).element == 4
    assert seen.worst(RTOL, seen.element < 4).element == 1
    assert seen.worst(RTOL, seen.cotangent == 1).element == 4
    assert seen.worst(RTOL, seen.element == 0).element == 0
    assert seen.worst(RTOL, ~everything) is None


def test_plain_rows_are_those_under_the_first_cotangent():
    seen = passes((0, 0, 1.0, 1.0, 0.1), (0, 1, 2.0, 2.0, 0.2), (1, 0, 3.0, 3.5, 0.3))
    assert seen.plain.element.tolist() == [0, 1]
    assert seen.plain.bar.tolist() == [0.1, 0.3]
    assert seen.plain.plain is seen.plain
    assert seen.plain.worst(RTOL) == seen.worst(RTOL, seen.cotangent == 0)
    assert len(Passes.none().plain) == 0
    assert Passes.none().worst(RTOL) is None
