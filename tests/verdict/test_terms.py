"""The terms of a sum are compared in its place: what is wrong in the sum is wrong all the same."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Verdict
from gradcheck_cli.verdict import planned
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement

X = np.random.default_rng(4).uniform(0.5, 2.0, (4, 5))
LOGITS = np.array([[50.0, 0.0, -50.0], [1.0, 2.0, 30.0]])


def total(x, *, axis=None):
    """The sum."""
    return np.sum(x, axis=axis)


def average(x, *, axis=None):
    """The mean."""
    return np.mean(x, axis=axis)


def judged(call, values, seed=0):
    """Judge at the point; the parameters' results."""
    judgement = Judgement()
    judge(TracedFunction(call), values, Knobs(), [seed], {}, judgement, list(values))
    return judgement.parameters


@pytest.fixture
def viewed(monkeypatch):
    """Which functions were judged by their terms."""
    seen = []
    find = planned.find_terms
    monkeypatch.setattr(planned, "find_terms", lambda plan: seen.append(find(plan)) or seen[-1])
    return seen


@pytest.mark.parametrize("wrong", [1.0 + 1e-5, 0.5])
@pytest.mark.parametrize("forward", [total, average])
def test_a_wrong_backward_of_the_sum_itself_is_caught(operator, viewed, forward, wrong):
    share = 1.0 if forward is total else 1 / X.size

    def backward_of(factor):
        return lambda g, x: np.full(x.shape, factor * share) * g

    for factor, verdict in ((1.0, Verdict.PASS), (wrong, Verdict.FAIL)):
        reduced = operator(forward, backward_of(factor), batch="axis", linear=True)
        (result,) = judged(lambda v, reduced=reduced: reduced(F.tanh(v["x"])), {"x": X})
        assert viewed[-1] is not None
        assert result.verdict is verdict


def test_one_wrong_entry_of_a_wrong_sum_is_caught(operator, viewed):
    def backward(g, x):
        gradient = np.ones(x.shape)
        gradient[2, 3] = 1.001
        return gradient * g

    reduced = operator(total, backward, batch="axis", linear=True)
    (result,) = judged(lambda v: reduced(F.exp(v["x"])), {"x": X})
    assert viewed[-1] is not None
    assert (result.verdict, result.worst.index) == (Verdict.FAIL, (2, 3))


def test_a_loss_whose_reduction_is_wrong_is_caught(monkeypatch, viewed):
    rule = F.mse_loss.operator.rules[0]
    assert judged(lambda v: F.mse_loss(v["x"], X + 0.3), {"x": X})[0].verdict is Verdict.PASS
    assert viewed[-1] is not None
    call = rule.function
    object.__setattr__(rule, "function", lambda *values: tuple(1.01 * g for g in np.atleast_1d(call(*values))))
    try:
        assert judged(lambda v: F.mse_loss(v["x"], X + 0.3), {"x": X})[0].verdict is Verdict.FAIL
    finally:
        object.__setattr__(rule, "function", call)


def test_what_rounding_hides_inside_a_term_is_seen_in_the_value(viewed):
    """The loss of the first row is exactly 0, and its gradient, of 1e-44, moves it nowhere."""
    for seed in range(3):
        (result,) = judged(lambda v: F.cross_entropy(v["x"], np.array([0, 2])), {"x": LOGITS}, seed)
        assert viewed[-1] is not None
        assert result.verdict is not Verdict.FAIL


def test_terms_give_the_verdicts_of_the_value(monkeypatch):
    def call(v):
        return F.mean(F.tanh(v["x"]) * v["y"]) + 1e-3 * F.sum(v["y"] * v["y"])

    values = {"x": X, "y": X[::-1] - 1}
    found = {}
    for terms in (True, False):
        monkeypatch.setattr(planned, "TERMS", terms)
        found[terms] = judged(call, values)
    for one, other in zip(found[True], found[False], strict=True):
        assert (one.verdict, one.checked) == (other.verdict, other.checked) == (Verdict.PASS, X.size)
        assert one.resolution <= other.resolution
