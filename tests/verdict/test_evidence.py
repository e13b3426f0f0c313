"""The evidence of a parameter: columns of what was compared, in the order of the elements."""

import numpy as np
import pytest

from gradcheck_cli.verdict.evidence import gather
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Outcome, Status
from gradcheck_cli.verdict.passes import Passes


def finished(passes, outcomes):
    done = Finished()
    done.add(passes, outcomes)
    return done


def test_passes_and_outcomes_are_side_by_side_in_the_order_of_the_elements():
    analytic = np.array([[1.0, 5.0], [-1.0, -5.0]])
    passes = Passes.of(np.array([0, 4]), analytic, analytic + 0.5, np.full((2, 2), 0.1))
    outcomes = [
        Outcome(2, 0, Status.FAIL, 3.0, 4.0, 0.2),
        Outcome(2, 1, Status.FAIL, -3.0, -4.0, 0.2),
        Outcome(1, 0, Status.PASS, 2.0, 2.5, 0.3),
    ]
    evidence = gather("W", (5,), finished(passes, outcomes))
    assert (evidence.parameter, evidence.shape) == ("W", (5,))
    assert evidence.elements.tolist() == [0, 1, 2, 4]
    assert evidence.analytic.tolist() == [1, 2, 3, 5]
    assert evidence.numeric.tolist() == [1.5, 2.5, 4, 5.5]
    assert evidence.bar.tolist() == [0.1, 0.3, 0.2, 0.1]


@pytest.mark.parametrize("status", [Status.KINK, Status.JUMP, Status.UNCLEAR, Status.INVALID_AT_KINK])
def test_elements_without_a_gradient_to_compare_with_are_left_out(status):
    outcomes = [Outcome(0, 0, status, 2.0, 2.5, 0.3), Outcome(1, 0, Status.FAIL, 2.0, 2.5, 0.1)]
    assert gather("x", (2,), finished(Passes.none(), outcomes)).elements.tolist() == [1]


def test_elements_that_were_only_measured_are_among_them():
    done = finished(Passes.none(), [Outcome(0, 0, Status.FAIL, 1.0, 2.0, 0.1)])
    done.leave(Passes.of(np.array([2, 1]), np.array([[7.0, 8.0]]), np.array([[9.0, 6.0]]), np.array([[0.5, 0.25]])))
    evidence = gather("x", (3,), done)
    assert evidence.elements.tolist() == [0, 1, 2]
    assert evidence.numeric.tolist() == [2, 6, 9]
    assert evidence.bar.tolist() == [0.1, 0.25, 0.5]
    assert done.elements.tolist() == [0, 1, 2]


def test_no_outcomes_and_no_passes_are_no_rows():
    assert gather("x", (), finished(Passes.none(), [])).elements.tolist() == []
    only = gather("x", (), finished(Passes.none(), [Outcome(0, 0, Status.FAIL, 1.0, 2.0, 0.1)]))
    assert (only.elements.tolist(), only.numeric.tolist()) == ([0], [2.0])


@pytest.mark.parametrize("order", [[0, 1, 3], [3, 0, 1]])
def test_passes_alone_are_in_the_order_of_the_elements(order):
    given = np.array(order)
    figures = given[None] / 2.0
    evidence = gather("x", (4,), finished(Passes.of(given, figures, figures + 1, figures + 2), []))
    assert evidence.elements.tolist() == [0, 1, 3]
    assert evidence.analytic.tolist() == [0, 0.5, 1.5]
    assert evidence.numeric.tolist() == [1, 1.5, 2.5]
    assert evidence.bar.tolist() == [2, 2.5, 3.5]
