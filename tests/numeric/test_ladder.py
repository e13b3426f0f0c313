"""The ladder of one element: realised steps, the edge of the domain, and contraction with a cotangent."""

import numpy as np
import pytest

from gradcheck_cli.numeric.ladder import ENOUGH, Ladder
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.steps import HALF_DECADE, ladder_steps

pytestmark = pytest.mark.usefixtures("unwarned")

EPSILON = float(np.finfo(np.float64).eps)
DECADES = [2.0**-k for k in range(40, 3, -3)]


def silent(point):
    """The noise of outputs that are only rounded."""
    return Noise(point.outputs.epsilon, np.zeros_like(point.base), point.base)


def climbed(point, element=0, steps=DECADES):
    ladder = Ladder(point, element)
    ladder.climb(steps)
    return ladder


def pair_of(point, element, h):
    ladder = climbed(point, element, [h])
    (pair,) = ladder.pairs
    return pair


def slopes(point, u=None, element=0, steps=DECADES, noise=None):
    u = np.ones(point.base.size) if u is None else np.asarray(u, dtype=float)
    return climbed(point, element, steps).slopes(u, noise or silent(point))


def test_a_pair_holds_the_changes_on_both_sides(point):
    pair = pair_of(point(lambda x: x * x, [3.0, 1.0]), 0, 0.5)
    assert (pair.h, pair.above, pair.below) == (0.5, 0.5, 0.5)
    assert pair.plus.tolist() == [3.25, 0]
    assert pair.minus.tolist() == [-2.75, 0]
    assert pair.finite == (True, True)


def test_a_pair_knows_the_steps_that_were_realised(point):
    pair = pair_of(point(lambda x: x, 1.0), 0, 3e-16)
    assert (pair.above, pair.below) == ((1 + 3e-16) - 1, 1 - (1 - 3e-16))
    assert pair.above != pair.below


def test_a_pair_knows_which_side_left_the_domain(point):
    assert pair_of(point(np.log, [0.5, 1.0]), 0, 0.75).finite == (True, False)
    assert pair_of(point(lambda x: np.log(1 - x), 0.5), 0, 0.75).finite == (False, True)
    assert pair_of(point(lambda x: np.log(x) + np.log(1 - x), 0.5), 0, 0.75).finite == (False, False)


def test_pairs_are_in_the_order_of_their_steps_and_none_is_taken_twice(point):
    around = point(lambda x: x, 1.0)
    ladder = climbed(around, steps=[1e-3, 1e-5])
    ladder.climb([1e-5, 1e-1, 1e-4, 1e-3])
    assert [pair.h for pair in ladder.pairs] == [1e-5, 1e-4, 1e-3, 1e-1]
    assert ladder.top == 1e-1
    assert around.evaluations == 8


@pytest.mark.parametrize(
    ("x", "steps", "kept"),
    [
        (np.array(1.0), [1e-17, 2.0**-53, 2.0**-52, 1e-3], [2.0**-52, 1e-3]),
        (np.array(1e9), [1e-9, 1e-7, 2.0**-23, 1.0], [2.0**-23, 1.0]),
        (np.float32(1.0), [1e-9, 2.0**-23, 0.5], [2.0**-23, 0.5]),
        (np.array(0.0), [5e-324, 1e-9], [5e-324, 1e-9]),
    ],
    ids=str,
)
def test_steps_that_the_spacing_distorts_are_left_out(x, steps, kept, point):
    ladder = climbed(point(lambda x: x, np.asarray(x)), steps=steps)
    assert [pair.h for pair in ladder.pairs] == kept
    assert all(pair.above > 0 < pair.below for pair in ladder.pairs)


def test_the_reach_is_the_largest_step_inside_the_domain(point):
    assert climbed(point(np.exp, 1.0)).reach() == np.inf
    assert climbed(point(np.log, 2.0**-8), steps=[2.0**-12, 2.0**-9, 2.0**-7, 0.5]).reach() == 2.0**-9
    assert climbed(point(np.sqrt, 0.0)).reach() == 0


