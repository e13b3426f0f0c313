"""What is replayed: terms of a sum, slabs, single precision, and elements outside of the domain."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, op
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.moved import Bases, Moved
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.replay import Replay
from gradcheck_cli.numeric.terms import find_terms
from tests.numeric.plans import plan_of, planned, silent


def picky(x):
    """log(x), refusing what has no logarithm."""
    if np.any(x <= 0):
        raise ValueError("x should be positive")
    return np.log(x)


def test_one_element_outside_of_the_domain_leaves_the_others_alone():
    marked = op(batch="elementwise")(picky)
    marked.backward(lambda g, x: g / x)
    values = {"x": np.array([1.0, 2.0, 3.0])}
    plan, why, recording = planned(TracedFunction(lambda v: marked(v["x"])), values)
    assert plan is not None, why
    replay = Replay(plan, "x", values["x"], Outputs(recording.outputs), plan.record.outputs)
    (chunk,) = replay.one_by_one(np.arange(3), np.array([[1.1, -1.0, 3.1]]), silent)
    assert np.isnan(chunk.changes[:, 0, 1]).all()
    assert chunk.changes[:, 0, [0, 2]] == pytest.approx(np.diag([np.log(1.1), 0.0, np.log(3.1 / 3)])[:, [0, 2]])
    assert "x should be positive" in replay.outside
    rows = replay.together(np.array([[1.1, 2.0, 3.0], [-1.0, 2.0, 3.0]]), silent)
    assert np.isnan(rows).tolist() == [[False] * 3, [True] * 3]


def test_single_precision_stays_single():
    values = {"x": np.array([0.5, 1.5], dtype=np.float32)}
    function = TracedFunction(lambda v: F.exp(v["x"]))
    plan, why, recording = planned(function, values)
    assert plan is not None, why
    replay = Replay(plan, "x", values["x"], Outputs(recording.outputs), plan.record.outputs)
    target = np.float64(np.float32(0.75))
    (chunk,) = replay.one_by_one(np.array([0]), np.array([[target]]), silent)
    assert chunk.changes.item() == float(np.exp(np.float32(0.75))) - float(recording.outputs[0][0])


def test_operators_that_draw_numbers_are_looped_from_one_state():
    def noisy(x):
        """x times random numbers."""
        return x * np.random.standard_normal(x.shape)

    def right(g, x, out):
        return g * out / x

    for declared in ({}, {"batch": "elementwise"}):
        marked = op(**declared)(noisy)
        marked.backward(right)
        assert check(marked, np.linspace(1.0, 2.0, 7)).verdict == "pass"


def test_terms_weigh_what_the_forward_says():
    w = np.arange(6.0).reshape(2, 3)
    plan, why = plan_of(lambda w: F.mean(F.tanh(w)) + 1e-3 * F.sum(w * w) - F.sum(-w[0]), w=w)
    assert plan is not None, why
    terms = find_terms(plan)
    assert terms is not None
    by_weight = dict(zip(np.round(terms.weights, 12), terms.slots, strict=True))
    assert np.array_equal(plan.bases[by_weight[round(1 / 6, 12)]], np.tanh(w))
    assert np.array_equal(plan.bases[by_weight[0.001]], w * w)
    total = sum(weight * np.sum(out) for weight, out in zip(terms.weights, terms.like, strict=True))
    assert total == pytest.approx(float(np.mean(np.tanh(w)) + 1e-3 * np.sum(w * w) + np.sum(w[0])), rel=1e-12)


@pytest.mark.parametrize("axis", [None, 0])
def test_a_sum_that_isn_t_uniform_is_no_sum_of_terms(axis):
    def weighted(x):
        """1 x0 + 2 x1 + ..."""
        return np.sum(np.arange(1.0, x.size + 1) * x)

    marked = op(linear=True)(weighted)
    marked.backward(lambda g, x: g * np.arange(1.0, x.size + 1))
    plan, why = plan_of(lambda x: marked(x * x), x=[0.5, 1.5, -1.0])
    assert plan is not None, why
    assert find_terms(plan) is None


def test_slabs_expand_to_what_they_stand_for():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 4))
    bases = Bases([x])
    at = np.array([1, 0]), np.array([3, 1])
    moved = Moved((0, 2), at, rng.standard_normal((3, 2)))
    wanted = np.stack([x, x], axis=-1)
    for k in range(2):
        wanted[at[0][k], :, at[1][k], k] = moved.values[:, k]
        assert np.array_equal(bases.one(0, moved, k), wanted[..., k])
    assert np.array_equal(bases.dense(0, moved), wanted)
    partly = bases.expand(0, moved, (2,))
    assert (partly.axes, partly.values.shape) == ((2,), (2, 3, 2))
    assert np.array_equal(bases.dense(0, partly), wanted)
    assert bases.expand(0, moved, (0, 1, 2)) is moved
