"""Pairs of many elements: realised steps, changes on both sides, and their noise."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.pairs import take_pairs
from gradcheck_cli.numeric.weights import Weights

pytestmark = pytest.mark.usefixtures("unwarned")


def pairs(point, elements, steps, u=None):
    noise = Noise(point.outputs.epsilon, np.zeros_like(point.base), point.base)
    weights = Weights([np.ones(point.base.size)] if u is None else u, noise)
    return take_pairs(point, np.array(elements), np.array(steps), weights)


def test_both_sides_of_every_element_are_contracted(point):
    around = point(lambda x: x * x, [3.0, 1.0, -2.0])
    seen = pairs(around, [2, 0], [0.5, 0.25], [np.ones(3), np.array([1.0, 0.0, -2.0])])
    assert seen.above.tolist() == seen.below.tolist() == [0.5, 0.25]
    assert seen.rise.tolist() == [[-1.75, 1.5625], [3.5, 1.5625]]
    assert seen.fall.tolist() == [[2.25, -1.4375], [-4.5, -1.4375]]
    assert seen.stirred.all()
    assert around.evaluations == 4


def test_the_steps_are_those_that_were_realised(point):
    seen = pairs(point(lambda x: x, [1.0, 1e8]), [0, 1], [3e-16, 1e-7])
    assert seen.above.tolist() == [(1 + 3e-16) - 1, (1e8 + 1e-7) - 1e8]
    assert seen.below.tolist() == [1 - (1 - 3e-16), 1e8 - (1e8 - 1e-7)]


def test_what_stays_is_known_and_what_has_no_value_is_not_finite(point):
    seen = pairs(point(lambda x: np.log(x[:2]), [1.0, 0.25, 5.0]), [0, 1, 2], [0.5, 0.5, 0.5])
    assert seen.stirred.tolist() == [True, True, False]
    assert np.isfinite(seen.rise[0]).tolist() == [True, True, True]
    assert np.isfinite(seen.fall[0]).tolist() == [True, False, True]
    assert (seen.rise[0, 2], seen.fall[0, 2], seen.noise[0, 2]) == (0, 0, 0)


def test_noise_is_that_of_the_outputs_that_moved_over_the_step(point):
    seen = pairs(point(lambda x: np.array([3 * x[0], 1e9 + 0 * x[0]]), [1.0]), [0], [0.25])
    assert seen.noise.item() == pytest.approx(3.75 * 2.0**-52 / 0.25)
