"""What a check costs, and which parameters are checked in part where all would take too long."""

import time

import pytest

from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.budget import (
    SURVEY,
    Cost,
    Trial,
    beside,
    estimate_costs,
    plan_text,
    seconds_per_element,
    share_out,
    time_text,
)


def test_what_fits_is_checked_whole():
    assert share_out([Cost("x", 30, 1.0), Cost("y", 30, 1.0)], 60.0) == {}
    assert share_out([], 60.0) == {}


def test_what_a_small_parameter_does_not_need_goes_to_a_large_one():
    costs = [Cost("W", 1_000_000, 1e-3), Cost("b", 100, 1e-3)]
    assert share_out(costs, 60.0) == {"W": 50_000}
    assert share_out(costs, 10.0) == {"W": 9_000}


def test_large_parameters_share_and_none_is_left_without_elements():
    assert share_out([Cost("V", 1000, 1.0), Cost("W", 1000, 2.0)], 60.0) == {"V": 30, "W": 10}
    assert share_out([Cost("V", 1000, 10.0), Cost("W", 5, 100.0)], 1.0) == {"V": 10}


def test_a_sample_that_a_person_chose_is_left_alone_and_counts():
    costs = [Cost("V", 50, 1.0), Cost("W", 1000, 0.1)]
    assert share_out(costs, 60.0, settled=["V"]) == {"W": 100}


def estimated(counts, seconds, limit, prices):
    """Return the estimate, and which parameters were measured, where an element takes its entry in `prices`."""
    measured = []

    def measure(name, plenty, patience):
        assert plenty >= 0
        assert 0 < patience <= 0.25
        measured.append(name)
        return prices[name]

    return estimate_costs(counts, seconds, limit, measure), measured


def test_what_one_evaluation_shows_to_be_short_is_not_measured():
    estimate, measured = estimated({"W": 10, "b": 5}, 0.01, 60.0, {})
    assert measured == []
    assert estimate.costs == ()
    assert (estimate.evaluations, estimate.seconds) == (2 * 15 + 2 * SURVEY, pytest.approx(0.7))


def test_the_most_expensive_parameter_tells_for_all_where_they_fit_at_its_price():
    estimate, measured = estimated({"W": 1000, "b": 1000}, 0.1, 60.0, {"W": 1e-3})
    assert measured == ["W"]
    assert estimate.costs == ()
    assert estimate.seconds == pytest.approx(2.0)


def test_every_parameter_is_measured_where_they_may_not_fit():
    estimate, measured = estimated({"W": 1000, "none": 0, "b": 100}, 0.1, 60.0, {"W": 0.5, "b": 0.01})
    assert measured == ["W", "b"]
    assert estimate.costs == (Cost("W", 1000, 0.5), Cost("b", 100, 0.01))
    assert estimate.seconds == pytest.approx(501.0)


def test_no_budget_leaves_everything():
    assert share_out([Cost("W", 10**9, 1e9)], float("inf")) == {}


class Clock:
    """Time that passes only as elements are checked, so many seconds an evaluation; the first element takes more."""

    def __init__(self, monkeypatch, seconds, pairs=1, right=True, warm=0.0):
        self.now, self.seconds, self.pairs, self.right, self.warm, self.tried = 0.0, seconds, pairs, right, warm, []
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def check(self, elements):
        evaluations = SURVEY + 2 * self.pairs * elements.size
        self.now += self.seconds * evaluations + (0.0 if self.tried else self.warm)
        self.tried.append(elements.size)
        return Trial(evaluations, self.right)


@pytest.mark.parametrize("pairs", [1, 11])
def test_an_element_takes_what_many_take_more_than_one(pairs, monkeypatch):
    clock = Clock(monkeypatch, 1e-4, pairs)
    assert seconds_per_element(10**6, clock.check, 0.0, 0.25) == pytest.approx(2e-4 * pairs)
    assert clock.tried[:3] == [1, 8, 64]


def test_what_the_first_element_pays_for_does_not_make_the_others_free(monkeypatch):
    clock = Clock(monkeypatch, 1e-4, warm=0.1)
    assert 2e-4 <= seconds_per_element(10**6, clock.check, 0.0, 0.05) <= 0.1
    clock = Clock(monkeypatch, 1e-4, warm=0.1)
    assert seconds_per_element(10**6, clock.check, 0.0, 10.0) == pytest.approx(2e-4, rel=0.2)


def test_measuring_ends_where_time_is_up_or_enough_was_seen(monkeypatch):
    clock = Clock(monkeypatch, 1.0)
    assert seconds_per_element(500, clock.check, 0.0, 0.25) == pytest.approx(1.5 * 2)
    assert clock.tried == [1]
    clock = Clock(monkeypatch, 1e-6)
    assert seconds_per_element(10**6, clock.check, 1e-3, 0.25) <= 1e-3
    assert clock.tried == [1, 8]
    clock = Clock(monkeypatch, 1e-6)
    seconds_per_element(30, clock.check, 0.0, 0.25)
    assert clock.tried == [1, 8, 30]


def test_wrong_elements_cost_two_evaluations_since_few_of_them_are_looked_at_closely(monkeypatch):
    clock = Clock(monkeypatch, 1e-4, pairs=200, right=False)
    assert seconds_per_element(10**6, clock.check, 0.0, 0.25) == pytest.approx(1.5 * 2e-4)


def test_both_have_to_pass():
    sampled = ParameterResult("x", (9,), 9, 4, Verdict.PASS, 1e-11, 2e-7)
    across = ParameterResult(
        "x", (9,), 9, 0, Verdict.FAIL, 0.5, 1e-7, findings=(Finding("unexplained", ""),), directions=2
    )
    joined = beside(sampled, across)
    assert (joined.verdict, joined.checked, joined.directions, joined.planned) == (Verdict.FAIL, 4, 2, True)
    assert (joined.max_rel_err, joined.resolution) == (0.5, 2e-7)
    assert [finding.name for finding in joined.findings] == ["unexplained"]


def test_where_sampled_elements_are_wrong_these_tell_what_is():
    sampled = ParameterResult("x", (9,), 9, 4, Verdict.FAIL, 0.5, 2e-7)
    across = ParameterResult(
        "x", (9,), 9, 1, Verdict.FAIL, 0.5, 1e-7, findings=(Finding("some-elements", ""),), directions=2
    )
    joined = beside(sampled, across)
    assert (joined.verdict, joined.findings) == (Verdict.FAIL, ())


def test_times_and_plans_are_for_a_person():
    assert [time_text(seconds) for seconds in (61, 600, 36_000)] == ["61 s", "10 min", "10 h"]
    text = plan_text([Cost("W", 1_000_000, 1e-3), Cost("b", 5, 1e-3)], {"W": 5000}, 60.0, 7)
    assert text.startswith("5,000 of 1,000,000 elements of W, seed 7, and 2 random directions across the others: ")
    assert "17 min" in text
