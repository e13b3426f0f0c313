"""Tier 1: a pair acquits where it agrees, is sharp enough and shows no kink, and nothing else."""

import numpy as np
import pytest

from gradcheck_cli.numeric.ladder import take_pair
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.verdict.outcome import Cotangent, Status
from gradcheck_cli.verdict.screen import First, acquitted, confirms, figures, screen

RTOL = 1e-7


def first(central=1.0, gap=0.0, noise=0.0):
    """The figures of a pair whose one-sided slopes are `gap` apart."""
    return First(central, central + gap / 2, central - gap / 2, noise)


@pytest.mark.parametrize(
    ("seen", "analytic", "answer"),
    [
        (first(), 1.0, "agrees"),
        (first(), 1.0 + 1e-7, "agrees"),
        (first(), 1.0 - 1e-6, "suspicious"),
        (first(), 0.0, "suspicious"),
        (first(0.0), 0.0, "agrees"),
        (first(1e-30), 1e-30, "agrees"),
        (first(1e-30), 0.0, "suspicious"),
        # Agreement means nothing where the noise is larger.
        (first(noise=1e-8), 1.0, "agrees"),
        (first(noise=1e-7), 1.0, "noisy"),
        (first(noise=1e-6), 1.0, "noisy"),
        (first(noise=1e-5), 1.0, "suspicious"),
        (first(noise=1e-6), 1.0 + 4e-6, "noisy"),
        (first(noise=1e-6), 1.0 + 1e-5, "suspicious"),
        # A kink: the central difference may agree all the same.
        (first(gap=1.0), 1.0, "suspicious"),
        (first(gap=0.02), 1.0, "suspicious"),
        (first(gap=0.009), 1.0, "agrees"),
        (first(0.0, gap=2.0), 0.0, "suspicious"),
        (first(np.nan), 1.0, "suspicious"),
        (first(np.inf), np.inf, "suspicious"),
    ],
)
def test_one_pair_is_judged(seen, analytic, answer):
    assert screen(seen, analytic, RTOL) == answer


def test_one_sided_slopes_that_noise_drives_apart_are_no_kink():
    assert not first(gap=0.1, noise=0.02).kinked
    assert first(gap=0.1, noise=0.009).kinked


def test_straightness_is_the_share_by_which_the_sides_differ():
    assert first(gap=0.02).straight == pytest.approx(0.02, rel=0.02)
    assert first(0.0).straight == 0


@pytest.mark.parametrize(
    ("wider", "analytic", "sure"),
    [
        (first(), 1.0, True),
        (first(1 + 1e-7), 1.0, True),
        (first(1 + 1e-6), 1.0, False),  # the wider pair disagrees with the gradient
        (first(), 1.0 + 1e-6, False),
        (first(1 + 8e-6), 1.0 + 8e-6, False),  # and with the first pair, by more than its noise
        (first(1 + 4e-6), 1.0 + 4e-6, True),
        (first(gap=1e-3), 1.0, False),  # truncation
        (first(gap=1e-4), 1.0, True),
        (first(np.nan), 1.0, False),
    ],
)
def test_a_wider_pair_confirms(wider, analytic, sure):
    assert confirms(wider, first(noise=1e-6), analytic, RTOL) is sure


def test_figures_contract_a_pair(point):
    around = point(lambda x: np.array([1.0, 10.0]) * x**2, 3.0)
    noise = Noise(np.full(2, 1e-16), np.zeros(2), around.base)
    seen = figures(take_pair(around, 0, 0.5), np.array([1.0, -1.0]), around.base, noise)
    assert seen.central == pytest.approx(-54)
    assert seen.forward == pytest.approx(-9 * 6.5)
    assert seen.backward == pytest.approx(-9 * 5.5)
    # The rounding of 10 * 3.5 ** 2, the larger, over the step.
    assert seen.noise == pytest.approx(1e-16 * np.hypot(12.25, 122.5) / 0.5)


def test_outputs_that_did_not_move_add_no_noise(point):
    around = point(lambda x: np.array([x[0], 1e10]), [1.0])
    noise = Noise(np.full(2, 1e-16), np.zeros(2), around.base)
    assert figures(take_pair(around, 0, 0.5), np.ones(2), around.base, noise).noise == pytest.approx(3e-16)


def test_the_small_change_of_a_large_output_is_kept(point):
    around = point(np.exp, [-30.0, 600.0])
    noise = Noise(np.full(2, 1e-16), np.zeros(2), around.base)
    seen = figures(take_pair(around, 0, 2.0**-20), np.ones(2), around.base, noise)
    assert seen.central == pytest.approx(np.exp(-30), rel=1e-6)


def test_the_outcome_of_what_passes():
    outcome = acquitted(2, 1, Cotangent(np.ones(1), np.array([0.0, 0.0, 5.0])), first(5.0, noise=1e-9))
    assert (outcome.element, outcome.cotangent, outcome.status) == (2, 1, Status.PASS)
    assert (outcome.analytic, outcome.numeric, outcome.bar) == (5.0, 5.0, pytest.approx(3e-9))
