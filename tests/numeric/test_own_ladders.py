"""Refined ladders are those of each element with noise of its own, in columns."""

import numpy as np
import pytest

from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.ladders import take_ladders
from gradcheck_cli.numeric.noise import Noise, scaled_norm
from gradcheck_cli.numeric.own_ladders import refine
from gradcheck_cli.numeric.own_noise import own_noise
from gradcheck_cli.numeric.steps import DECADE, HALF_DECADE, default_eps, ladder_steps, step_sizes
from gradcheck_cli.numeric.weights import Weights
from tests.numeric.slabs import Slabs
from tests.numeric.test_survey import hashed

pytestmark = pytest.mark.usefixtures("unwarned")

X = np.array([0.3, -1.2, 2.0, 1e-5, 5.0, 0.0, 3e3])


def mixed(x):
    """Outputs that depend on two neighbours; a constant one, a large one, one with noise, one with stairs."""
    noise = 1e-11 * hashed(x[0] + x[2])[0]
    return np.array([*np.sin(x[:-1] * x[1:]), 7.0, 1e6 + x[0], np.tanh(x[4]) + noise, np.round(x[1], 9)])


def steps_of(point):
    return step_sizes(point.scales, default_eps(np.dtype(float)))


def noise_of(point):
    return Noise(point.outputs.epsilon, np.zeros(point.base.size), point.base)


def refined(point, rows, u):
    """Return the refined ladders of some of all elements, and the coarse ones."""
    weights = Weights(u, noise_of(point))
    (ladders,) = take_ladders(point, np.arange(point.x.size), weights)
    rows = np.array(rows)
    return refine(point, ladders, rows, steps_of(point)[ladders.elements[rows]], weights), ladders


def alone(point, element):
    """Return the ladder of an element in half-decades, and its own noise."""
    ladder = Ladder(point, element)
    for ratio in (DECADE, HALF_DECADE):
        ladder.climb(ladder_steps(float(point.x[element]), point.typical, float(point.spacings[element]), ratio))
    return ladder, own_noise(point, element, steps_of(point)[element], noise_of(point), np.inf)


@pytest.mark.parametrize("slabs", [None, 1, 3])
@pytest.mark.parametrize("call", [mixed, lambda x: np.exp(-x / 50)], ids=["mixed", "elementwise"])
def test_refined_columns_are_the_slopes_of_each_element(call, slabs, point):
    around = point(call, X)
    if slabs:
        touched = None if call is mixed else lambda element: [element]
        around.evaluator = Slabs(around.evaluator, touched, slabs)
    u = np.random.default_rng(0).normal(0, 1, (2, around.base.size))
    own, coarse = refined(around, range(7), u)
    assert own.rows.tolist() == list(range(7))
    assert own.ladders.elements.tolist() == coarse.elements.tolist()
    assert own.sure.sum() >= 5
    for k in np.flatnonzero(own.sure):
        ladder, noise = alone(point(call, X), int(own.ladders.elements[k]))
        for c in range(2):
            slopes = ladder.slopes(u[c], noise)
            depth = len(slopes.h)
            assert own.ladders.h[-depth:, k].tolist() == slopes.h.tolist()
            for name in ("central", "forward", "backward", "sigma", "rise", "fall"):
                column, expected = getattr(own.ladders, name)[c, -depth:, k], getattr(slopes, name)
                np.testing.assert_allclose(column, expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max())
            table = scaled_norm((u[c] * noise.level)[slopes.moved])
            assert own.ladders.table[c, k] == pytest.approx(table, rel=1e-9)


def test_only_what_is_asked_for_is_refined_and_only_what_is_missing_is_evaluated(point):
    around = point(np.sin, X)
    u = np.ones((1, 7))
    weights = Weights(u, noise_of(around))
    (coarse,) = take_ladders(around, np.arange(7), weights)
    before = around.evaluations
    rows = np.array([1, 4])
    own = refine(around, coarse, rows, steps_of(around)[coarse.elements[rows]], weights)
    assert own.ladders.elements.tolist() == coarse.elements[rows].tolist()
    missing = [int((np.unique(coarse.h[:, row]).size - 1) * 2) for row in rows]
    assert around.evaluations == before + sum(missing) + 2 * 14


@pytest.mark.parametrize(
    ("call", "sure"),
    [
        (np.sin, True),
        (lambda x: np.floor(x / 1e-7 + 0.5) * 1e-7, True),
        (lambda x: np.sin(1e6 * x), False),
        (hashed, False),
        (lambda x: np.tanh(x.astype(np.float32)).astype(float), False),
    ],
    ids=["smooth", "stairs", "oscillation", "noise", "single"],
)
def test_what_one_table_does_not_tell_is_not_sure(call, sure, point):
    around = point(call, [0.3, 0.7])
    own, _ = refined(around, [0, 1], np.ones((1, 2)))
    assert own.sure.tolist() == [sure, sure]
    if sure:
        levels = [alone(around, element)[1].level[element] for element in (0, 1)]
        assert own.ladders.table[0].tolist() == pytest.approx(levels, rel=1e-9)


def test_nothing_is_refined_where_the_outputs_of_an_element_can_not_be_matched(point):
    around = point(np.sin, X)
    weights = Weights(np.ones((1, 7)), noise_of(around))
    (ladders,) = take_ladders(around, np.arange(7), weights)
    around.evaluator = Slabs(around.evaluator, lambda element: [element], 2)
    assert refine(around, ladders, np.array([0, 1]), steps_of(around)[:2], weights) is None
