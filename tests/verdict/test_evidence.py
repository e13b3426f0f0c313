"""The evidence of a parameter: columns of what was compared, in the order of the elements."""

import numpy as np
import pytest

from gradcheck_cli.verdict.evidence import gather
from gradcheck_cli.verdict.outcome import Outcome, Status
from gradcheck_cli.verdict.passes import Passes


def test_passes_and_outcomes_are_side_by_side_in_the_order_of_the_elements():
    analytic = np.array([[1.0, 5.0], [-1.0, -5.0]])
    passes = Passes.of(np.array([0, 4]), analytic, analytic + 0.5, np.full((2, 2), 0.1))
    outcomes = [
        Outcome(2, 0, Status.FAIL, 3.0, 4.0, 0.2),
        Outcome(2, 1, Status.FAIL, -3.0, -4.0, 0.2),
        Outcome(1, 0, Status.PASS, 2.0, 2.5, 0.3),
    ]
    evidence = gather("W", (5,), passes, outcomes)
    assert (evidence.parameter, evidence.shape) == ("W", (5,))
    assert evidence.elements.tolist() == [0, 1, 2, 4]
    assert evidence.analytic.tolist() == [1, 2, 3, 5]
    assert evidence.numeric.tolist() == [1.5, 2.5, 4, 5.5]
    assert evidence.bar.tolist() == [0.1, 0.3, 0.2, 0.1]


@pytest.mark.parametrize("status", [Status.KINK, Status.JUMP, Status.UNCLEAR, Status.INVALID_AT_KINK])
def test_elements_without_a_gradient_to_compare_with_are_left_out(status):
    outcomes = [Outcome(0, 0, status, 2.0, 2.5, 0.3), Outcome(1, 0, Status.FAIL, 2.0, 2.5, 0.1)]
    assert gather("x", (2,), Passes.none(), outcomes).elements.tolist() == [1]


def test_no_outcomes_and_no_passes_are_no_rows():
    assert gather("x", (), Passes.none(), []).elements.tolist() == []
    only = gather("x", (), Passes.none(), [Outcome(0, 0, Status.FAIL, 1.0, 2.0, 0.1)])
    assert (only.elements.tolist(), only.numeric.tolist()) == ([0], [2.0])
