"""Outputs in few digits: what rounding hides convicts nobody, and what it doesn't hide is found."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check

ROUNDED = {
    "float32": lambda y: y.astype(np.float32).astype(np.float64),
    "float16": lambda y: y.astype(np.float16).astype(np.float64),
    "upper half of float32": lambda y: (y.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32) * 1.0,
    "7 decimals": lambda y: np.round(y, 7),
    "4 decimals": lambda y: np.round(y, 4),
    "integers": lambda y: (y * 2.0**20).astype(np.int64) / 2.0**20,
}
each_rounding = pytest.mark.parametrize("rounded", ROUNDED.values(), ids=list(ROUNDED))
SEEDS = range(3)


def made(operator, exact, slope, rounded):
    """An operator of one number, rounded, with the gradient of the exact function."""

    def value(x):
        """A rounded value."""
        return rounded(np.array([exact(x)]))[0]

    return operator(value, lambda g, x: g * slope(x))


@pytest.mark.parametrize("scale", [(1e-8, 1e-8), (1.0, 1e-2), (1e6, 1e8)], ids=str)
@pytest.mark.parametrize("share", [1e-9, 1e-5, 1e-3, 0.3])
@each_rounding
def test_an_element_that_rounding_hides_is_not_called_wrong(rounded, share, scale, operator):
    """The second element changes the value by a `share` of 1e-4 at most, however far it moves."""
    first, second = scale

    def exact(x):
        return 0.7123456789 + 0.1 * np.tanh(x[0] / first) + 1e-4 * share * np.exp(-((x[1] / second) ** 2))

    def slope(x):
        far = x[1] / second
        return np.array([0.1 / np.cosh(x[0] / first) ** 2 / first, -2e-4 * share * far * np.exp(-(far**2)) / second])

    for seed in SEEDS:
        x = np.array(scale) * np.random.default_rng(seed).uniform(0.3, 1.5, 2)
        assert check(made(operator, exact, slope, rounded), x, seed=seed).verdict != "fail", f"seed {seed}"


@each_rounding
def test_an_element_that_is_small_among_others_has_a_scale_of_its_own(rounded, operator):
    """It moves nothing: the function levels off far below the scale of its neighbour."""

    def exact(x):
        return 0.7123456789 + 0.1 * np.tanh(x[0]) + 1e-10 * np.exp(-((x[1] / 1e-8) ** 2))

    def slope(x):
        far = x[1] / 1e-8
        return np.array([0.1 / np.cosh(x[0]) ** 2, -2e-2 * far * np.exp(-(far**2))])

    for seed in SEEDS:
        x = np.array([1.0, 1e-8]) * np.random.default_rng(seed).uniform(0.3, 1.5, 2)
        assert check(made(operator, exact, slope, rounded), x, seed=seed).verdict != "fail", f"seed {seed}"


@each_rounding
def test_a_value_that_rounding_keeps_from_moving_at_all_is_not_called_wrong(rounded, operator):
    def exact(x):
        return 0.7123456789 + 1e-9 * np.tanh(x[0])

    def slope(x):
        return 1e-9 / np.cosh(x) ** 2

    for seed in SEEDS:
        x = np.random.default_rng(seed).uniform(0.3, 1.5, 1)
        assert check(made(operator, exact, slope, rounded), x, seed=seed).verdict != "fail", f"seed {seed}"


@each_rounding
def test_a_gradient_that_is_plainly_wrong_does_not_pass(rounded, operator):
    def exact(x):
        return 0.7123456789 + 0.1 * np.tanh(x[0]) + 0.1 * np.sin(x[1])

    def slope(x):
        return np.array([0.1 / np.cosh(x[0]) ** 2, 0.1 * np.cos(x[1])])

    for seed in SEEDS:
        x = np.random.default_rng(seed).uniform(0.3, 1.2, 2)
        for factor in (-1.0, 2.0):
            wrong = made(operator, exact, lambda x, factor=factor: slope(x) * [1.0, factor], rounded)
            assert check(wrong, x, seed=seed).verdict != "pass", f"seed {seed}"
    single = made(operator, exact, lambda x: slope(x) * [1.0, 2.0], ROUNDED["float32"])
    assert check(single, np.array([0.4, 0.5])).verdict == "fail"


def test_a_gradient_of_what_never_moves_is_still_wrong_in_double_precision(operator):
    """No digit is missing here that could hide it."""

    def masked(x):
        """The sum of the first two."""
        return np.sum(x[:2] * x[:2])

    assert check(operator(masked, lambda g, x: g * 2 * x), np.array([0.3, 0.7, 1.1])).verdict == "fail"
    right = operator(masked, lambda g, x: g * 2 * x * [1.0, 1.0, 0.0])
    assert check(right, np.array([0.3, 0.7, 1.1])).verdict == "pass"

    def constant(x):
        """A number that doesn't depend on x."""
        return 2.5 + 0 * x[0]

    assert check(operator(constant, lambda g, x: g * np.ones_like(x)), np.array([0.3, 0.7])).verdict == "fail"


@pytest.mark.parametrize("digits", [3, 4, 6])
def test_numbers_that_a_person_wrote_are_no_rounding(digits):
    """They come out of maximum, where and clip as they are, and don't move with what was not chosen."""
    x = np.round(np.random.default_rng(digits).uniform(-2, 2, (3, 1)), digits)
    y = np.round(np.random.default_rng(digits + 1).uniform(-2, 2, 4), digits)
    result = check(F.maximum, [x, y])
    assert (result.verdict, [p.verdict for p in result.parameters]) == ("pass", ["pass", "pass"])
    clipped = check(lambda x: F.clip(x, min=-0.1234, max=0.1234), np.round(np.linspace(-1.23, 1.17, 8), digits))
    assert clipped.verdict == "pass"
