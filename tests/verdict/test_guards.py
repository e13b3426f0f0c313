"""Guards: signs that a measurement can't convict, or can't acquit, and their absence."""

import numpy as np
import pytest

from gradcheck_cli.verdict import guards

N = 17  # steps from 1e-9 to 1e-1


def stretches(*parts):
    """Slopes that are constant over stretches: (value, steps), ..."""
    return np.concatenate([np.full(count, value) for value, count in parts])


def test_an_abrupt_change_begins_at_its_step(slopes):
    assert guards.abrupt_onset(slopes(stretches((1.0, 8), (2.0, 9))), 3, 1.0, 1e-6) == 8
    assert guards.abrupt_onset(slopes(np.ones(N)), 3, 1.0, 1e-6) is None


def test_truncation_is_not_abrupt(slopes):
    seen = slopes(np.ones(N))
    assert guards.abrupt_onset(slopes(1 + seen.h**2), 3, 1.0, 1e-12) is None
    assert guards.abrupt_onset(slopes(1 + 1e6 * seen.h**2), 3, 1.0, 1e-12) is None


def test_a_change_below_the_error_or_before_the_best_step_is_no_onset(slopes):
    seen = slopes(stretches((1.0, 8), (2.0, 9)))
    assert guards.abrupt_onset(seen, 3, 1.0, 0.1) is None
    assert guards.abrupt_onset(seen, 8, 2.0, 1e-6) is None


@pytest.mark.parametrize(
    ("analytic", "agrees"), [(2.0, True), (2.1, True), (1.9, True), (3.0, False), (0.5, False), (1.0, False)]
)
def test_larger_steps_that_agree_after_an_abrupt_change_speak_for_the_gradient(analytic, agrees, slopes):
    """One stair of a staircase: 1 within it, 2 over many."""
    seen = slopes(stretches((1.0, 8), (2.0, 9)))
    assert guards.agrees_after_onset(seen, 3, 1.0, 1e-6, analytic) is agrees


def test_two_steps_that_agree_are_no_stretch(slopes):
    assert not guards.agrees_after_onset(slopes(stretches((1.0, 12), (2.0, 2), (5.0, 3))), 3, 1.0, 1e-6, 2.0)
    assert guards.agrees_after_onset(slopes(stretches((1.0, 12), (2.0, 3), (5.0, 2))), 3, 1.0, 1e-6, 2.0)


def test_a_stretch_whose_sides_differ_is_a_kink_and_speaks_for_nothing(slopes):
    flat = np.full(N, 2.0)
    assert guards.flat_stretch_at(slopes(flat), 2.0, 1.0, 0)
    assert guards.flat_stretch_at(slopes(flat, flat + 0.4, flat - 0.4), 2.0, 1.0, 0)
    assert not guards.flat_stretch_at(slopes(flat, flat + 1, flat - 1), 2.0, 1.0, 0)
    assert not guards.flat_stretch_at(slopes(flat), 2.3, 1.0, 0)
    assert not guards.flat_stretch_at(slopes(flat), 2.0, 1.0, N - 2)


def staircase(height, slopes):
    """No change up to 1e-5, then steps of a staircase of this height."""
    seen = slopes(np.ones(N))
    rise = np.floor(seen.h / 1e-5) * height
    return slopes(rise / seen.h, rise / seen.h, rise / seen.h)


@pytest.mark.parametrize(
    ("height", "analytic", "size", "hidden"),
    [
        (1e-9, 1e-4, 1.0, True),  # 1e-4 * 1e-6 is less than a step of 1e-9
        (1e-9, 1.0, 1.0, False),  # the change would have been seen
        (1e-9, 1e-4, 1e-9, False),  # as large as the value: a real staircase
        (1e-9, 1e-4, 5e-7, True),  # half a percent of it: the coarsest type rounds so
        (1e-9, 1e-4, 1e-7, False),
        (1e-2, 1.0, 1.0, False),
    ],
)
def test_a_change_below_the_smallest_that_was_seen_is_hidden(height, analytic, size, hidden, slopes):
    seen = staircase(height, slopes)
    best = 6
    assert seen.h[best] == pytest.approx(1e-6)
    assert guards.below_quantum(seen, best, analytic, size) is hidden


def test_what_moved_hides_nothing(slopes):
    assert not guards.below_quantum(slopes(np.ones(N)), 6, 1e-30, 1.0)


def test_what_never_moves_hides_what_is_below_the_rounding_of_the_value(slopes):
    """1e-16 over the largest step, 0.1."""
    still = slopes(np.zeros(N))
    assert guards.below_quantum(still, 6, 1e-30, 1.0)
    assert guards.below_quantum(still, 6, 1e-15, 1.0)
    assert not guards.below_quantum(still, 6, 1e-14, 1.0)
    assert guards.below_quantum(still, 6, 1e-14, 1.0, own=1e-2)
    assert not guards.below_quantum(still, 6, 1e-12, 1.0, own=1e-2)
    assert guards.below_quantum(still, 6, 1e-8, 1.0, own=1e-20), "the smallest step counts in any case"
    assert guards.below_quantum(slopes(np.zeros(N), sigma=1e-6), 6, 1e-5, 1.0), "stairs are noise, too"


