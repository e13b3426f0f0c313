"""Elements that nothing moves: settled together where the rule would pass them, left to it where it would not."""

import numpy as np
import pytest

from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.ladders import take_ladders
from gradcheck_cli.numeric.steps import default_eps, step_sizes
from gradcheck_cli.numeric.survey import survey
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.verdict import tier2
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Cotangent, Status
from gradcheck_cli.verdict.screen import screen_elements
from gradcheck_cli.verdict.settle import settle_finally
from gradcheck_cli.verdict.tier2 import examine_elements

pytestmark = pytest.mark.usefixtures("unwarned")

RTOL = 1e-7


def examined(point, gradient, seed=0):
    """Return the statuses by element, of columns and of one after the other, with the elements settled in columns."""
    rng = np.random.default_rng(seed)
    steps = step_sizes(point.scales, default_eps(np.dtype(float)))
    noise = survey(point, steps, rng)[0]
    cotangents = [Cotangent(np.ones(point.base.size), np.asarray(gradient, dtype=float))]

    def gradient_of(u):
        return u.sum() / point.base.size * np.asarray(gradient, dtype=float)

    finished = Finished()
    elements = np.arange(point.x.size)
    examine_elements(point, elements, cotangents, noise, steps, RTOL, gradient_of, finished)
    columns = dict.fromkeys(finished.passes.element.tolist(), Status.PASS)
    columns.update({outcome.element: outcome.status for outcome in finished.outcomes})
    alone = {
        outcome.element: outcome.status
        for element in elements.tolist()
        for outcome in examine(Ladder(point, element), cotangents, noise, steps[element], RTOL, gradient_of)
    }
    return columns, alone, set(finished.passes.element.tolist())


@pytest.mark.parametrize("seed", range(5))
def test_dead_units_pass_however_far_their_kink_is(seed, point):
    kinks = np.random.default_rng(seed).uniform(0.07, 1.5, 20)
    columns, alone, settled = examined(point(lambda x: np.maximum(x - 1 - kinks, 0), np.ones(20)), np.zeros(20))
    assert columns == alone == dict.fromkeys(range(20), Status.PASS), seed
    assert len(settled) == 20, seed


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("seed", range(3))
def test_a_kink_that_only_large_steps_reach_is_named_as_the_rule_does(seed, scale, point):
    """Beside elements that have a gradient, dead ones are settled together, with the same figures."""
    kinks = np.append(np.random.default_rng(seed).uniform(0.005, 0.12, 9), [-9.0])
    around = point(lambda x: np.maximum(x / scale - 1 - kinks, 0), np.full(10, scale))
    gradient = np.append(np.zeros(9), 1 / scale)
    steps = step_sizes(around.scales, default_eps(np.dtype(float)))
    noise = survey(around, steps, np.random.default_rng(seed))[0]
    cotangents = [Cotangent(np.ones(10), gradient)]
    finished = Finished()
    elements = np.arange(10)
    examine_elements(around, elements, cotangents, noise, steps, RTOL, lambda u: u * gradient, finished)
    assert not finished.outcomes, seed
    for row in range(10):
        seen = finished.passes.outcome(row)
        (alone,) = examine(
            Ladder(around, seen.element), cotangents, noise, steps[seen.element], RTOL, lambda u: u * gradient
        )
        assert (alone.status, alone.numeric) == (Status.PASS, pytest.approx(seen.numeric)), (seed, seen)
        assert seen.kink_within == alone.kink_within, (seed, seen)


@pytest.mark.parametrize("kink", [0.03, 0.3])
@pytest.mark.parametrize("gradient", [1e-9, 1.0])
def test_a_dead_unit_with_a_gradient_is_not_settled(gradient, kink, point):
    columns, alone, settled = examined(point(lambda x: np.maximum(x - 1 - kink, 0), np.ones(3)), np.full(3, gradient))
    assert columns == alone
    assert not settled


PLACES = np.arange(1.0, 7.0)


def steep(x):
    """Values near 1 with a slope of 1e-6 and a curvature that changes: noise and truncation leave no sharp decade."""
    y = x - PLACES
    return 1 + 1e-6 * y + 2 * (np.sin(y) - y)


def test_elements_that_pass_but_not_sharply_are_settled_together(point):
    for factor, status in ((1, Status.PASS), (1 + 1e-3, Status.FAIL)):
        columns, alone, settled = examined(point(steep, PLACES), np.full(6, 1e-6 * factor))
        assert columns == alone == dict.fromkeys(range(6), status)
        assert settled == (set(range(6)) if status is Status.PASS else set())


