"""The ruling on one element: pass, fail, corner, or what keeps it open."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.verdict.outcome import Status
from gradcheck_cli.verdict.ruling import GREY, Evidence, Ruling, as_outcome, is_settled, rule

pytestmark = pytest.mark.usefixtures("unwarned")

RTOL = 1e-7
N = 17


def evidence(slopes=None, base=1.0, scale=1.0, gradient_of=lambda u: 0.0):
    """What a ruling on one output knows besides the slopes."""
    return Evidence(
        u=np.ones(1),
        base=np.array([base]),
        noise=Noise(np.full(1, 1e-16), np.zeros(1), np.array([base])),
        scale=scale,
        rtol=RTOL,
        outside="it raises",
        gradient_of=gradient_of,
    )


def ruled(seen, analytic, **known):
    return rule(seen, analytic, evidence(**known))


def measured_ruling(seen, analytic, element=0):
    """Rule on what was measured around a point."""
    return rule(
        seen.slopes,
        analytic,
        Evidence(
            u=seen.u,
            base=seen.point.base,
            noise=seen.noise,
            scale=max(abs(float(seen.point.x[element])), seen.point.typical),
            rtol=RTOL,
            outside=seen.point.outside,
            gradient_of=lambda u: 0.0,
        ),
    )


FUNCTIONS = {
    "sine": (np.sin, 0.7, np.cos(0.7)),
    "exponential": (np.exp, 30.0, np.exp(30.0)),
    "small": (lambda x: 1e-30 * np.sin(x), 0.7, 1e-30 * np.cos(0.7)),
    "root of a small number": (np.sqrt, 1e-12, 5e5),
    "kink beside": (lambda x: np.abs(x - 1e-6), 0.0, -1.0),
    "over a constant": (lambda x: 1e3 + np.sin(x), 0.7, np.cos(0.7)),
    "single precision": (lambda x: np.tanh(x.astype(np.float32)).astype(float), 0.3, 1 - np.tanh(0.3) ** 2),
}


@pytest.mark.parametrize(("function", "x", "slope"), FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_the_right_slope_passes_and_a_wrong_one_fails(function, x, slope, measured):
    seen = measured(function, x)
    right = measured_ruling(seen, slope)
    assert right.status is Status.PASS
    assert abs(right.numeric - slope) <= right.bar
    assert right.bar < 1e-2 * abs(slope)
    for wrong in (0.0, -slope, 1.1 * slope, 0.5 * slope):
        assert measured_ruling(seen, wrong).status is Status.FAIL, wrong


@pytest.mark.parametrize("slope", [0.0, 1e-17, -1e-14])
def test_zero_within_the_bar_passes(slope, measured):
    assert measured_ruling(measured(lambda x: 0 * x + 1, 0.7), slope).status is Status.PASS
    assert measured_ruling(measured(lambda x: 0 * x + 1, 0.7), 1e-6).status is Status.FAIL


def test_between_one_bar_and_three_it_is_unclear(slopes):
    seen = slopes(np.ones(N), sigma=1e-6)
    bar = ruled(seen, 1.0).bar
    assert bar > 10 * RTOL
    assert ruled(seen, 1.0 + 0.9 * bar).status is Status.PASS
    unclear = ruled(seen, 1.0 + 2 * bar)
    assert (unclear.status, unclear.cause) == (Status.UNCLEAR, "rounding-dominates")
    assert "error bar" in unclear.detail
    assert ruled(seen, 1.0 + 1.1 * GREY * bar).status is Status.FAIL


def test_rtol_passes_what_a_narrow_bar_does_not(slopes):
    seen = slopes(np.ones(N), sigma=1e-20)
    assert ruled(seen, 1.0 + 1.9e-7).status is Status.PASS
    assert ruled(seen, 1.0 + 2.1e-7).status is Status.FAIL


def test_the_cause_of_a_wide_bar_is_noise_where_no_step_is_sharper(slopes):
    noisy = ruled(slopes(np.ones(N), sigma=1e-3), 1.0 + 0.02)
    assert (noisy.status, noisy.cause) == (Status.PASS, "rounding-dominates")


def test_the_bar_of_a_zero_is_no_sharper_than_the_backward_can_be(slopes):
    """The value's rounding, 1e-16, over the scale of the element."""
    assert ruled(slopes(np.zeros(N), sigma=0.0), 0.0).bar == pytest.approx(3e-16)
    assert ruled(slopes(np.zeros(N), sigma=0.0), 0.0, scale=1e3).bar == pytest.approx(3e-19)
    assert ruled(slopes(np.ones(N), sigma=0.0), 1.0).bar < 1e-16


def test_too_few_steps_in_the_domain_are_left_open():
    open_ = ruled(None, 1.0)
    assert (open_.status, open_.cause) == (Status.UNCLEAR, "left-domain")
    assert "it raises" in open_.detail
    assert not np.isfinite(open_.bar)


def test_one_side_alone_convicts_but_does_not_acquit(slopes):
    seen = slopes(np.ones(N), two_sided=False)
    assert (ruled(seen, 1.0).status, ruled(seen, 1.0).cause) == (Status.UNCLEAR, "left-domain")
    assert "it raises" in ruled(seen, 1.0).detail
    assert ruled(seen, 2.0).status is Status.FAIL