@pytest.mark.parametrize(("analytic", "agrees"), [(1.0, True), (1.1, True), (1.5, False), (-1.0, False)])
def test_smaller_steps_that_agree_speak_for_the_gradient(analytic, agrees, slopes):
    seen = slopes(stretches((1.0, 8), (2.0, 9)))
    assert guards.agrees_below(seen, 12, analytic, abs(analytic - 2.0)) is agrees


def test_smaller_steps_that_say_nothing_or_two_of_them_speak_for_nothing(slopes):
    assert not guards.agrees_below(slopes(stretches((0.0, 8), (2.0, 9))), 12, 0.0, 2.0)
    assert not guards.agrees_below(slopes(stretches((5.0, 6), (1.0, 2), (2.0, 9))), 12, 1.0, 1.0)
    assert guards.agrees_below(slopes(stretches((5.0, 6), (1.0, 3), (2.0, 8))), 12, 1.0, 1.0)
    assert not guards.agrees_below(slopes(stretches((1.0, 8), (2.0, 9))), 1, 1.0, 1.0), "they are larger"


def test_noise_above_a_thousandth_of_the_value_may_be_an_oscillation(slopes):
    loud = slopes(np.ones(N), sigma=2e-3)
    assert guards.mostly_noise(loud, 12, 1.0)
    assert not guards.mostly_noise(loud, 12, 10.0)
    assert not guards.mostly_noise(loud, 12, 0.0)


def test_one_side_alone_has_to_settle(slopes):
    h = slopes(np.ones(N)).h
    flat, curved = slopes(np.ones(N), two_sided=False), slopes(np.sqrt(h), two_sided=False)
    assert not guards.unsettled_side(flat, 12)
    assert guards.unsettled_side(curved, 12)
    assert guards.unsettled_side(flat, 1), "two steps"
    assert not guards.unsettled_side(slopes(np.sqrt(h)), 12), "two sides"


def unmoved(slopes, part, analytic, numeric=1.0, epsilon=1e-16, base=1e10, moved=(True, False)):
    """Ask the guard about two outputs, of which the second, as large as `base`, has the gradient `part`."""
    seen = slopes(np.full(N, numeric), moved=moved)
    asked = []

    def gradient_of(u):
        asked.append(u.tolist())
        return part

    u, outputs = np.array([1.0, -2.0]), np.array([1.0, base])
    answer = guards.in_unmoved_outputs(
        seen, u, outputs, np.full(2, epsilon), numeric, lambda _: 1e-9, analytic, gradient_of
    )
    assert asked in ([], [[0.0, -2.0]]), "the weights of the outputs that stayed"
    return answer


def test_a_difference_in_outputs_that_never_moved_is_not_held_against_the_gradient(slopes):
    """1e10 * 1e-16 / 0.1 is what rounding hides in the second output."""
    assert unmoved(slopes, 1e-5, 1.0 + 1e-5)
    assert not unmoved(slopes, 1e-5, 1.0 + 1e-3), "the rest differs, too"
    assert not unmoved(slopes, 1.0, 2.0), "so much would have been seen"
    assert not unmoved(slopes, 0.0, 1.0 + 1e-5), "the difference lies elsewhere"
    assert not unmoved(slopes, 1e-5, 1.0 + 1e-5, base=1.0)
    assert not unmoved(slopes, 1e-5, 1.0 + 1e-5, moved=(True, True))


def test_a_second_flat_stretch_tells_another_story(slopes):
    assert guards.other_stretch(slopes(stretches((1.0, 8), (2.0, 9))), 4, 1.0, 1e-6) == 8
    assert guards.other_stretch(slopes(np.ones(N)), 4, 1.0, 1e-6) is None


def test_a_stretch_within_the_bar_or_its_noise_tells_none(slopes):
    flat = stretches((1.0, 8), (1.5, 9))
    assert guards.other_stretch(slopes(flat), 4, 1.0, 1e-6) is not None
    assert guards.other_stretch(slopes(flat), 4, 1.0, 0.6) is None
    assert guards.other_stretch(slopes(flat, sigma=0.1), 4, 1.0, 1e-6) is None


def test_curvature_and_saturation_are_not_flat(slopes):
    h = slopes(np.ones(N)).h
    assert guards.other_stretch(slopes(1 + h**2), 4, 1.0, 1e-12) is None
    assert guards.other_stretch(slopes(1 / (1 + (h / 1e-4) ** 2)), 4, 1.0, 1e-12) is None
    assert guards.other_stretch(slopes(stretches((1.0, 8), (2.0, 3), (3.0, 3), (4.0, 3))), 4, 1.0, 1e-6) == 8
    assert guards.other_stretch(slopes(stretches((1.0, 8), (2.0, 2), (3.0, 2), (4.0, 2), (6.0, 3))), 8, 1.0, 1e-6) == 14


def test_a_stretch_with_a_kink_tells_none(slopes):
    flat = stretches((1.0, 8), (2.0, 9))
    apart = stretches((0.0, 8), (2.0, 9))
    assert guards.other_stretch(slopes(flat, flat + apart, flat - apart), 4, 1.0, 1e-6) is None