def test_what_was_evaluated_of_elements_that_are_left_is_not_evaluated_again(point, monkeypatch):
    counts, gradient = [], np.full(6, 1e-6)
    cotangents = [Cotangent(np.ones(6), gradient)]
    for settles in (True, False):
        if not settles:
            monkeypatch.setattr(tier2, "settle_finally", nothing_settled)
        around = point(steep, PLACES)
        steps = step_sizes(around.scales, default_eps(np.dtype(float)))
        noise = survey(around, steps, np.random.default_rng(0))[0]
        before, finished = around.evaluations, Finished()
        examine_elements(around, np.arange(6), cotangents, noise, steps, RTOL, lambda u: u * gradient, finished)
        assert [outcome.status for outcome in finished.outcomes] == [Status.PASS] * (0 if settles else 6)
        counts.append(around.evaluations - before)
    table = 14
    assert counts[1] == counts[0] + 6 * table


def nothing_settled(ladders, *rest):
    seen = settle_finally(ladders, *rest)
    return seen._replace(passed=np.zeros_like(seen.passed))


def test_what_is_likely_right_is_tried_with_half_a_ladder_and_the_others_are_not(point, monkeypatch):
    x = np.linspace(1, 2, 20)
    around = point(lambda x: 10 + 1e-3 * np.sin(x), x)
    steps = step_sizes(around.scales, default_eps(np.dtype(float)))
    noise = survey(around, steps, np.random.default_rng(0))[0]
    tried = []

    def taking(point, elements, weights, most=None):
        tried.append((most, set(elements.tolist())))
        return take_ladders(point, elements, weights, most)

    monkeypatch.setattr(tier2, "take_ladders", taking)
    gradient = 1e-3 * np.cos(x) * np.where(np.arange(20) < 15, 1.0, 1.01)
    cotangents = [Cotangent(np.ones(20), gradient)]
    pairs = screen_elements(around, np.arange(20), Weights([np.ones(20)], noise), steps, np.array([gradient]), RTOL)
    finished = Finished()
    examine_elements(around, np.arange(20), cotangents, noise, steps, RTOL, lambda u: u * gradient, finished, pairs)
    assert set(range(15, 20)) == {outcome.element for outcome in finished.outcomes}
    assert all(outcome.status is Status.FAIL for outcome in finished.outcomes)
    assert tried[0] == (6, set(range(15)))
    assert tried[1][0] is None
    assert tried[1][1] >= set(range(15, 20))
    assert finished.elements.tolist() == list(range(20))


@pytest.mark.parametrize("stair", [0.01, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("gradient", [0.0, 1.0])
def test_a_staircase_is_left_to_the_rule(stair, gradient, point):
    around = point(lambda x: np.round(x / stair) * stair, [1.0, 3.0])
    columns, alone, _ = examined(around, [gradient, gradient])
    assert columns == alone


@pytest.mark.parametrize("size", [1e13, 1e14, 1e15, 1e16])
def test_a_gradient_that_the_size_of_the_value_hides_is_not_settled_as_zero(size, point):
    columns, alone, _ = examined(point(lambda x: np.array([size + x[0]]), [1.3]), [0.0])
    assert columns == alone
    assert columns[0] is not Status.PASS or size > 1e15


def test_elements_with_a_gradient_are_not_settled_by_silence(point, monkeypatch):
    monkeypatch.setattr(tier2, "take_steps", None)  # it isn't called
    columns, alone, settled = examined(point(lambda x: 0 * x, [1.0, 2.0]), [1.0, -1.0])
    assert columns == alone
    assert not settled


def test_once_enough_elements_are_wrong_the_others_are_only_measured(point, monkeypatch):
    x = np.linspace(1, 2, 200)
    around = point(np.exp, x)
    steps = step_sizes(around.scales, default_eps(np.dtype(float)))
    noise = survey(around, steps, np.random.default_rng(0))[0]
    wrong = np.exp(x) * np.where(np.arange(200) < 100, 1.001, -1)
    cotangents = [Cotangent(np.ones(200), wrong)]
    examined = []

    def examining(ladder, *rest):
        examined.append(ladder.element)
        return examine(ladder, *rest)

    monkeypatch.setattr(tier2, "examine", examining)
    for exhaustive, count in ((False, 32), (True, 200)):
        examined.clear()
        finished = Finished(exhaustive)
        elements = np.arange(200)
        examine_elements(around, elements, cotangents, noise, steps, RTOL, lambda u: u * wrong, finished)
        assert len(examined) == count
        assert len(finished.left) == 200 - count
        assert finished.elements.tolist() == list(range(200))
        assert all(outcome.status is Status.FAIL for outcome in finished.outcomes)
        # The worst ones come first: those of the wrong sign, the largest before the others.
        assert examined[:2] == [199, 198]


def test_what_can_not_be_decided_is_no_reason_to_stop(point):
    around = point(lambda x: np.round(x / 0.01) * 0.01, np.linspace(1, 2, 50))
    columns, alone, _ = examined(around, np.full(50, 0.5))
    assert columns == alone
