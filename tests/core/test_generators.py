"""The global generators are given back as they were."""

import random

import numpy as np
import pytest

from gradcheck_cli.core.generators import Generators, Mark, restored, seeded


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


def next_numbers():
    """The next numbers of both generators, which are left as they are."""
    with restored():
        return np.random.random_sample(3).tolist(), [random.random() for _ in range(3)]


DRAWS = [random.random, lambda: random.gauss(0, 1), np.random.random_sample, np.random.standard_normal]


@pytest.mark.parametrize("draw_one", DRAWS)
@pytest.mark.parametrize("kind", [Generators, Mark])
def test_a_generator_that_was_used_is_seen_to_have_moved(kind, draw_one):
    with restored():
        np.random.random_sample()  # in the middle of a block of numbers only the position changes
        random.random()
        start, before = Generators(), kind()
        assert not before.moved()
        draw_one()
        assert before.moved()
        start.restore()
        assert not before.moved()


@pytest.mark.parametrize("draw_block", [lambda: np.random.bytes(4 * 624), lambda: random.getrandbits(32 * 624)])
@pytest.mark.parametrize("kind", [Generators, Mark])
def test_a_whole_block_of_numbers_leaves_the_position_and_is_seen(kind, draw_block):
    with restored():
        np.random.random_sample()
        before = kind()
        draw_block()
        assert before.moved()


def test_another_generator_put_in_place_of_numpys_is_seen_too():
    twister = np.random.get_bit_generator()
    try:
        np.random.set_bit_generator(np.random.PCG64(1))
        before = Mark()
        assert not before.moved()
        np.random.random_sample()
        assert before.moved()
    finally:
        np.random.set_bit_generator(twister)


def test_no_number_waits_inside_of_a_restored_block():
    with restored():
        np.random.seed(1)
        np.random.standard_normal()  # its partner waits
        assert Generators().waiting
        after = Generators()
        with restored():
            assert not Generators().waiting
        assert not after.moved()


def test_a_seeded_state_leaves_the_generators_alone_until_it_is_restored():
    before = next_numbers()
    start = Generators.from_seed(5)
    assert next_numbers() == before
    with restored():
        start.restore()
        from_seed = np.random.random_sample()
        np.random.seed(5)
        assert np.random.random_sample() == from_seed