def test_slopes_ascend_and_are_difference_quotients(point):
    seen = slopes(point(lambda x: x**3, 2.0))
    h = seen.h
    assert h.tolist() == sorted(DECADES)
    np.testing.assert_allclose(seen.central, 12 + h**2, atol=20 * EPSILON / h.min())
    np.testing.assert_allclose(seen.forward, 12 + 6 * h + h**2, atol=20 * EPSILON / h.min())
    np.testing.assert_allclose(seen.backward, 12 - 6 * h + h**2, atol=20 * EPSILON / h.min())
    np.testing.assert_allclose(seen.rise, h * seen.forward)
    np.testing.assert_allclose(seen.fall, -h * seen.backward)
    np.testing.assert_allclose(seen.gap, np.abs(seen.forward - seen.backward))
    assert seen.two_sided


def test_the_slope_is_divided_by_the_realised_step(point):
    """At 1e8 a step of 1e-7 becomes 1.04e-7 or 8.9e-8: the slope of x is 1 all the same."""
    seen = slopes(point(lambda x: x, 1e8), steps=[1e-7, 1.1e-7, 1.3e-6, 1e-5])
    assert seen.central.tolist() == [1, 1, 1, 1]
    assert seen.forward.tolist() == [1, 1, 1, 1]


def test_the_difference_is_taken_before_the_contraction(point):
    """exp at 600 is 1e260: contracted first, nothing would be left of the change at -30."""
    around = point(np.exp, [-30.0, 600.0])
    seen = slopes(around, [1.0, -1.3], element=0)
    assert seen.central[5] == pytest.approx(np.exp(-30), rel=1e-6)
    first = np.array([1.0, -1.3]) @ np.exp(np.array([-30 + seen.h[5], 600])) - np.array([1.0, -1.3]) @ around.base
    assert first == 0


def test_a_cotangent_weights_the_outputs(point):
    around = point(lambda x: np.array([2.0, 3.0, 5.0]) * x, 1.0)
    seen = slopes(around, [1.0, -1.0, 0.5])
    np.testing.assert_allclose(seen.central, 2 - 3 + 2.5, rtol=1e-3)
    np.testing.assert_allclose(seen.terms_forward[-1], [2, -3, 2.5])
    np.testing.assert_allclose(seen.terms_backward[-1], [2, -3, 2.5])
    np.testing.assert_allclose(seen.terms_forward.sum(axis=1), seen.forward)


def test_outputs_that_never_moved_are_known_and_add_no_noise(point):
    around = point(lambda x: np.array([x[0], 1e10, 1e10 + 1e-9 * x[0]]), [1.0])
    seen = slopes(around)
    assert seen.moved.tolist() == [True, False, False]
    assert seen.sigma.max() < 1e-14
    assert slopes(point(lambda x: 0 * x + 1e10, [1.0])).sigma.min() > 1e-7


def test_noise_is_rounding_and_the_level_of_the_table(point):
    around = point(lambda x: np.array([3.0, 4.0]) * x, 1.0)
    u = np.array([1.0, 1.0])
    assert slopes(around, u).sigma[0] == pytest.approx(5 * EPSILON, rel=1e-6)
    assert slopes(around, u).rounding == pytest.approx(5 * EPSILON, rel=1e-6)
    loud = Noise(around.outputs.epsilon, np.array([1e-6, 0.0]), around.base)
    seen = slopes(around, u, noise=loud)
    assert seen.sigma[0] == pytest.approx(1e-6, rel=1e-6)
    np.testing.assert_allclose(seen.gap_noise, 2.5 * seen.sigma / seen.h)


def test_noise_grows_with_the_outputs(point):
    seen = slopes(point(np.exp, 1.0), steps=[1e-6, 1e-4, 1e-2, 8.0])
    assert seen.sigma[3] > 1000 * seen.sigma[0]
    assert seen.sigma[0] == pytest.approx(EPSILON * np.e, rel=1e-3)


