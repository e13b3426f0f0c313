"""Ladders that are settled together pass as the rule says of each; whatever is odd is left to it."""

import numpy as np
import pytest

from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.ladders import take_ladders
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.steps import default_eps, step_sizes
from gradcheck_cli.numeric.survey import survey
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Cotangent, Status
from gradcheck_cli.verdict.settle import settle, settle_finally, settle_from_above
from gradcheck_cli.verdict.tier2 import examine_elements

pytestmark = pytest.mark.usefixtures("unwarned")

RTOL = 1e-7


def laddered(point, jacobian, cotangents=1, level=None, seed=0):
    """Return the ladders of all elements, their analytic gradients, cotangents and noise."""
    rng = np.random.default_rng(seed)
    steps = step_sizes(point.scales, default_eps(np.dtype(float)))
    noise = survey(point, steps, rng)[0]
    if level is not None:
        noise = Noise(noise.epsilon, np.full(point.base.size, level), point.base)
    us = [np.ones(point.base.size), *rng.normal(0, 1, (cotangents - 1, point.base.size))]
    given = [Cotangent(u, u @ jacobian) for u in us]
    (ladders,) = take_ladders(point, np.arange(point.x.size), Weights(us, noise))
    return ladders, given, noise, steps


def settled(point, jacobian, **options):
    ladders, given, *_ = laddered(point, jacobian, **options)
    analytic = np.array([cotangent.gradient[ladders.elements] for cotangent in given])
    scales = np.maximum(np.abs(point.x[ladders.elements]), point.typical)
    return ladders, settle(ladders, analytic, scales, RTOL)


def smooth(x):
    return np.array([np.sin(x[0]) * x[1], np.exp(-x[2]) + 300, np.tanh(x[3])])


X = np.array([0.7, -1.3, 2.0, 0.2])
SLOPES = np.array(
    [
        [np.cos(0.7) * -1.3, np.sin(0.7), 0, 0],
        [0, 0, -np.exp(-2.0), 0],
        [0, 0, 0, 1 - np.tanh(0.2) ** 2],
    ]
)


