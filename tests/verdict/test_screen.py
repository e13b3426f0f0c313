"""Tier 1: a pair acquits where it agrees, is sharp enough and shows no kink, and nothing else."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.pairs import take_pairs
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.verdict.screen import First, confirms, figures, screen, screen_elements

RTOL = 1e-7

pytestmark = pytest.mark.usefixtures("unwarned")


def first(central=1.0, gap=0.0, noise=0.0):
    """The figures of one pair under one cotangent, whose one-sided slopes are `gap` apart."""
    return First(*(np.array([[number]]) for number in (central, central + gap / 2, central - gap / 2, noise)))


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
    agrees, noisy = screen(seen, np.array([[analytic]]), RTOL)
    assert (agrees.item(), noisy.item()) == (answer == "agrees", answer == "noisy")


def test_one_sided_slopes_that_noise_drives_apart_are_no_kink():
    assert not first(gap=0.1, noise=0.02).kinked.any()
    assert first(gap=0.1, noise=0.009).kinked.all()


def test_straightness_is_the_share_by_which_the_sides_differ():
    assert first(gap=0.02).straight.item() == pytest.approx(0.02, rel=0.02)
    assert first(0.0).straight.item() == 0


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
    assert confirms(wider, first(noise=1e-6), np.array([[analytic]]), RTOL).tolist() == [[sure]]


def seen_of(around, u, element=0, h=0.5):
    """The figures of one element, whose outputs are only rounded."""
    noise = Noise(np.full(around.base.size, 1e-16), np.zeros(around.base.size), around.base)
    return figures(take_pairs(around, np.array([element]), np.array([h]), Weights([np.array(u)], noise)))


def test_figures_contract_a_pair(point):
    seen = seen_of(point(lambda x: np.array([1.0, 10.0]) * x**2, 3.0), [1.0, -1.0])
    assert seen.central.item() == pytest.approx(-54)
    assert seen.forward.item() == pytest.approx(-9 * 6.5)
    assert seen.backward.item() == pytest.approx(-9 * 5.5)
    # The rounding of 10 * 3.5 ** 2, the larger, over the step.
    assert seen.noise.item() == pytest.approx(1e-16 * np.hypot(12.25, 122.5) / 0.5)


def test_outputs_that_did_not_move_add_no_noise(point):
    seen = seen_of(point(lambda x: np.array([x[0], 1e10]), [1.0]), [1.0, 1.0])
    assert seen.noise.item() == pytest.approx(3e-16)


def test_the_small_change_of_a_large_output_is_kept(point):
    seen = seen_of(point(np.exp, [-30.0, 600.0]), [1.0, 1.0], h=2.0**-20)
    assert seen.central.item() == pytest.approx(np.exp(-30), rel=1e-6)


def screened(around, analytic, level=0.0, h=2.0**-18):
    """Screen every element under one cotangent of ones; `analytic` is the gradient of the sum."""
    noise = Noise(np.full(around.base.size, 1e-16), np.full(around.base.size, level), around.base)
    elements = np.arange(around.x.size)
    steps = np.full(around.x.size, h)
    return screen_elements(
        around, elements, Weights([np.ones(around.base.size)], noise), steps, np.array([analytic]), RTOL
    )


def test_elements_pass_or_are_suspicious_or_silent(point):
    around = point(lambda x: np.array([np.sin(x[0]), x[1] ** 2, abs(x[2]), 2 * x[3]]), [0.5, 1.0, 0.0, 1.0, 7.0])
    seen = screened(around, [np.cos(0.5), 2.1, 0.0, 2.0, 0.0])
    assert seen.passed.tolist() == [True, False, False, True, False]
    assert seen.suspicious.tolist() == [False, True, True, False, False]
    assert seen.silent.tolist() == [False, False, False, False, True]
    assert seen.numeric[0, [0, 3]] == pytest.approx([np.cos(0.5), 2.0])
    assert seen.bar[0, 3] == pytest.approx(3 * 1e-16 * 2 / 2.0**-18, rel=1e-4)


def test_an_element_without_effect_that_has_a_gradient_is_suspicious(point):
    seen = screened(point(lambda x: 2 * x[:1], [1.0, 5.0]), [2.0, 1e-9])
    assert seen.suspicious.tolist() == [False, True]
    assert not seen.silent.any()


def test_noise_asks_for_a_wider_pair_of_these_elements_alone(point):
    around = point(lambda x: np.array([3e-3 * x[0], 3 * x[1]]), [1.0, 1.0])
    sharp = screened(around, [3e-3, 3.0], level=1e-15)
    assert around.evaluations == 6
    assert sharp.passed.all()
    # The bar of the wider pair is narrower.
    assert sharp.bar[0] == pytest.approx([3e-15 / 2.0**-13, 3e-15 / 2.0**-18], rel=1e-3)
    blurred = screened(around, [3e-3, 3.0], level=1e-10)
    assert blurred.suspicious.tolist() == [True, True]


def test_every_cotangent_has_to_pass(point):
    around = point(lambda x: np.array([2 * x[0], 3 * x[1]]), [1.0, 1.0])
    noise = Noise(np.full(2, 1e-16), np.zeros(2), around.base)
    weights = Weights([np.ones(2), np.array([1.0, -2.0])], noise)
    analytic = np.array([[2.0, 3.0], [2.0, -5.0]])
    seen = screen_elements(around, np.arange(2), weights, np.full(2, 2.0**-18), analytic, RTOL)
    assert seen.passed.tolist() == [True, False]
    assert seen.numeric == pytest.approx(np.array([[2.0, 3.0], [2.0, -6.0]]))
