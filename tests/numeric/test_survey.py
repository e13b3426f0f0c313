"""The survey of a parameter: noise and sensitivity of every output, and single precision inside."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.own_noise import own_noise
from gradcheck_cli.numeric.steps import default_eps, step_size
from gradcheck_cli.numeric.survey import survey

pytestmark = pytest.mark.usefixtures("unwarned")

DOUBLE, SINGLE = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)
X = np.array([0.3, -1.2, 2.0])


def steps(point):
    eps = default_eps(point.values[point.name].dtype)
    return np.array([step_size(scale, eps) for scale in point.scales])


def surveyed(point, seed=0):
    return survey(point, steps(point), np.random.default_rng(seed))


def hashed(x):
    """Numbers between -1 and 1 that jump about as x changes by any bit: noise that repeats."""
    bits = np.atleast_1d(np.asarray(x, dtype=np.float64)).view(np.uint64)
    for shift in (29, 32, 29):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.float64(bits >> np.uint64(11)) * 2.0**-52 - 1


def own(point, element=0, reach=np.inf):
    """The noise along one element, after a survey that saw none."""
    nothing = Noise(point.outputs.epsilon, np.zeros_like(point.base), point.base)
    return own_noise(point, element, steps(point)[element], nothing, reach)


@pytest.mark.parametrize(
    "function", [np.sin, np.exp, lambda x: x**3, lambda x: 1 / x], ids=["sin", "exp", "cube", "1/x"]
)
@pytest.mark.parametrize("seed", range(3))
def test_a_smooth_function_has_the_noise_of_its_rounding(function, seed, point):
    around = point(function, X)
    noise, _ = surveyed(around, seed)
    assert noise.epsilon.tolist() == [DOUBLE] * 3
    assert (noise.level <= 4 * DOUBLE * np.abs(around.base)).all(), f"seed {seed}"
    for element in range(3):
        assert (own(around, element).level <= 4 * DOUBLE * np.abs(around.base)).all()


@pytest.mark.parametrize("level", [1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("seed", range(3))
def test_noise_that_repeats_is_found_in_its_output(level, seed, point):
    around = point(lambda x: np.append(np.sin(x), level * hashed(np.sum(x))), X)
    noise, _ = surveyed(around, seed)
    assert level / 10 < noise.level[3] < 4 * level, f"seed {seed}"
    assert noise.level[:3].max() < 1e-14


def test_a_jump_at_the_point_is_no_noise(point):
    around = point(lambda x: np.where(x >= 1, 5.0, 0.0) + x, np.array([1.0, 2.0]))
    assert surveyed(around)[0].level.max() < 1e-14
    assert own(around).level.max() < 1e-14


def test_the_noise_beyond_an_edge_of_the_domain_is_that_within(point):
    around = point(np.log, np.array([1e-15]))
    assert np.isfinite(surveyed(around)[0].level).all()
    assert np.isfinite(own(around, reach=1e-15).level).all()


@pytest.mark.parametrize("seed", range(3))
def test_single_precision_inside_is_recognised_output_by_output(seed, point):
    around = point(lambda x: np.append(np.tanh(x.astype(np.float32)).astype(float), np.sum(x)), X)
    noise, _ = surveyed(around, seed)
    assert noise.epsilon.tolist() == [SINGLE] * 3 + [DOUBLE], f"seed {seed}"
    assert own(around).epsilon[0] == SINGLE


@pytest.mark.parametrize("seed", range(3))
def test_outputs_of_single_precision_have_its_epsilon(seed, point):
    around = point(np.tanh, X.astype(np.float32))
    assert surveyed(around, seed)[0].epsilon.tolist() == [SINGLE] * 3
    assert own(around).epsilon.tolist() == [SINGLE] * 3


@pytest.mark.parametrize("seed", range(3))
def test_outputs_that_stand_still_between_roundings_show_them_farther_away(seed, point):
    """The table of noise is narrower than a rounding of these outputs."""

    def outputs(x):
        y = 0.7 + 1e-3 * np.sum(x)
        return np.array([np.float64(np.float32(0.7 + 1e-5 * np.sum(x))), np.round(y, 6), y, 0.0])

    noise, _ = surveyed(point(outputs, X), seed)
    assert noise.epsilon.tolist() == [SINGLE, DOUBLE, DOUBLE, DOUBLE], f"seed {seed}"
    assert noise.level[1] == pytest.approx(1e-6), f"seed {seed}"
    assert noise.level[2] < 1e-15
    assert noise.level[3] == 0


@pytest.mark.parametrize("x", [[0.0, 1.0, 2.0], [0.5, 0.25, 4.0], [1.0], [0.0]], ids=str)
@pytest.mark.parametrize("function", [lambda x: 2 * x, lambda x: x * x, np.floor])
def test_round_numbers_are_not_taken_for_single_precision(x, function, point):
    for seed in range(5):
        assert (surveyed(point(function, x), seed)[0].epsilon == DOUBLE).all(), f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_a_saturated_function_is_not_taken_for_single_precision(seed, point):
    drops = np.geomspace(30.0, 3e5, 5000)
    saturated = point(lambda x: 1 / (1 + np.exp(drops * (10 * (x - 1)) ** 8 - 38)), [1.0])
    assert (surveyed(saturated, seed)[0].epsilon == DOUBLE).all(), f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_sensitivity_follows_the_slope_of_every_output(seed, point):
    around = point(lambda x: np.array([1.0, 1e8, 1e-8, 0.0]) * np.sum(x), X)
    _, sensitivity = surveyed(around, seed)
    assert sensitivity[3] == 0
    assert sensitivity[1] / sensitivity[0] == pytest.approx(1e8, rel=1e-3), f"seed {seed}"
    assert sensitivity[2] / sensitivity[0] == pytest.approx(1e-8, rel=1e-3), f"seed {seed}"
    assert 1e-2 < sensitivity[0] < 1e2


@pytest.mark.parametrize("seed", range(5))
def test_noise_of_an_output_that_is_zero_up_to_rounding_does_not_grow_as_it_does(seed, point):
    noise, _ = surveyed(point(lambda x: (x + 1.0) - 1.7 + 1e-17, np.array([0.7])), seed)
    assert 1e-18 < noise.level[0] < 1e-15
    assert noise.of(np.ones(1), np.array([1e-3]), np.array([True])) < 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_rounding_alone_is_no_sensitivity(seed, point):
    x = np.array([0.7, -1.3, 2.1])
    _, sensitivity = surveyed(point(lambda x: np.array([x.sum(), (x[0] + 1 / 3) - x[0], 1e-9 * x[1]]), x), seed)
    assert sensitivity[1] == 0
    np.testing.assert_allclose(sensitivity[2] / sensitivity[0], 1e-9, rtol=10)  # small, yet more than its rounding


def test_no_sensitivity_hides_in_a_cancellation(point):
    for seed in range(30):
        _, sensitivity = surveyed(point(lambda x: np.array([x[0] - x[1]]), np.ones(2)), seed)
        assert sensitivity[0] > 1e-3, f"seed {seed}"


def test_an_output_outside_of_the_domain_has_the_sensitivity_of_what_is_inside(point):
    _, sensitivity = surveyed(point(np.sqrt, np.array([1e-13, 1.0])))
    assert np.isfinite(sensitivity).all()


def test_an_oscillation_that_the_table_skips_is_no_noise(point):
    fast = point(lambda x: np.sin(1e6 * x), 0.7)
    assert surveyed(fast)[0].level[0] < 1e-7
    assert own(fast).level[0] < 1e-7
    noisy = point(hashed, 0.7)
    assert surveyed(noisy)[0].level[0] > 1e-2


def test_a_survey_stays_within_the_first_steps_and_costs_little(point):
    seen = []
    around = point(lambda x: (seen.append(x.copy()), x)[1], X)
    seen.clear()
    surveyed(around)
    assert len(seen) == around.evaluations == 15
    # The crossing direction goes as far as the table, seven quarters of a step.
    assert all((np.abs(moved - X) <= 2 * steps(around)).all() for moved in seen)


def test_a_survey_follows_the_generator(point):
    first, again, other = (surveyed(point(lambda x: np.sin(1e3 * x), X), seed) for seed in (1, 1, 2))
    assert np.array_equal(first[0].level, again[0].level)
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[1], other[1])


@pytest.mark.parametrize("x", [[0.0], [0.0, 0.0], [1e-310, 0.0], [1e300], 10.0 ** np.arange(-9, 10)], ids=str)
def test_a_survey_of_zeros_subnormals_and_many_decades_ends(x, point):
    around = point(lambda x: x * 1.0, np.array(x))
    noise, sensitivity = surveyed(around)
    assert np.isfinite(noise.level).all()
    assert not np.isnan(sensitivity).any()
    for element in range(len(x)):
        assert np.isfinite(own(around, element).level).all()


def test_a_survey_of_the_smallest_number_ends(point):
    noise, _ = surveyed(point(lambda x: x * 1.0, [5e-324]))
    assert noise.level.tolist() == [0]