@pytest.mark.parametrize("cotangents", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_plain_passes_are_settled_as_the_rule_says(seed, cotangents, point):
    around = point(smooth, X)
    ladders, given, noise, steps = laddered(around, SLOPES, cotangents, seed=seed)
    analytic = np.array([cotangent.gradient[ladders.elements] for cotangent in given])
    seen = settle(ladders, analytic, np.maximum(np.abs(around.x[ladders.elements]), around.typical), RTOL)
    assert seen.passed.sum() >= 3
    for k in np.flatnonzero(seen.passed):
        element = ladders.elements[k]
        outcomes = examine(ladders.ladder(around, k), given, noise, steps[element], RTOL, lambda u: u @ SLOPES)
        for c, outcome in enumerate(outcomes):
            assert outcome.status is Status.PASS
            assert seen.numeric[c, k] == pytest.approx(outcome.numeric, rel=1e-12)
            assert seen.bar[c, k] == pytest.approx(outcome.bar, rel=1e-3)
            assert seen.truncated[c, k] == (outcome.cause == "truncation-dominates")


@pytest.mark.parametrize("slip", [1e-5, 1e-3, 2.0, np.nan])
def test_a_wrong_gradient_is_not_settled(slip, point):
    wrong = SLOPES * (1 + slip * np.array([0, 1, 0, 0]))
    ladders, seen = settled(point(smooth, X), wrong)
    assert not seen.passed[ladders.elements == 1].any()
    assert seen.passed[ladders.elements == 0].all() or np.isnan(slip)


def test_every_cotangent_has_to_settle(point):
    around = point(np.sin, X)
    ladders, given, *_ = laddered(around, np.diag(np.cos(X)), 2)
    analytic = np.array([cotangent.gradient[ladders.elements] for cotangent in given])
    analytic[1, 2] *= 1.01
    seen = settle(ladders, analytic, np.maximum(np.abs(around.x[ladders.elements]), around.typical), RTOL)
    assert seen.passed.tolist() == [True, True, False, True]


@pytest.mark.parametrize(
    ("call", "x", "slope"),
    [
        (np.abs, 0.0, 0.0),
        (lambda x: np.abs(x - 1) + x, 1.0, 1.0),
        (np.sign, 0.0, 0.0),
        (lambda x: np.log(x - 0.999), 1.0, 1e3),
        (lambda x: 3 * np.clip(x - 1, -1e-7, 1e-7) + x, 1.0, 4.0),
        (lambda x: np.floor(x * 1e4) / 1e4, 0.50003, 1.0),
        (lambda x: x * np.nan, 1.0, 1.0),
        (lambda x: 1e9 + x, 1.0, 1.0),
    ],
    ids=["kink", "kink on a slope", "jump", "edge", "parts", "stairs", "no value", "blunt"],
)
def test_what_is_odd_is_left_to_the_rule(call, x, slope, point):
    _, seen = settled(point(call, [x]), np.array([[slope]]), level=0.0)
    assert not seen.passed.any()


def test_a_ladder_without_steps_is_not_settled(point):
    around = point(lambda x: x, np.array([1.0]))
    around.spacings = np.array([1.0])
    _, seen = settled(around, np.eye(1), level=0.0)
    assert seen.passed.tolist() == [False]


def test_elements_are_settled_or_examined_and_each_is_answered(point):
    def call(x):
        return np.array([np.sin(x[0]), abs(x[1]), 1e9 + x[2], np.exp(x[3])])

    x = np.array([0.7, 0.0, 2.0, 0.2])
    jacobian = np.diag([np.cos(0.7), 0.0, 1.0, 1.01 * np.exp(0.2)])
    around = point(call, x)
    _, given, noise, steps = laddered(point(call, x), jacobian, 2)
    chosen = np.arange(4)
    finished = Finished()
    examine_elements(around, chosen, given, noise, steps, RTOL, lambda u: u @ jacobian, finished)
    passes, outcomes = finished.passes, finished.outcomes
    assert [(o.element, o.cotangent) for o in outcomes] == [(e, c) for e in (1, 2, 3) for c in range(2)]
    statuses = {o.element: o.status for o in outcomes if o.cotangent == 0}
    assert (statuses[1], statuses[3]) == (Status.KINK, Status.FAIL)
    assert set(passes.element.tolist()) == {0}
    assert np.all(passes.numeric == pytest.approx(passes.analytic, rel=1e-7))


@pytest.mark.parametrize("seed", range(4))
def test_a_kink_beside_the_point_is_settled_and_named_as_the_rule_does(seed, point):
    kinks = 10.0 ** np.random.default_rng(seed).uniform(-7, -5, 12)
    around = point(lambda x: np.maximum(x - 1, kinks) * 3 + x, np.ones(12))
    jacobian = np.eye(12)
    ladders, given, noise, steps = laddered(around, jacobian, level=0.0, seed=seed)
    seen = settle(ladders, np.array([given[0].gradient[ladders.elements]]), np.ones(12), RTOL)
    beside = seen.passed & ~np.isnan(seen.kink_within[0])
    assert beside.sum() >= 8, seed
    for k in np.flatnonzero(beside):
        element = ladders.elements[k]
        (outcome,) = examine(ladders.ladder(around, k), given, noise, steps[element], RTOL, lambda u: u @ jacobian)
        assert outcome.status is Status.PASS
        assert outcome.kink_within == seen.kink_within[0, k]


def test_a_kink_at_the_point_is_left_to_the_rule(point):
    ladders, seen = settled(point(lambda x: np.abs(x - X), X), np.zeros((4, 4)))
    assert len(ladders.elements) == 4
    assert not seen.passed.any()


def from_above(point, jacobian, level=0.0):
    """Return which elements the six largest steps settle, in the order of the elements, and the noise they had."""
    noise = Noise(point.outputs.epsilon, np.full(point.base.size, level), point.base)
    u = np.ones(point.base.size)
    (ladders,) = take_ladders(point, np.arange(point.x.size), Weights([u], noise), 6)
    scales = np.maximum(np.abs(point.x[ladders.elements]), point.typical)
    seen = settle_from_above(ladders, (u @ jacobian)[None, ladders.elements], scales, RTOL)
    return dict(zip(ladders.elements.tolist(), seen.passed.tolist(), strict=True))


def test_large_steps_settle_what_noise_blurs_at_small_ones(point):
    around = point(lambda x: 10 + np.sin(x) * 1e-3, X)
    assert all(from_above(around, np.diag(1e-3 * np.cos(X))).values())


@pytest.mark.parametrize("slip", [1e-5, -2.0, np.nan])
def test_large_steps_settle_no_wrong_gradient(slip, point):
    around = point(lambda x: 10 + np.sin(x) * 1e-3, X)
    assert not any(from_above(around, np.diag(1e-3 * np.cos(X) * (1 + slip))).values())


@pytest.mark.parametrize("distance", [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3])
def test_large_steps_settle_nothing_beside_a_kink(distance, point):
    around = point(lambda x: np.abs(x - X - distance) + x, X)
    assert not any(from_above(around, np.zeros((4, 4))).values())
    assert not any(from_above(around, np.eye(4)).values())


@pytest.mark.parametrize("size", [1e-5, 3e-6, 1e-6])
def test_large_steps_settle_nothing_at_a_kink_that_curvature_hides(size, point):
    """The gap of the curvature is larger at all of these steps; smaller ones show the kink."""
    for kink, settled in ((0.0, True), (size, False)):
        around = point(lambda x, kink=kink: x + 5 * (x - X) ** 2 + kink * np.abs(x - X), X)
        assert list(from_above(around, np.eye(4)).values()) == [settled] * 4
    u = np.ones(4)
    noise = Noise(around.outputs.epsilon, np.zeros(4), around.base)
    steps = step_sizes(around.scales, default_eps(np.dtype(float)))
    for element in range(4):
        given = [Cotangent(u, u)]
        (outcome,) = examine(Ladder(around, element), given, noise, steps[element], RTOL, lambda u: u)
        assert outcome.status is Status.KINK


def test_ladders_without_two_steps_below_show_no_trace(point):
    around = point(np.sin, X)
    weights = Weights([np.ones(4)], Noise(around.outputs.epsilon, np.zeros(4), around.base))
    (ladders,) = take_ladders(around, np.arange(4), weights, 6)
    scales = np.maximum(np.abs(X[ladders.elements]), around.typical)
    analytic = np.cos(X)[None, ladders.elements]
    repeated = ladders._replace(h=np.concatenate([ladders.h[:1], ladders.h[:1], ladders.h[2:]]))
    assert settle_from_above(ladders, analytic, scales, RTOL).passed.all()
    assert not settle_from_above(repeated, analytic, scales, RTOL).passed.any()


@pytest.mark.parametrize(("level", "through"), [(1e-13, True), (1e-6, False)])
def test_a_last_look_settles_what_larger_steps_would_not_sharpen(level, through, point):
    """Noise that blurs even the largest step asks for larger ones."""
    around = point(lambda x: x + 1e3, X)
    ladders, given, *_ = laddered(around, np.eye(4), level=level)
    analytic = np.array([given[0].gradient[ladders.elements]])
    scales = np.maximum(np.abs(X[ladders.elements]), around.typical)
    assert settle_finally(ladders, analytic, scales, 1e-9).passed.tolist() == [through] * 4
    assert not settle(ladders, analytic, scales, 1e-14).passed.any()
    assert not settle_finally(ladders, analytic * 1.01, scales, 1e-9).passed.any()
