"""Points without a derivative: kinks allow the slopes between two others, jumps allow nothing."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check

AROUND_ZERO = np.array([-2.0, 0.0, 1.5])


def relu_with(operator, at_zero):
    """A relu whose gradient at 0 is `at_zero`."""

    def relu(x):
        """max(x, 0)."""
        return np.maximum(x, 0)

    return operator(relu, lambda g, x: g * np.where(x > 0, 1.0, np.where(x < 0, 0.0, at_zero)))


def abs_with(operator, at_zero):
    """An absolute value whose gradient at 0 is `at_zero`."""

    def absolute(x):
        """|x|."""
        return np.abs(x)

    return operator(absolute, lambda g, x: g * np.where(x == 0, at_zero, np.sign(x)))


def staircase_with(operator, slope):
    """A floor with a constant gradient."""

    def floor(x):
        """The largest integer below x."""
        return np.floor(x)

    return operator(floor, lambda g: slope * g)


def names(result):
    return [finding.name for parameter in result.parameters for finding in parameter.findings]


@pytest.mark.parametrize("at_zero", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("x", [AROUND_ZERO, 0.0], ids=["among others", "alone"])
def test_any_slope_between_both_sides_of_relu_is_valid_at_its_kink(at_zero, x, operator):
    result = check(relu_with(operator, at_zero), x)
    assert result.verdict == "pass"
    # Half is what the central difference says itself; a deeper look may note it or not.
    assert set(names(result)) <= {"kink-at-point"}
    if at_zero != 0.5:
        assert names(result) == ["kink-at-point"]


@pytest.mark.parametrize("at_zero", [2.0, -0.5, 1.1])
@pytest.mark.parametrize("x", [AROUND_ZERO, 0.0], ids=["among others", "alone"])
def test_a_slope_outside_of_both_sides_of_relu_is_invalid(at_zero, x, operator):
    result = check(relu_with(operator, at_zero), x)
    assert result.verdict == "fail"
    assert "invalid-at-kink" in names(result)


@pytest.mark.parametrize(("at_zero", "verdict"), [(-1.0, "pass"), (0.0, "pass"), (1.0, "pass"), (1.5, "fail")])
def test_the_kink_of_an_absolute_value(at_zero, verdict, operator):
    assert check(abs_with(operator, at_zero), AROUND_ZERO).verdict == verdict


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "pass"), (-1.0, "fail"), (1.001, "fail")])
def test_a_kink_does_not_excuse_the_elements_beside_it(factor, verdict, operator):
    def relu(x):
        """max(x, 0)."""
        return np.maximum(x, 0)

    marked = operator(relu, lambda g, x: np.where(x > 0, factor * g, 0))
    assert check(marked, AROUND_ZERO).verdict == verdict


@pytest.mark.parametrize("function", [F.relu, F.abs, F.leaky_relu], ids=["relu", "abs", "leaky_relu"])
def test_the_built_in_operators_take_a_valid_slope_at_zero(function):
    assert check(function, AROUND_ZERO).verdict == "pass"


@pytest.mark.parametrize("function", [F.maximum, F.minimum], ids=["maximum", "minimum"])
def test_a_tie_of_two_arrays_is_a_kink(function):
    result = check(function, (np.ones(3), np.ones(3)))
    assert [parameter.verdict for parameter in result.parameters] == ["pass", "pass"]


def test_a_tie_within_one_array_is_a_kink():
    assert check(F.max, np.array([1.0, 3.0, 3.0])).verdict == "pass"


def test_the_limits_of_clip_are_kinks():
    result = check(lambda x: F.clip(x, min=-1, max=1), np.array([-1.0, 0.3, 1.0, 4.0]))
    assert result.verdict == "pass"
    assert names(result) == ["kink-at-point"]


def test_a_kink_inside_a_network_is_found():
    assert "kink-at-point" in names(check(lambda x: F.sum(F.relu(F.tanh(x)) ** 2 + F.relu(x)), AROUND_ZERO))


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_a_kink_beside_the_point_makes_no_right_gradient_wrong(distance, operator):
    points = np.array([distance, -distance, 1.0, -1.0])
    assert check(relu_with(operator, 0.0), points).verdict != "fail"


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
def test_a_kink_beside_the_point_makes_no_wrong_gradient_right(distance, operator):
    def relu(x):
        """max(x, 0)."""
        return np.maximum(x, 0)

    marked = operator(relu, lambda g, x: np.where(x > 0, 1.01 * g, 0))
    assert check(marked, np.array([distance, -distance])).verdict != "pass"


@pytest.mark.parametrize("slope", [0.0, 1.0, -3.0])
@pytest.mark.parametrize("x", [2.0, np.array([0.5, 2.0, -1.0])], ids=["alone", "among others"])
def test_a_jump_is_never_a_pass(slope, x, operator):
    result = check(staircase_with(operator, slope), x)
    assert result.verdict in ("fail", "inconclusive")


def test_a_jump_is_named(operator):
    result = check(staircase_with(operator, 0.0), 2.0)
    assert result.verdict == "inconclusive"
    assert names(result) == ["jump"]


def test_a_small_jump_is_no_pass(operator):
    def step(x):
        """x, and a little more above 0."""
        return x + 1e-3 * (x >= 0)

    assert check(operator(step, lambda g: g), np.array([0.0, 1.0])).verdict != "pass"


def test_a_jump_does_not_excuse_the_elements_beside_it(operator):
    """Where the staircase is flat its derivative is 0."""
    result = check(staircase_with(operator, 1.0), np.array([0.5, 2.0]))
    assert result.verdict == "fail"
    assert result.parameters[0].worst is not None
    assert result.parameters[0].worst.index == (0,)


def test_between_its_steps_a_staircase_is_flat(operator):
    points = np.array([0.5, -1.3, 2.25])
    result = check(staircase_with(operator, 0.0), points)
    assert result.verdict == "pass"
    assert names(result) == ["vacuous"]
    assert check(staircase_with(operator, 1.0), points).verdict == "fail"


def test_kinks_of_several_elements_on_features_far_smaller_than_x_are_valid():
    """Timestamps: the slopes, 2 and 4, change within a unit of 1e6."""
    result = check(lambda x: F.sum(F.abs(x - 1e6) + 3 * F.tanh(x - 1e6)), np.full(2, 1e6))
    assert result.verdict == "pass"


def test_kinks_of_several_elements_with_another_kink_beside_are_valid():
    result = check(lambda x: F.sum(F.abs(x) - 2 * F.relu(x - 1e-6)), np.array([0.0, 0.0, 1.0]))
    assert result.verdict == "pass"