def test_at_the_edge_of_the_domain_the_side_inside_is_used(point):
    above = slopes(point(lambda x: np.sqrt(x) ** 3, 0.0))
    assert not above.two_sided
    np.testing.assert_allclose(above.central, np.sqrt(above.h))
    np.testing.assert_array_equal(above.forward, above.central)
    np.testing.assert_array_equal(above.backward, above.central)
    assert above.gap.max() == 0
    below = slopes(point(lambda x: 3 * x + 0 * np.sqrt(1 - x), 1.0))
    assert not below.two_sided
    np.testing.assert_allclose(below.central, 3, rtol=1e-3)
    np.testing.assert_array_equal(below.forward, below.backward)


def test_near_the_edge_the_steps_inside_are_used_from_both_sides(point):
    seen = slopes(point(np.log, 2.0**-20), steps=[2.0**-k for k in range(36, 3, -2)])
    assert seen.two_sided
    assert seen.h.max() < 2.0**-20
    assert len(seen.h) >= ENOUGH


def test_too_few_steps_inside_give_no_slopes(point):
    steps = [2.0**-24, 2.0**-22, 2.0**-21, 1.0, 2.0]
    assert slopes(point(lambda x: np.log(x) + np.log(2.0**-19 - x), 2.0**-20), steps=steps) is None
    assert slopes(point(np.exp, 0.0), steps=steps[: ENOUGH - 1]) is None
    assert slopes(point(np.exp, 0.0), steps=steps[:ENOUGH]) is not None


def test_a_step_beyond_a_hole_in_the_domain_is_not_used(point):
    """Values beyond the hole are finite, and say nothing about x."""
    seen = slopes(point(lambda x: np.where((x > 1.01) & (x < 1.2), np.nan, x), 1.0))
    assert seen.h.max() < 0.02


@pytest.mark.parametrize("x", [1.0, -3.0, 0.2])
def test_the_order_of_truncation_is_seen(x, point):
    seen = slopes(point(np.sin, x), steps=ladder_steps(x, abs(x), float(np.spacing(abs(x))), HALF_DECADE))
    central, forward = (np.abs(slope - np.cos(x)) for slope in (seen.central, seen.forward))
    shrink = np.log(seen.h[-1] / seen.h[-5])
    assert np.log(central[-1] / central[-5]) / shrink == pytest.approx(2, abs=0.2)
    assert np.log(forward[-1] / forward[-5]) / shrink == pytest.approx(1, abs=0.2)
    assert central.min() < 1e-9


def test_several_outputs_of_any_scale_keep_their_slopes(point):
    scales = 10.0 ** np.arange(-200, 201, 50)
    seen = slopes(point(lambda x: scales * np.sin(x), 0.3), np.ones(9))
    np.testing.assert_allclose(seen.terms_forward[4] / scales, np.cos(0.3), rtol=1e-5)
    assert np.isfinite(seen.sigma).all()


def test_pairs_to_spare_are_taken_when_their_steps_are_climbed_and_not_before(point):
    around = point(np.sin, 0.7)
    finer = climbed(around, steps=[2.0**-10, 2.0**-8, 2.0**-6])
    ladder = climbed(around, steps=[2.0**-10])
    before = around.evaluations
    ladder.spare(finer)
    assert len(ladder.pairs) == 1
    ladder.climb([2.0**-10, 2.0**-8, 2.0**-4])
    assert [pair.h for pair in ladder.pairs] == [2.0**-10, 2.0**-8, 2.0**-4]
    assert ladder.pairs[1] is finer.pairs[1]
    assert around.evaluations == before + 2


def test_pairs_of_other_outputs_are_not_to_spare(point):
    around = point(np.sin, [0.7, 0.3])
    ladder, other = Ladder(around, 0), Ladder(around, 0, np.array([0]))
    other.climb([0.5])
    before = around.evaluations
    ladder.spare(other)
    ladder.climb([0.5])
    assert around.evaluations == before + 2
