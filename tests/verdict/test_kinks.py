"""Kinks and jumps at the point, told from smooth functions and from what lies beside it."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import scaled_norm
from gradcheck_cli.verdict.kinks import Corner, find_corner

pytestmark = pytest.mark.usefixtures("unwarned")

RTOL = 1e-7


def corner(seen):
    """The corner that is found in what was measured."""
    return find_corner(seen.slopes, RTOL, scaled_norm(seen.u * seen.noise.level))


SMOOTH = {
    "line": (lambda x: 3 * x, 1.0),
    "sine": (np.sin, 0.7),
    "square at zero": (lambda x: x * x, 0.0),
    "cube at zero": (lambda x: x**3, 0.0),
    "exponential": (np.exp, 30.0),
    "root of a small number": (np.sqrt, 1e-12),
    "steep": (lambda x: np.tanh(1e4 * x), 0.0),
    "x |x| at zero": (lambda x: x * np.abs(x), 0.0),
    "x ** 1.5 by magnitude": (lambda x: np.abs(x) ** 1.5 * np.sign(x), 0.0),
    "constant": (lambda x: 0 * x + 5, 1.0),
    "large constant": (lambda x: 1e10 + np.tanh(x), 0.3),
    "large constant taken away": (lambda x: (1e10 + np.tanh(x)) - 1e10, 0.3),
    "single precision": (lambda x: np.tanh(x.astype(np.float32)).astype(float), 0.3),
}


@pytest.mark.parametrize(("function", "x"), SMOOTH.values(), ids=list(SMOOTH))
def test_a_smooth_function_has_no_corner(function, x, measured):
    assert corner(measured(function, x)) is None


KINKS = {
    "relu": (lambda x: np.maximum(x, 0), 0.0, 0.0, 1.0),
    "absolute value": (np.abs, 0.0, -1.0, 1.0),
    "beside others": (lambda x: np.abs(x - 1).sum() + np.sin(x).sum(), [1.0, 2.0], np.cos(1) - 1, np.cos(1) + 1),
    "bent on both sides": (lambda x: np.exp(x) + 3 * np.maximum(x, 0), 0.0, 1.0, 4.0),
    "small": (lambda x: x + 1e-4 * np.abs(x), 0.0, 1 - 1e-4, 1 + 1e-4),
    "large numbers": (lambda x: np.abs(x - 1e6), 1e6, -1.0, 1.0),
    "small numbers": (lambda x: 1e-20 * np.abs(x - 1e-9), 1e-9, -1e-20, 1e-20),
    "over a constant": (lambda x: 1e3 + np.maximum(x, 0), 0.0, 0.0, 1.0),
    "upside down": (lambda x: -np.abs(x), 0.0, -1.0, 1.0),
}


@pytest.mark.parametrize(("function", "x", "low", "high"), KINKS.values(), ids=list(KINKS))
def test_a_kink_at_the_point_has_the_slopes_of_both_sides(function, x, low, high, measured):
    seen = corner(measured(function, x))
    assert seen is not None
    assert seen.kind == "kink"
    size = max(abs(low), abs(high))
    assert seen.low == pytest.approx(low, abs=1e-4 * size)
    assert seen.high == pytest.approx(high, abs=1e-4 * size)
    assert seen.slack < 0.1 * (high - low)
    assert seen.contains(low)
    assert seen.contains(high)
    assert seen.contains((low + high) / 2)
    assert not seen.contains(high + 0.2 * (high - low))
    assert not seen.contains(low - 0.2 * (high - low))


def test_every_output_has_its_own_corner(measured):
    """Kinks in two outputs with weights of opposite sign: each output's slope may be chosen by itself."""
    seen = corner(measured(lambda x: np.array([np.abs(x), np.maximum(x, 0)]), 0.0, u=[1.0, -1.0]))
    assert seen is not None
    assert (seen.low, seen.high) == (pytest.approx(-2), pytest.approx(1))


