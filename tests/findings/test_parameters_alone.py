"""What is told from the two gradients of a parameter, with no operator to look at."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli.findings.causes import DETECTORS, causes_of, find_causes
from tests.findings.stories import suspect

N = np.random.default_rng(8).standard_normal((6, 6))
TALL = np.random.default_rng(9).standard_normal((6, 4))
EDGES = np.ones((6, 6), dtype=bool)
EDGES[1:-1, 1:-1] = False

STORIES = {
    "gradient-zero": (0 * N, N, "zero everywhere; the right one reaches"),
    "sign-flipped": (-N, N, "is minus the right one, in all of 36 elements"),
    "transposed": (N.T, N, "is the transpose of the right one"),
    "transposed by a reshape": (TALL.T.reshape(6, 4), TALL, "a reshape doesn't transpose"),
    "constant-factor": (3 * N, N, "3 times the right one (3)"),
    "small-everywhere": (N * (1 + 1e-4 * (1 + 0.5 * N**2 / (1 + N**2))), N, "in nearly all elements"),
    "small-everywhere by one factor": (1.0003 * N, N, "off by 0.0003 of itself everywhere"),
    "missing-term": (N + N.mean(axis=1, keepdims=True), N, "constant along axis 1"),
    "missing-term altogether": (N + 0.25, N, "off by 0.25, the same in every element"),
    "some-elements": (np.where(EDGES, 2 * N, N), N, "at the border of the array"),
    "some-elements of a row": (np.where(np.arange(6)[:, None] == 0, N**2, N), N, "in the first place along axis 0"),
    "some-elements of every second": (np.where(np.arange(36).reshape(6, 6) % 2 == 1, N**2, N), N, "the odd ones"),
    "some-elements below the diagonal": (np.where(np.tri(6, k=-1) > 0, N - N**3, N), N, "below the diagonal"),
    "some-elements without a pattern": (np.where((N > 0.7) & (N < 1.2), N**2, N), N, "right in the others: w["),
    "unexplained": (np.sin(9 * N) + 0.1, N, "no known mistake explains the gradient of w: 36 of 36"),
}


@pytest.mark.parametrize("story", STORIES)
def test_a_mistake_is_named_first(story):
    analytic, numeric, words = STORIES[story]
    found = find_causes([suspect(analytic, numeric)])
    assert found[0].name == story.split()[0]
    assert words in found[0].message
    assert "w" in found[0].message


@pytest.mark.parametrize("noise", [0.0, 1e-9])
def test_a_right_gradient_fires_nothing(noise):
    near = N + noise * np.random.default_rng(1).standard_normal(N.shape)
    assert find_causes([suspect(near, N, bar=1e-9)]) == ()


def test_what_lies_within_the_bars_is_no_mismatch():
    for analytic, numeric, _ in STORIES.values():
        assert find_causes([suspect(analytic, numeric, bar=1e6)]) == ()


def test_a_difference_of_a_few_bars_is_explained_by_nothing():
    """Where the right gradient isn't known well enough, stories can't be told apart."""
    found = causes_of(suspect(N + 0.3, N, bar=0.09))
    assert [finding.name for finding in found] == []


def test_one_large_element_does_not_speak_for_all():
    numeric = N.copy()
    numeric[2, 3] = 1e6
    analytic = np.sin(5 * N)
    analytic[2, 3] = -1e6
    assert [finding.name for finding in find_causes([suspect(analytic, numeric)])] == ["unexplained"]


def test_two_parameters_with_each_others_gradient():
    x, y = N[0], N[1]
    (found,) = find_causes([suspect(x, y, name="y", others={"x": (y, x), "z": (N[2], N[2])})])
    assert (found.name, found.message) == ("swapped-inputs", "y and x have each other's gradient")
    (found,) = find_causes([suspect(x, y, name="y", others={"x": (x, x)})])
    assert found.message == "the gradient of y is that of x, which has its own as well"


@pytest.mark.parametrize("others", [{}, {"x": (N[2], N[2])}, {"x": (N[0][:3], N[0][:3])}])
def test_another_gradient_is_not_taken_for_a_swap(others):
    found = find_causes([suspect(N[0], N[1], name="y", others=others)])
    assert [finding.name for finding in found] == ["unexplained"]


def test_a_sample_of_elements_is_enough_for_what_needs_no_neighbours():
    few = [1, 4, 9, 20, 33]
    assert find_causes([suspect(-N, N, elements=few)])[0].name == "sign-flipped"
    assert find_causes([suspect(2 * N, N, elements=few)])[0].name == "constant-factor"
    assert find_causes([suspect(N.T, N, elements=few)])[0].name == "unexplained"


@pytest.mark.parametrize("value", [0.731, 1.0])
def test_one_element_fits_many_stories_and_is_not_guessed_at(value):
    assert [finding.name for finding in find_causes([suspect([value], [1.9])])] == ["unexplained"]


@pytest.mark.parametrize("shape", [(), (1,), (0,), (1, 1), (2,), (3, 1, 2)])
def test_every_shape_is_looked_at(shape):
    rng = np.random.default_rng(4)
    analytic, numeric = rng.standard_normal(shape), rng.standard_normal(shape)
    found = find_causes([suspect(analytic, numeric)])
    assert [finding.name for finding in found] == (["unexplained"] if np.prod(shape) else [])


@pytest.mark.parametrize("analytic", [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
def test_gradients_that_should_be_zero_are_no_division_by_zero(analytic):
    found = find_causes([suspect(analytic, np.zeros(3))])
    assert [finding.name for finding in found] == ["unexplained"]


def test_numbers_that_are_not_finite_are_left_to_others():
    assert find_causes([suspect(np.full(4, np.nan), np.ones(4))]) == ()


def test_random_pairs_of_gradients_are_explained_by_nothing():
    """What has nothing to do with the right gradient must not look like a mistake with a name."""
    for seed in range(60):
        rng = np.random.default_rng([seed, 77])
        shape = tuple(int(size) for size in rng.integers(2, 6, rng.integers(1, 4)))
        numeric = rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 6)
        analytic = rng.standard_normal(shape) * np.abs(numeric).max()
        names = [finding.name for finding in find_causes([suspect(analytic, numeric)])]
        assert names == ["unexplained"], f"seed {seed}, shape {shape}: {names}"


def test_every_detector_is_named_as_its_finding():
    from gradcheck_cli.codes import FINDING_CODES

    names = [detector.__name__.replace("_", "-") for detector in DETECTORS]
    assert len(set(names)) == len(names)
    assert set(names) == {name for name in FINDING_CODES if FINDING_CODES[name].code.startswith("GC2")} - {
        "invalid-at-kink",
        "unexplained",
    }
