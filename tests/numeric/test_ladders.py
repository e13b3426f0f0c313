"""Ladders of many elements are the ladders of each, in columns."""

import numpy as np
import pytest

from gradcheck_cli.numeric import ladders as module
from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.ladders import take_ladders, take_top_and_beyond
from gradcheck_cli.numeric.noise import Noise, scaled_norm
from gradcheck_cli.numeric.steps import DECADE, ladder_steps
from gradcheck_cli.numeric.weights import Weights
from tests.numeric.slabs import Slabs

pytestmark = pytest.mark.usefixtures("unwarned")

X = np.array([0.3, -1.2, 2.0, 1e-7, 5.0, 0.0, 3e3])


def mixed(x):
    """Outputs that depend on two neighbours, one that is constant, one that is large."""
    return np.array([*np.sin(x[:-1] * x[1:]), 7.0, 1e6 + x[0], np.tanh(x[4])])


def alone(point, element):
    ladder = Ladder(point, element)
    ladder.climb(ladder_steps(float(point.x[element]), point.typical, float(point.spacings[element]), DECADE))
    return ladder


def taken(point, elements, u, level=0.0):
    noise = Noise(point.outputs.epsilon, np.full(point.base.size, level), point.base)
    return list(take_ladders(point, np.array(elements), Weights(u, noise))), noise


@pytest.mark.parametrize("level", [0.0, 1e-12])
@pytest.mark.parametrize("call", [mixed, lambda x: np.sum(np.exp(-x))[None]], ids=["vector", "number"])
def test_columns_are_the_slopes_of_each_element(call, level, point):
    around = point(call, X)
    u = np.random.default_rng(0).normal(0, 1, (2, around.base.size))
    batches, noise = taken(around, range(7), u, level)
    for ladders in batches:
        for k, element in enumerate(ladders.elements):
            for c in range(2):
                slopes = alone(around, int(element)).slopes(u[c], noise)
                depth = len(slopes.h)
                assert ladders.h[-depth:, k].tolist() == slopes.h.tolist()
                assert (ladders.h[:-depth, k] == slopes.h[0]).all()
                for name in ("central", "forward", "backward", "sigma", "rise", "fall"):
                    column = getattr(ladders, name)[c, -depth:, k]
                    size = np.abs(getattr(slopes, name)).max()
                    np.testing.assert_allclose(column, getattr(slopes, name), rtol=1e-6, atol=1e-9 * size)
                assert ladders.rounding[c, k] == pytest.approx(slopes.rounding, rel=1e-9)
                table = scaled_norm((u[c] * noise.level)[slopes.moved])
                assert ladders.table[c, k] == pytest.approx(table, rel=1e-9)
    assert sorted(element for ladders in batches for element in ladders.elements) == list(range(7))


def test_what_was_evaluated_is_handed_on_to_a_ladder(point):
    around = point(mixed, X)
    (ladders,), _ = taken(around, [1, 4, 6], [np.ones(9)])
    before = around.evaluations
    for k, element in enumerate(ladders.elements):
        handed, climbed = ladders.ladder(around, k), alone(point(mixed, X), int(element))
        assert handed.element == element
        assert [pair.h for pair in handed.pairs] == [pair.h for pair in climbed.pairs]
        for one, other in zip(handed.pairs, climbed.pairs, strict=True):
            assert (one.above, one.below) == (other.above, other.below)
            assert (one.plus.tolist(), one.minus.tolist()) == (other.plus.tolist(), other.minus.tolist())
    assert around.evaluations == before


def test_a_ladder_sees_the_outputs_that_its_element_moves(point):
    around = point(lambda x: x * x, X)
    around.evaluator = Slabs(around.evaluator, lambda element: [element], 2)
    batches, _ = taken(around, [4, 1], [np.ones(7)])
    ladder = batches[0].ladder(around, 0)
    assert ladder.positions.tolist() == [4]
    assert ladder.point.base.tolist() == [25.0]
    assert ladder.pairs[0].plus.shape == (1,)
    assert ladder.seen(np.arange(7)).tolist() == [4]
    assert ladder.spread(np.array([3.0])).tolist() == [0, 0, 0, 0, 3, 0, 0]
    before = around.evaluations
    ladder.climb([2.0**-10 * 1.5])
    assert around.evaluations == before + 2
    assert ladder.pairs[-1].plus.shape == (1,)


def test_batches_are_bounded(point, monkeypatch):
    monkeypatch.setattr(module, "KEPT", 1)
    batches, _ = taken(point(np.sin, X), range(7), [np.ones(7)])
    assert len(batches) > 2
    assert sorted(element for ladders in batches for element in ladders.elements) == list(range(7))


def test_an_element_that_no_step_can_move_has_no_steps(point):
    around = point(lambda x: x, np.array([1.0, 2.0]))
    around.spacings = np.array([1.0, 2.0**-51])
    batches, _ = taken(around, [0, 1], [np.ones(2)])
    assert [(ladders.elements.tolist(), len(ladders.h) == 0) for ladders in batches] == [([0], True), ([1], False)]
    assert batches[0].ladder(around, 0).pairs == []


def test_what_a_ladder_lacks_at_its_top_and_beyond(point):
    x = np.array([0.3, -1.2, 50.0])
    around = point(np.sin, x)
    weights = Weights(np.ones((1, 3)), Noise(around.outputs.epsilon, np.zeros(3), around.base))
    (ladders,) = take_ladders(around, np.arange(3), weights)
    seen = {}
    for places, more in take_top_and_beyond(around, ladders.elements, ladders.h[-1], 2, weights):
        seen.update(zip(more.elements.tolist(), more.h.T.tolist(), strict=True))
        assert more.elements.tolist() == ladders.elements[places].tolist()
    for k, element in enumerate(ladders.elements.tolist()):
        decades, h = ladders.h[:, k], np.array(seen[element])
        assert decades[-3] < h[0] < decades[-2] < h[1] < decades[-1] < h[2]
        assert h[-2] < max(abs(x[element]), around.typical, 1.0) <= 1.5 * h[-1]
