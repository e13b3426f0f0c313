"""Tier 2: one element over a ladder of steps, under every cotangent, at a cost that follows the doubt."""

import numpy as np
import pytest

from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.steps import default_eps, step_size
from gradcheck_cli.numeric.survey import survey
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.outcome import Cotangent, Status

pytestmark = pytest.mark.usefixtures("unwarned")

RTOL = 1e-7


def examined(point, jacobian, element=0, cotangents=None, seed=0, noise=None):
    """Examine an element whose analytic gradient is that of `jacobian`, shape (outputs, elements)."""
    jacobian = np.atleast_2d(np.asarray(jacobian, dtype=float))
    weights = [np.ones(point.base.size)] if cotangents is None else [np.asarray(u, dtype=float) for u in cotangents]
    step = step_size(point.scales[element], default_eps(point.values["x"].dtype))
    steps = np.array([step_size(scale, default_eps(np.dtype(float))) for scale in point.scales])
    noise = noise or survey(point, steps, np.random.default_rng(seed))[0]
    before = point.evaluations
    cotangents = [Cotangent(u, u @ jacobian) for u in weights]
    outcomes = examine(Ladder(point, element), cotangents, noise, step, RTOL, lambda u: u @ jacobian)
    return outcomes, point.evaluations - before


def one(point, jacobian, **options):
    (outcome,), _ = examined(point, jacobian, **options)
    return outcome


RIGHT = {
    "sine": (np.sin, 0.7, np.cos(0.7)),
    "sine of a large number": (np.sin, 1e4, np.cos(1e4)),
    "exponential": (np.exp, 300.0, np.exp(300.0)),
    "cube at zero": (lambda x: x**3, 0.0, 0.0),
    "root near the edge": (np.sqrt, 1e-12, 5e5),
    "arc cosine near the edge": (np.arccos, 1 - 1e-10, -1 / np.sqrt(1e-10 * (2 - 1e-10))),
    "kink beside": (lambda x: np.abs(x - 1 - 1e-9), 1.0, -1.0),
    "jump beside": (lambda x: 3 * x + (x > 1 + 1e-7), 1.0, 3.0),
    "over a large constant": (lambda x: 1e6 + np.sin(x), 0.7, np.cos(0.7)),
    "single precision": (lambda x: np.tanh(x.astype(np.float32)).astype(float), 0.3, 1 - np.tanh(0.3) ** 2),
    "rounded": (lambda x: np.round(x * x, 5), 0.3, 0.6),
    "oscillating": (lambda x: np.sin(1e6 * x), 0.7, 1e6 * np.cos(7e5)),
    "feature smaller than x": (lambda x: np.tanh(x - 1e6), 1e6, 1.0),
}


@pytest.mark.parametrize(("function", "x", "slope"), RIGHT.values(), ids=list(RIGHT))
def test_the_right_slope_passes_and_a_wrong_one_does_not(function, x, slope, point):
    outcome = one(point(function, x), slope)
    assert outcome.status is Status.PASS
    assert (outcome.element, outcome.cotangent, outcome.analytic) == (0, 0, slope)
    assert abs(outcome.numeric - slope) <= outcome.bar
    for wrong in (-slope or 1.0, 2 * slope or -1.0):
        assert one(point(function, x), wrong).status >= Status.UNCLEAR, wrong


CLEAR = ["sine", "exponential", "cube at zero", "root near the edge", "kink beside", "jump beside", "oscillating"]


@pytest.mark.parametrize("name", [*CLEAR, "arc cosine near the edge", "over a large constant", "single precision"])
def test_a_slope_that_is_a_tenth_off_fails(name, point):
    function, x, slope = RIGHT[name]
    assert one(point(function, x), 1.1 * slope or 0.1).status is Status.FAIL


@pytest.mark.parametrize("name", [name for name in CLEAR if name != "cube at zero"])
def test_a_slope_that_is_a_thousandth_off_fails(name, point):
    function, x, slope = RIGHT[name]
    assert one(point(function, x), 1.001 * slope).status is Status.FAIL


def test_every_element_of_18_decades_is_resolved(point):
    x = 10.0 ** np.arange(-9, 10, 3) * np.array([1, -1, 1, 1, -1, 1, 1])
    for element in range(7):
        jacobian = np.diag(3 * x**2)
        right = one(point(lambda x: x**3, x), jacobian, element=element)
        assert right.status is Status.PASS, element
        assert right.bar <= 1e-5 * right.size, element
        assert one(point(lambda x: x**3, x), 1.01 * jacobian, element=element).status is Status.FAIL, element


