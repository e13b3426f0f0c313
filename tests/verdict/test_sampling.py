"""Fewer elements where all would take too long: said before it starts, noted, and with directions across the others."""

import itertools

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Verdict
from gradcheck_cli.verdict import budget
from gradcheck_cli.verdict import judge as judging
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


def test_what_is_evaluated_to_measure_the_time_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often that is depends on how busy the machine is, and reports of equal checks must be equal."""

    def evaluations(seconds: float) -> int:
        clock = itertools.count(0.0, seconds)
        monkeypatch.setattr("gradcheck_cli.verdict.budget.time.perf_counter", lambda: next(clock))
        monkeypatch.setattr("gradcheck_cli.verdict.judge.time.perf_counter", lambda: next(clock))
        x = np.random.default_rng(0).normal(size=(40, 40))
        return check(lambda x: F.sum(F.tanh(x) @ F.tanh(x)), {"x": x}, budget=1e9).evaluations

    assert evaluations(1e-9) == evaluations(0.05) == evaluations(3.0)