def test_a_valid_subgradient_at_a_kink_and_an_invalid_one(measured):
    seen = measured(lambda x: np.maximum(x, 0), 0.0)
    for slope in (0.0, 0.5, 1.0):
        valid = measured_ruling(seen, slope)
        assert (valid.status, valid.cause) == (Status.KINK, "kink-at-point")
        assert "0 and 1" in valid.detail
    for slope in (-0.1, 1.1, 2.0):
        invalid = measured_ruling(seen, slope)
        assert (invalid.status, invalid.cause) == (Status.INVALID_AT_KINK, "invalid-at-kink")


@pytest.mark.parametrize("slope", [0.0, 1.0, 1e6])
def test_a_jump_is_one_whatever_the_gradient_says(slope, measured):
    assert measured_ruling(measured(np.floor, 2.0), slope).status is Status.JUMP


def test_two_slopes_are_left_open(slopes):
    """1 up to 1e-5, 2 beyond: a staircase, or rounding inside the function."""
    stairs = np.where(np.arange(N) < 8, 1.0, 2.0)
    seen = slopes(stairs, sigma=1e-16)
    for slope in (1.0, 3.0):
        assert ruled(seen, slope).status in (Status.UNCLEAR, Status.FAIL), slope
    assert ruled(seen, 1.0).status is Status.UNCLEAR
    assert ruled(seen, 1.0).cause == "rounding-dominates"
    # The height of a stair, 3e-5, is the noise above it.
    assert ruled(seen, 2.0).status is Status.PASS
    assert ruled(seen, 30.0).status is Status.FAIL


@pytest.mark.parametrize("factor", [1.0, 1 + 1e-4])
def test_rounding_inside_makes_no_right_gradient_wrong(factor, measured):
    seen = measured(lambda x: np.round(x * x, 5), 0.3)
    assert measured_ruling(seen, 0.6 * factor).status < Status.INVALID_AT_KINK
    assert measured_ruling(seen, -0.6).status is Status.FAIL


def test_steps_beyond_the_own_scale_confirm_and_do_not_convict(slopes):
    """Noise that only the steps above 1e-3 rise over, for an element of that scale."""
    seen = slopes(np.ones(N), sigma=1e-5)
    assert ruled(seen, 1.0, scale=1e-3).status is Status.PASS
    doubted = ruled(seen, 1.5, scale=1e-3)
    assert (doubted.status, doubted.cause) == (Status.UNCLEAR, "rounding-dominates")
    assert "larger than the element" in doubted.detail
    assert ruled(seen, 1.5, scale=1.0).status is Status.FAIL


def test_a_difference_in_outputs_that_never_moved_is_left_open(slopes):
    seen = slopes(np.ones(N), sigma=1e-12, moved=[True, False])

    def known(part):
        return Evidence(
            u=np.ones(2),
            base=np.array([1.0, 1e10]),
            noise=Noise(np.full(2, 1e-16), np.zeros(2), np.array([1.0, 1e10])),
            scale=1.0,
            rtol=RTOL,
            outside="",
            gradient_of=lambda u: part if u.tolist() == [0, 1] else np.nan,
        )

    assert rule(seen, 1 + 5e-6, known(5e-6)).status is Status.UNCLEAR
    assert rule(seen, 1 + 5e-6, known(0.0)).status is Status.FAIL


def test_a_blunt_pass_at_the_largest_step_asks_for_larger_ones(slopes):
    h = slopes(np.ones(N)).h
    assert ruled(slopes(np.ones(N), sigma=1e-6), 1.0).wants_larger
    assert not ruled(slopes(np.ones(N), sigma=1e-16), 1.0).wants_larger
    assert not ruled(slopes(1 + h, sigma=1e-9), 1.0).wants_larger
    assert not ruled(slopes(np.ones(N), sigma=1e-6, two_sided=False), 1.0).wants_larger


@pytest.mark.parametrize(
    ("ruling", "analytic", "settled"),
    [
        (Ruling(Status.PASS, 1.0, 1e-7), 1.0, True),
        (Ruling(Status.PASS, 1.0, 1e-5), 1.0, False),
        (Ruling(Status.PASS, 0.0, 0.0), 0.0, True),
        (Ruling(Status.FAIL, 1.0, 1e-5), 2.0, True),
        (Ruling(Status.FAIL, 1.0, 1e-5), 1.0005, False),
        (Ruling(Status.FAIL, 1.0, 1e-2), 4.0, False),
        (Ruling(Status.UNCLEAR, 1.0, 1e-9), 1.0, False),
        (Ruling(Status.KINK, 1.0, 1e-9), 1.0, False),
        (Ruling(Status.INVALID_AT_KINK, 1.0, 1e-9), 2.0, False),
    ],
)
def test_a_coarse_ladder_is_enough_for_what_is_clear(ruling, analytic, settled):
    assert is_settled(ruling, analytic, RTOL) is settled


def test_a_ruling_becomes_the_outcome_of_its_element():
    outcome = as_outcome(Ruling(Status.FAIL, 1.0, 0.1, "cause", "detail"), 3, 1, 2.0)
    assert (outcome.element, outcome.cotangent, outcome.status) == (3, 1, Status.FAIL)
    assert (outcome.analytic, outcome.numeric, outcome.bar) == (2.0, 1.0, 0.1)
    assert (outcome.cause, outcome.detail) == ("cause", "detail")
