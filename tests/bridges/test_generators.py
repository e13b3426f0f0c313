"""The global generators are given back as they were."""

import random

import numpy as np
import pytest

from gradcheck_cli.bridges.generators import Generators, seeded


def draw():
    return random.random(), np.random.rand()


def test_seeded_block_draws_the_same_and_leaves_no_trace():
    before = Generators()
    with seeded():
        first = draw()
    with seeded():
        assert draw() == first
    assert not before.moved()


def test_generators_are_given_back_after_an_error():
    before = Generators()
    with pytest.raises(ValueError, match="inside"), seeded():
        draw()
        raise ValueError("inside")
    assert not before.moved()


@pytest.mark.parametrize("draw_one", [random.random, np.random.rand])
def test_drawing_is_noticed_and_repeated(draw_one):
    start = Generators()
    first = draw_one()
    assert start.moved()
    after = Generators()
    with start.again():
        assert draw_one() == first
    assert not after.moved()
