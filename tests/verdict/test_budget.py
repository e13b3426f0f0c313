"""What a check costs, and which parameters are checked in part where all would take too long."""

import time

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.point import Outputs, Point
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.budget import (
    SURVEY,
    Cost,
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

    def measure(name, plenty):
        assert plenty >= 0
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


def test_the_cost_of_an_element_is_what_its_evaluations_take():
    values = {"x": np.ones(5)}

    def slow(v):
        time.sleep(0.01)
        return F.tanh(v["x"])

    point = Point(TracedFunction(slow), values, "x", Outputs((np.tanh(values["x"]),)))
    assert 0.02 <= seconds_per_element(point, np.ones(5), 1e-5) < 1.0
    assert 2 <= point.evaluations <= 10


@pytest.mark.parametrize(("constant", "pairs"), [(0.0, 1), (1e4, 2), (1e9, 11)])
def test_an_element_that_rounding_blurs_costs_several_looks(constant, pairs, monkeypatch):
    values, clock = {"x": np.ones(3)}, [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def slow(v):
        clock[0] += 1.0
        return F.sum(v["x"]) + constant

    point = Point(TracedFunction(slow), values, "x", Outputs((np.array(3.0 + constant),)))
    assert seconds_per_element(point, np.ones(1), 1e-7) == pytest.approx(1.5 * 2 * pairs)


def test_both_have_to_pass():
    sampled = ParameterResult("x", (9,), 9, 4, Verdict.PASS, 1e-11, 2e-7)
    across = ParameterResult(
        "x", (9,), 9, 0, Verdict.FAIL, 0.5, 1e-7, findings=(Finding("unexplained", ""),), directions=2
    )
    joined = beside(sampled, across)
    assert (joined.verdict, joined.checked, joined.directions, joined.planned) == (Verdict.FAIL, 4, 2, True)
    assert (joined.max_rel_err, joined.resolution) == (0.5, 2e-7)
    assert [finding.name for finding in joined.findings] == ["unexplained"]


def test_times_and_plans_are_for_a_person():
    assert [time_text(seconds) for seconds in (61, 600, 36_000)] == ["61 s", "10 min", "10 h"]
    text = plan_text([Cost("W", 1_000_000, 1e-3), Cost("b", 5, 1e-3)], {"W": 5000}, 60.0, 7)
    assert text.startswith("5,000 of 1,000,000 elements of W, seed 7, and 2 random directions across the others: ")
    assert "17 min" in text
