"""The choice of the step: errors that are known are estimated, and the best step is found."""

import numpy as np
import pytest

from gradcheck_cli.numeric.step_choice import SAFETY, best_extrapolation, best_step, estimated_errors

H = 10.0 ** np.arange(-10, 0)
HALVES = 10.0 ** np.arange(-10, -0.5, 0.5)


def measured(h, truncation, noise, order=2, seed=0, slope=1.0):
    """Slopes with a truncation of `truncation` * h^order and the noise of a value known to `noise`."""
    drawn = np.random.default_rng(seed).standard_normal(len(h))
    return slope + truncation * h**order + noise * drawn / h, np.full(len(h), noise)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [1e-16, 1e-12, 1e-8])
@pytest.mark.parametrize("truncation", [1e-3, 1.0, 1e3])
def test_the_bar_holds_the_true_slope(truncation, noise, seed):
    slope, sigma = measured(HALVES, truncation, noise, seed=seed)
    best, error = best_step(HALVES, slope, sigma)
    assert abs(slope[best] - 1) <= SAFETY * error, f"seed {seed}"
    # Not much wider than the best that any step could do.
    least = np.min(noise / HALVES + truncation * HALVES**2)
    assert error <= 30 * least, f"seed {seed}"


def test_without_truncation_the_error_is_the_noise_over_the_step():
    slope, sigma = np.full(10, 3.0), np.full(10, 1e-12)
    np.testing.assert_allclose(estimated_errors(H, slope, sigma), sigma / H)
    assert best_step(H, slope, sigma) == (9, pytest.approx(1e-11))


def test_without_noise_the_error_is_the_change_to_a_neighbour():
    slope = 1 + H**2
    errors = estimated_errors(H, slope, np.zeros(10))
    assert (errors >= (slope - 1) * (1 - 1e-12)).all()
    assert np.argmin(errors) <= 2


def test_a_kink_nearby_is_seen_by_disagreement_with_all_smaller_steps():
    """Slope 1 up to 1e-5 and 0.3 beyond: the larger steps agree among themselves, and are wrong."""
    slope = np.where(H < 1e-5, 1.0, 0.3)
    sigma = np.full(10, 1e-14)
    best, error = best_step(H, slope, sigma)
    assert slope[best] == 1.0
    assert SAFETY * error < 0.01
    errors = estimated_errors(H, slope, sigma)
    assert (errors[slope == 0.3] > 0.5).all()


def test_smaller_steps_that_only_their_noise_drives_away_don_t_count():
    slope, sigma = measured(H, 0.0, 1e-10, seed=1)
    best, error = best_step(H, slope, sigma)
    assert best >= 7
    assert error < 1e-7


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_step_whose_slope_is_not_finite_has_an_infinite_error(bad):
    slope = np.where(H > 1e-4, bad, 1.0)
    with np.errstate(invalid="ignore"):
        errors = estimated_errors(H, slope, np.full(10, 1e-12))
    assert (errors[H > 1e-4] == np.inf).all()


def test_a_step_whose_slope_is_not_finite_spoils_no_other():
    slope = np.where(H > 1e-4, np.nan, 1.0)
    best, error = best_step(H, slope, np.full(10, 1e-12))
    assert slope[best] == 1.0
    assert np.isfinite(error)


def test_beyond_the_element_s_own_scale_only_flat_stretches_count():
    """Noise hides all steps but the last three, at which the slope falls as that of a saturated function does."""
    slope, sigma = np.append(np.ones(7), [0.8, 0.5, 0.2]), np.full(10, 0.1)
    assert best_step(H, slope, sigma)[0] == 9
    assert best_step(H, slope, sigma, reach=1e-4)[0] == 6
    best, error = best_step(H, np.full(10, 2.0), sigma, reach=1e-4)
    assert (best, error) == (9, pytest.approx(1.0))


def test_a_change_of_a_tenth_beyond_the_own_scale_is_not_flat():
    slope = np.where(np.arange(10) == 8, 1.2, 1.0)
    best, _ = best_step(H, slope, np.full(10, 1e-6), reach=1e-8)
    assert best < 8


def test_one_step_alone_is_as_good_as_its_noise():
    assert best_step(np.array([1e-3]), np.array([2.0]), np.array([1e-9])) == (0, pytest.approx(1e-6))


@pytest.mark.parametrize("seed", range(5))
def test_extrapolation_cancels_the_leading_truncation(seed):
    slope, sigma = measured(HALVES, 1.0, 1e-16, seed=seed)
    slope = slope + 0.3 * HALVES**4
    _, error = best_step(HALVES, slope, sigma)
    index, refined, refined_error = best_extrapolation(HALVES, slope, sigma)
    assert refined_error < 0.2 * error
    assert abs(refined - 1) <= SAFETY * refined_error, f"seed {seed}"
    assert 0 < index < len(HALVES)


def test_extrapolation_over_noise_alone_keeps_a_bar_that_holds():
    for seed in range(20):
        slope, sigma = measured(HALVES, 0.0, 1e-9, seed=seed)
        _, refined, error = best_extrapolation(HALVES, slope, sigma)
        assert abs(refined - 1) <= SAFETY * error, f"seed {seed}"


def test_too_few_steps_can_not_be_extrapolated():
    _, _, error = best_extrapolation(H[:3], np.ones(3), np.full(3, 1e-12))
    assert error == np.inf
    assert np.isfinite(best_extrapolation(H[:4], np.ones(4), np.full(4, 1e-12))[2])
