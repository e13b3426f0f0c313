"""Noise: known levels are found, smooth functions have none, and single precision is told from chance."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import (
    TABLE_POINTS,
    Noise,
    difference_table_noise,
    float32_columns,
    holds_single_precision,
    scaled_norm,
    two_sided_noise,
)

STEPS = np.arange(1.0, TABLE_POINTS + 1)


def table(function, spacing=1e-6, x=0.3):
    """Values of one output at equally spaced points above x."""
    return function(x + spacing * STEPS)[:, None]


@pytest.mark.parametrize("level", [1e-300, 1e-12, 1e-8, 1e-3, 1e100])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_known_noise_level_is_found(level, seed):
    drawn = np.random.default_rng(seed).standard_normal((TABLE_POINTS, 1000))
    found = difference_table_noise(level * drawn)
    assert 0.7 * level < np.median(found) < 1.1 * level, f"seed {seed}"
    assert np.mean((found > level / 8) & (found < 4 * level)) > 0.98, f"seed {seed}"


@pytest.mark.parametrize("level", [1e-11, 1e-8, 1e-5])
def test_noise_on_a_smooth_function_is_that_of_the_noise(level):
    rng = np.random.default_rng(2)
    smooth = np.sin(0.3 + 1e-6 * STEPS)[:, None]
    found = difference_table_noise(smooth + level * rng.standard_normal((TABLE_POINTS, 500)))
    assert 0.65 * level < np.median(found) < 1.1 * level


@pytest.mark.parametrize("function", [np.sin, np.exp, np.log, np.sqrt, lambda x: 1e6 * x**3, lambda x: 1 / x])
def test_a_smooth_function_has_no_more_noise_than_its_rounding(function):
    (found,) = difference_table_noise(table(function))
    assert found <= 2 * np.finfo(float).eps * abs(function(0.3))


@pytest.mark.parametrize("function", [lambda k: 0 * k, lambda k: 7 + 0 * k])
def test_a_constant_has_no_noise_at_all(function):
    assert difference_table_noise(function(STEPS)[:, None]) == 0


def test_every_output_has_its_own_noise():
    rng = np.random.default_rng(3)
    columns = np.stack([np.exp(1e-6 * STEPS), 1e-4 * rng.standard_normal(TABLE_POINTS), np.zeros(TABLE_POINTS)], axis=1)
    quiet, loud, none = difference_table_noise(columns)
    assert quiet < 1e-14
    assert 1e-5 < loud < 1e-3
    assert none == 0


def test_a_kink_inside_a_table_is_taken_for_noise():
    (kinked,) = difference_table_noise(table(lambda x: np.abs(x - 0.3 - 3.5e-6)))
    (beside,) = difference_table_noise(table(lambda x: np.abs(x - 0.3 + 3.5e-6)))
    assert kinked > 1e-7
    assert beside < 1e-16


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_table_that_leaves_the_domain_has_infinite_noise(bad):
    values = np.stack([np.ones(TABLE_POINTS), STEPS], axis=1)
    values[4, 1] = bad
    with np.errstate(invalid="ignore"):
        assert difference_table_noise(values).tolist() == [0, np.inf]


@pytest.mark.parametrize(
    ("below", "above", "joined"),
    [
        (1.0, 1.0, 1.0),
        (1.0, 3.0, 3.0),
        (3.0, 1.0, 3.0),
        (1.0, 8.0, 8.0),
        (1.0, 8.1, 1.0),  # a kink on one side
        (1e3, 1e-16, 1e-16),
        (0.0, 1e-16, 0.0),
        (1e-16, np.inf, 1e-16),  # one side outside of the domain
        (np.inf, np.inf, 0.0),
    ],
)
def test_the_larger_of_two_sides_counts_unless_a_kink_made_it(below, above, joined):
    assert two_sided_noise(np.array([below]), np.array([above])).tolist() == [joined]


def test_a_kink_on_one_side_of_x_is_no_noise_of_the_other():
    def kinked(x):
        return np.abs(x - 0.3 - 3.5e-6)

    below, above = table(kinked, -1e-6), table(kinked, 1e-6)
    assert difference_table_noise(above) > 1e-7
    assert two_sided_noise(difference_table_noise(below), difference_table_noise(above)) < 1e-16


def test_outputs_of_single_precision_are_recognised():
    rng = np.random.default_rng(4)
    drawn = rng.standard_normal((15, 3))
    drawn[:, 0] = drawn[:, 0].astype(np.float32)
    drawn[:, 2] = (1e-30 * drawn[:, 2]).astype(np.float32)
    assert float32_columns(drawn).tolist() == [True, False, True]


@pytest.mark.parametrize("values", [[0.5] * 15, [0.0, 0.5, 1.0] * 5, [3.0, -2.0] + [1.0] * 13])
def test_three_round_values_are_single_by_chance(values):
    assert not float32_columns(np.array(values)[:, None]).any()
    assert float32_columns(np.array([*values, 0.25, 0.75, 1.25])[:, None]).all()


def test_one_double_among_singles_makes_them_doubles():
    values = np.float32(0.1) * np.arange(15).astype(np.float32)
    assert float32_columns(values.astype(float)[:, None]).all()
    assert not float32_columns(np.append(values.astype(float), 0.1)[:, None]).any()


def test_what_is_not_finite_or_too_large_for_single_precision():
    values = np.arange(15.0)
    values[3] = np.nan
    assert float32_columns(values[:, None]).all()
    values[4] = 1e300
    assert not float32_columns(values[:, None]).any()


@pytest.mark.parametrize(
    ("values", "single"),
    [
        (np.float32([0.1, 0.7]).astype(float), True),
        (np.array([0.1, 0.7]), False),
        (np.array([0.5, 3.0, -2.0, 4095.0]), False),
        (np.array([0.5, 4097.0]), True),  # thirteen bits
        (np.array([0.0, np.nan, np.inf]), False),
        (np.array([float(np.float32(0.1)), np.nan]), True),
        (np.array([float(np.float32(0.1)), 0.1]), False),
        (np.array([1e300]), False),
        (np.empty(0), False),
        (np.float32([0.5]), True),
        (np.array(float(np.float32(0.1))), True),
    ],
    ids=str,
)
def test_an_array_holds_single_precision_unless_by_chance(values, single):
    assert holds_single_precision(values) is single


def noise(epsilon, level, base):
    return Noise(*(np.array(part, dtype=float) for part in (epsilon, level, base)))


ALL = np.array([True, True])


def test_rounding_is_a_share_of_the_size_and_adds_in_squares():
    seen = noise([1e-16, 1e-7], [0, 0], [3, 4])
    assert seen.of(np.array([1.0, 0.0]), np.array([3.0, 4.0]), ALL) == pytest.approx(3e-16)
    assert seen.of(np.array([0.0, -2.0]), np.array([3.0, 4.0]), ALL) == pytest.approx(8e-7)
    same = noise([1e-16, 1e-16], [0, 0], [3, 4])
    assert same.of(np.ones(2), np.array([3.0, 4.0]), ALL) == pytest.approx(5e-16)


def test_the_larger_of_rounding_and_table_counts():
    assert noise([1e-16, 1e-16], [1e-9, 0], [1, 1]).of(np.ones(2), np.ones(2), ALL) == pytest.approx(1e-9)
    assert noise([1e-3, 1e-3], [1e-9, 0], [1, 1]).of(np.array([1.0, 0.0]), np.ones(2), ALL) == pytest.approx(1e-3)


def test_an_output_that_did_not_move_adds_nothing():
    seen = noise([1e-16, 1e-16], [1e-9, 1e-3], [1, 1])
    assert seen.of(np.ones(2), np.ones(2), np.array([True, False])) == pytest.approx(1e-9)
    assert seen.of(np.ones(2), np.ones(2), np.array([False, False])) == 0


def test_the_level_grows_with_the_outputs_and_never_shrinks():
    seen = noise([0, 0], [1e-9, 0], [2, 2])
    assert seen.of(np.ones(2), np.array([20.0, 2.0]), ALL) == pytest.approx(1e-8)
    assert seen.of(np.ones(2), np.array([0.1, 2.0]), ALL) == pytest.approx(1e-9)


def test_the_level_beside_an_output_of_zero_stays():
    assert noise([0], [1e-9], [0]).of(np.ones(1), np.array([5.0]), np.array([True])) == pytest.approx(1e-9)
    assert noise([0], [0], [0]).of(np.ones(1), np.array([5.0]), np.array([True])) == 0


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200, 1e-320])
def test_a_norm_neither_overflows_nor_underflows(scale):
    assert scaled_norm(scale * np.array([3.0, -4.0])) == pytest.approx(5 * scale, rel=1e-3)


def test_the_norm_of_nothing_zero_and_infinity():
    assert scaled_norm(np.empty(0)) == 0
    assert scaled_norm(np.zeros(3)) == 0
    assert scaled_norm(np.array([1.0, -np.inf])) == np.inf
