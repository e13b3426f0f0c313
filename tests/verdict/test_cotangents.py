"""Cotangents: signed and away from zero, and balanced so that a small output counts beside a large one."""

import numpy as np
import pytest

from gradcheck_cli.verdict.cotangents import balanced, signed_cotangent


def drawn(size, seed=0):
    return signed_cotangent(size, np.random.default_rng(seed))


def test_the_weight_of_one_number_is_1():
    assert drawn(1).tolist() == [1.0]


def test_nothing_has_no_weights():
    assert drawn(0).shape == (0,)


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_signed_and_away_from_zero(seed):
    u = drawn(72, seed)
    assert (u > 0).any()
    assert (u < 0).any()
    assert np.abs(u).min() >= 0.5
    assert np.abs(u).max() <= 1.5
    assert np.unique(np.abs(u)).size == 72


def test_two_weights_are_never_the_same():
    for seed in range(200):
        first, second = drawn(2, seed)
        assert abs(abs(first) - abs(second)) > 1e-9, f"seed {seed}"


def test_weights_follow_the_generator():
    assert np.array_equal(drawn(9, 3), drawn(9, 3))
    assert not np.array_equal(drawn(9, 3), drawn(9, 4))


def test_balanced_outputs_count_the_same():
    u, sensitivity = np.array([1.0, -0.5, 1.5]), np.array([1e8, 1.0, 1e3])
    np.testing.assert_allclose(balanced(u, sensitivity) * sensitivity, u)


def test_an_output_below_the_floor_counts_less():
    """More than eight decades apart the backward's own rounding of the large one would be blamed."""
    seen = balanced(np.ones(3), np.array([1e12, 1e4, 1.0]))
    np.testing.assert_allclose(seen, [1e-12, 1e-4, 1e-4])


def test_an_output_that_does_not_move_gets_the_least_weight():
    np.testing.assert_allclose(balanced(np.array([2.0, 3.0]), np.array([0.0, 10.0])), [0.2, 0.3])


def test_weights_stay_where_nothing_moves():
    u = np.array([1.0, -0.5])
    assert balanced(u, np.zeros(2)).tolist() == u.tolist()
    assert balanced(np.empty(0), np.empty(0)).shape == (0,)