JUMPS = {
    "floor": (np.floor, 2.0),
    "step": (lambda x: np.where(x >= 0, 1.0, 0.0), 0.0),
    "step over a slope": (lambda x: 3 * x + (x > 1), 1.0),
    "small step": (lambda x: x + 1e-3 * (x >= 0), 0.0),
    "downwards": (lambda x: -np.floor(x), 2.0),
    "large numbers": (lambda x: np.floor(x / 1e6), 3e6),
    # The value at the point lies in the middle: the one-sided slopes are the same.
    "sign": (np.sign, 0.0),
    "sign over a slope": (lambda x: x + np.sign(x), 0.0),
}


@pytest.mark.parametrize(("function", "x"), JUMPS.values(), ids=list(JUMPS))
def test_a_jump_at_the_point_is_one(function, x, measured):
    seen = corner(measured(function, x))
    assert seen is not None
    assert seen.kind == "jump"


SIDES = [(distance, side) for distance in (1e-3, 1e-6, 1e-9) for side in (1, -1)]


@pytest.mark.parametrize(("distance", "side"), SIDES)
def test_a_kink_beside_the_point_is_not_at_it(distance, side, measured):
    seen = measured(lambda x: np.abs(x[:1]) + x[1], [side * distance, 1.0])
    beside = corner(seen)
    assert beside is not None
    assert beside.kind == "nearby"
    # It shows from the first step that reaches over it.
    assert distance < seen.slopes.h[beside.start] <= 4 * distance


@pytest.mark.parametrize(("distance", "side"), SIDES)
def test_a_jump_beside_the_point_is_none_of_it(distance, side, measured):
    assert corner(measured(lambda x: 3 * x[:1] + (x[:1] > 0) + x[1], [side * distance, 1.0])) is None


@pytest.mark.parametrize("level", [1e-9, 1e-6])
@pytest.mark.parametrize("seed", range(4))
def test_noise_is_neither_kink_nor_jump(level, seed, measured):
    def noisy(x):
        words = (np.atleast_1d(x) + seed).view(np.uint64)
        for shift in (30, 27, 31):
            words = (words ^ (words >> np.uint64(shift))) * np.uint64(0xBF58476D1CE4E5B9)
        return np.sin(x) + level * (np.float64(words >> np.uint64(11)) * 2.0**-53 - 0.5)

    assert corner(measured(noisy, [0.7])) is None, f"seed {seed}"
    kinked = corner(measured(lambda x: noisy(x) + 3 * np.abs(x - 0.7), [0.7]))
    assert kinked is not None
    assert kinked.kind == "kink"


def test_one_side_alone_has_no_corner(measured):
    assert corner(measured(lambda x: np.sqrt(x) + 1, 0.0)) is None


def test_a_gap_at_two_steps_is_not_enough(slopes):
    forward = np.ones(17)
    forward[3:5] = 2
    assert find_corner(slopes(np.ones(17), forward), RTOL, 0.0) is None
    seen = find_corner(slopes(np.full(17, 1.5), np.full(17, 2.0), np.ones(17)), RTOL, 0.0)
    assert seen is not None
    assert (seen.low, seen.high) == (1.0, 2.0)


def test_a_gap_below_rtol_is_none(slopes):
    assert find_corner(slopes(np.ones(17), np.full(17, 1 + 1e-6), np.ones(17), sigma=1e-20), 1e-5, 0.0) is None
    assert find_corner(slopes(np.ones(17), np.full(17, 1 + 1e-4), np.ones(17), sigma=1e-20), 1e-5, 0.0) is not None


def test_a_jump_has_a_constant_size_above_the_noise(slopes):
    h = slopes(np.ones(17)).h
    leap = 1 + 1e-3 / h
    jump = find_corner(slopes(leap, leap + 1e-3 / h, np.ones(17), sigma=1e-12), RTOL, 0.0)
    assert jump is not None
    assert jump.kind == "jump"
    assert find_corner(slopes(leap, leap + 1e-3 / h, np.ones(17), sigma=1e-12), RTOL, 1e-3) is None


def test_a_jump_contains_everything():
    """It has no slopes: whatever the gradient says can't be held against it."""
    assert Corner("jump", 0).contains(1e300)
    assert not Corner("kink", 0, -1.0, 1.0, 0.01).contains(1.1)
    assert Corner("kink", 0, -1.0, 1.0, 0.01).contains(1.005)