def test_every_cotangent_has_its_outcome(point):
    def function(x):
        return np.array([np.sin(x[0]), np.cos(x[0])])

    slopes = np.array([[np.cos(0.7)], [-np.sin(0.7)]])
    spoiled = slopes * [[1.0], [1.01]]
    weights = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    statuses = [outcome.status for outcome in examined(point(function, [0.7]), slopes, cotangents=weights)[0]]
    assert statuses == [Status.PASS] * 3
    outcomes = examined(point(function, [0.7]), spoiled, cotangents=weights)[0]
    assert [outcome.status for outcome in outcomes] == [Status.PASS, Status.FAIL, Status.FAIL]
    assert [outcome.cotangent for outcome in outcomes] == [0, 1, 2]


@pytest.mark.parametrize(("at_zero", "status"), [(0.0, Status.KINK), (1.0, Status.KINK), (1.5, Status.INVALID_AT_KINK)])
def test_a_kink_is_measured(at_zero, status, point):
    assert one(point(lambda x: np.maximum(x, 0), 0.0), at_zero).status is status


def test_a_jump_is_found(point):
    assert one(point(np.floor, 2.0), 0.0).status is Status.JUMP


def test_an_edge_of_the_domain_leaves_it_open(point):
    outcome = one(point(lambda x: np.sqrt(x) ** 3, 0.0), 0.0)
    assert (outcome.status, outcome.cause) == (Status.UNCLEAR, "left-domain")
    nothing = one(point(lambda x: np.where(x == 1, x, np.nan), 1.0), 1.0)
    assert (nothing.status, nothing.cause) == (Status.UNCLEAR, "left-domain")


def test_what_is_clear_is_settled_by_decades_and_doubt_costs_more(point):
    _, clear = examined(point(np.sin, 0.7), np.cos(0.7))
    _, wrong = examined(point(np.sin, 0.7), -np.cos(0.7))
    _, doubt = examined(point(lambda x: 1e8 + np.sin(x), 0.7), np.cos(0.7))
    assert clear == wrong <= 26
    assert wrong < doubt <= 130


def test_larger_steps_are_taken_while_the_largest_is_the_best(point):
    """Far above the value's rounding the line 1e12 + x is seen, and its slope confirmed."""
    moved = []
    around = point(lambda x: (moved.append(abs(x.item() - 1)), 1e12 + x)[1], 1.0)
    outcome = one(around, 1.0)
    assert outcome.status is Status.PASS
    assert max(moved) > 100
    assert outcome.bar < 1e-2

    # What only they show is doubted; 3 is excluded by steps within the element's own scale.
    assert one(point(lambda x: 1e12 + x, 1.0), 1.01).status is Status.UNCLEAR
    assert one(point(lambda x: 1e12 + x, 1.0), 3.0).status is Status.FAIL


def noisy(x):
    """The sine, with noise of 1e-8 that repeats."""
    words = np.array(x).view(np.uint64)
    for shift in (30, 27, 31):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.sin(x) + 1e-8 * (np.float64(words >> np.uint64(11)) * 2.0**-53 - 0.5)


def unnoticed(point):
    """Noise as a survey returns it that has seen none."""
    return Noise(point.outputs.epsilon, np.zeros(1), point.base)


def test_noise_that_only_one_element_shows_widens_its_bar(point):
    around = point(noisy, [0.7])
    outcome = one(around, np.cos(0.7), noise=unnoticed(around))
    assert outcome.status is Status.PASS
    assert 1e-9 < outcome.bar < 1e-4


def test_noise_that_only_one_element_shows_hides_no_mistake(point):
    around = point(noisy, [0.7])
    assert one(around, 1.01 * np.cos(0.7), noise=unnoticed(around)).status is Status.FAIL


def test_noise_that_the_survey_shows_hides_no_mistake(point):
    assert one(point(noisy, [0.7]), np.cos(0.7)).status is Status.PASS
    assert one(point(noisy, [0.7]), 1.01 * np.cos(0.7)).status is Status.FAIL


def test_a_failure_needs_one_output_that_shows_it(point):
    """A hundred staircases of different widths: together they look like another slope, each alone is open."""
    widths = 1e-6 * (1 + np.linspace(0, 1, 100))

    def stairs(x):
        return np.floor(x[0] / widths) * widths

    u = np.random.default_rng(0).uniform(0.5, 1.5, 100)
    outcome = one(point(stairs, [0.3]), np.ones((100, 1)), cotangents=[u])
    assert outcome.status < Status.INVALID_AT_KINK
    spoiled = np.ones((100, 1))
    spoiled[17] = -200.0
    assert one(point(stairs, [0.3]), spoiled, cotangents=[u]).status is Status.FAIL


def test_one_wrong_output_among_many_is_upheld(point):
    scales = np.linspace(1, 2, 50)
    right = (scales * np.cos(0.7))[:, None]
    wrong = right.copy()
    wrong[33] *= 1.01
    assert one(point(lambda x: scales * np.sin(x[0]), [0.7]), right).status is Status.PASS
    assert one(point(lambda x: scales * np.sin(x[0]), [0.7]), wrong).status is Status.FAIL
