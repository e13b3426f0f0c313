"""What a check costs: fewer elements where all would take too long, said, and with directions across the others."""

import itertools
import time

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.point import Outputs, Point
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict import budget
from gradcheck_cli.verdict import judge as judging
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
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement
from gradcheck_cli.verdict.watcher import Watcher


class Hearing(Watcher):
    """Keeps what is said, and how many evaluations came before it."""

    def __init__(self):
        self.evaluations, self.plans, self.expected = 0, [], []

    def evaluation(self, count=1):
        self.evaluations += count

    def plan(self, text):
        self.plans.append((text, self.evaluations))

    def expect(self, evaluations, seconds):
        self.expected.append((evaluations, seconds))


def judged(call, values, samples=None, **knobs):
    judgement, watcher = Judgement(), Hearing()
    judge(TracedFunction(call), values, Knobs(**knobs), [7], samples or {}, judgement, list(values), watcher)
    return judgement, watcher


@pytest.fixture
def expensive(monkeypatch):
    """Let every element cost a second, as far as the plan goes."""
    monkeypatch.setattr(budget, "_LONG", 0.0)
    monkeypatch.setattr(judging, "seconds_per_element", lambda *_: 1.0)


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


@pytest.mark.usefixtures("expensive")
def test_it_is_said_before_it_starts_and_noted():
    judgement, watcher = judged(
        lambda v: F.tanh(v["x"]) * F.sum(v["b"]), {"x": np.linspace(0, 1, 500), "b": np.ones(3)}
    )
    ((text, before),) = watcher.plans
    assert text.startswith("50 of 500 elements of x, seed 7, and 2 random directions across the others: ")
    assert "about 8 min, more than the budget of 60 s (budget none checks all)" in text
    assert before < 10
    assert judgement.notes == [text]
    x, b = judgement.parameters
    assert (x.checked, x.elements, x.directions, x.planned, x.verdict) == (50, 500, 2, True, Verdict.PASS)
    assert x.element_resolution > 0
    assert (b.checked, b.directions, b.planned) == (3, 0, False)
    assert watcher.expected == []


@pytest.mark.usefixtures("expensive")
@pytest.mark.parametrize("knobs", [{"budget": float("inf")}, {"directions": 2}])
def test_nothing_is_left_out_unasked(knobs):
    judgement, watcher = judged(lambda v: F.tanh(v["x"]), {"x": np.linspace(0, 1, 500)}, **knobs)
    assert watcher.plans == []
    assert judgement.notes == []
    assert not judgement.parameters[0].planned
    assert len(watcher.expected) == 1


@pytest.mark.usefixtures("expensive")
def test_a_chosen_sample_is_not_cut():
    judgement, watcher = judged(lambda v: F.tanh(v["x"]), {"x": np.linspace(0, 1, 500)}, samples={"x": 400})
    assert watcher.plans == []
    assert (judgement.parameters[0].checked, judgement.parameters[0].planned) == (400, False)


@pytest.mark.usefixtures("expensive")
@pytest.mark.parametrize("wrong", range(0, 500, 99))
def test_one_wrong_element_is_found_whether_it_was_sampled_or_not(operator, wrong):
    def double(x):
        """2 * x."""
        return 2 * x

    def backward(g):
        grad = 2 * g
        grad[wrong] *= 1.5
        return grad

    marked = operator(double, backward)
    judgement, _ = judged(lambda v: marked(v["x"]), {"x": np.linspace(1, 2, 500)})
    (x,) = judgement.parameters
    assert x.verdict is Verdict.FAIL
    assert x.worst.index == (wrong,)
    assert x.checked in (60, 61)


def test_a_short_check_measures_nothing():
    _, watcher = judged(lambda v: F.tanh(v["x"]), {"x": np.ones(3)})
    assert watcher.plans == []
    assert [evaluations for evaluations, _ in watcher.expected] == [26]


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


def test_what_is_evaluated_to_measure_the_time_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often that is depends on how busy the machine is, and reports of equal checks must be equal."""

    def evaluations(seconds: float) -> int:
        clock = itertools.count(0.0, seconds)
        monkeypatch.setattr("gradcheck_cli.verdict.budget.time.perf_counter", lambda: next(clock))
        monkeypatch.setattr("gradcheck_cli.verdict.judge.time.perf_counter", lambda: next(clock))
        x = np.random.default_rng(0).normal(size=(40, 40))
        return check(lambda x: F.sum(F.tanh(x) @ F.tanh(x)), {"x": x}, budget=1e9).evaluations

    assert evaluations(1e-9) == evaluations(0.05) == evaluations(3.0)
