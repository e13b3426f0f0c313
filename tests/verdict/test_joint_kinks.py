"""Several kinks at once: what is a subgradient for each element needn't be one for all of them together."""

import numpy as np
import pytest

from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.joint_kinks import Kinked, excluded_direction, judge_together
from gradcheck_cli.verdict.judgement import Judgement

pytestmark = pytest.mark.usefixtures("unwarned")


def excluded(parts, u=None, seed=0, step=np.inf):
    """The direction that excludes the gradients of (point, elements, gradient), ..., whose kinks `step` showed."""
    kinked = [
        Kinked(around, np.array(elements), np.array(gradient, dtype=float), step)
        for around, elements, gradient in parts
    ]
    weights = np.ones(kinked[0].point.base.size) if u is None else np.array(u, dtype=float)
    return excluded_direction(kinked, weights, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("gradient", "valid"),
    [
        ([0.5, 0.5], True),
        ([1.0, 0.0], True),
        ([0.2, 0.8], True),
        ([1.0, 1.0], False),
        ([0.0, 0.0], False),
        ([0.6, 0.5], False),
        ([1.5, -0.5], False),
    ],
    ids=str,
)
def test_ties_of_a_maximum_share_one_gradient(gradient, valid, seed, point):
    seen = excluded([(point(np.max, [1.0, 1.0, 0.5]), [0, 1], gradient)], seed=seed)
    assert (seen is None) is valid, f"seed {seed}"


def test_what_excludes_the_gradient_is_said(point):
    analytic, low, high = excluded([(point(np.max, [1.0, 1.0, 0.5]), [0, 1], [1, 1])])
    assert (analytic, low, high) == (2, pytest.approx(1, abs=1e-3), pytest.approx(1, abs=1e-3))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("first", "second", "valid"), [(0.5, 0.5, True), (1.0, 0.0, True), (1.0, 1.0, False), (0, 0, False)]
)
def test_ties_across_two_parameters_share_one_gradient(first, second, valid, seed, point):
    def largest(x, y):
        return np.maximum(x, y)

    x, y = point(largest, [1.0], y=np.ones(1)), point(largest, [1.0], "y", y=np.ones(1))
    seen = excluded([(x, [0], [first]), (y, [0], [second])], seed=seed)
    assert (seen is None) is valid, f"seed {seed}"


@pytest.mark.parametrize("gradient", [[0, 0], [1, 1], [0, 1], [0.3, 0.9]], ids=str)
def test_independent_kinks_exclude_nothing_that_is_valid_alone(gradient, point):
    for seed in range(5):
        assert excluded([(point(lambda x: np.maximum(x, 0), [0.0, 0.0]), [0, 1], gradient)], seed=seed) is None


def test_weights_of_the_outputs_count(point):
    around = point(lambda x: np.array([np.max(x), 10 * np.max(x)]), [1.0, 1.0])
    assert excluded([(around, [0, 1], [-4.5, -4.5])], u=[1.0, -1.0]) is None
    assert excluded([(around, [0, 1], [5.5, 5.5])]) is None
    assert excluded([(around, [0, 1], [5.5, 5.5])], u=[1.0, -1.0]) is not None


def test_only_the_kinked_elements_move(point):
    moved = []
    around = point(lambda x: (moved.append(x != [1, 1, 5]), np.max(x[:2]))[1], [1.0, 1.0, 5.0])
    moved.clear()
    excluded([(around, [0, 1], [0.5, 0.5])])
    assert len(moved) == 10
    assert all(which.tolist() == [True, True, False] for which in moved)


def test_curvature_beside_a_kink_excludes_nothing(point):
    assert excluded([(point(lambda x: np.exp(3 * x) + np.abs(x), [0.0, 0.0]), [0, 1], [3.5, 2.5])]) is None
    assert excluded([(point(lambda x: np.exp(3 * x) + np.abs(x), [0.0, 0.0]), [0, 1], [4.1, 4.1])]) is not None


def test_a_feature_smaller_than_a_step_on_the_scale_of_x_excludes_nothing(point):
    """The step stays close to the one that showed the kinks."""
    around = point(lambda x: np.sum(np.abs(x - 1e6) + 3 * np.tanh(x - 1e6)), [1e6, 1e6])
    assert excluded([(around, [0, 1], [3.0, 3.0])], step=1e-4) is None
    assert excluded([(around, [0, 1], [4.1, 4.1])], step=1e-4) is not None


def test_a_second_kink_beside_the_first_excludes_nothing(point):
    around = point(lambda x: np.sum(np.abs(x) - 2 * np.maximum(x - 1e-6, 0)), [0.0, 0.0, 1.0])
    assert excluded([(around, [0, 1], [0.0, 0.0])], step=1e-11) is None
    assert excluded([(around, [0, 1], [1.0, 1.1])], step=1e-11) is not None


def test_two_elements_are_moved_apart_with_every_seed(point):
    """|x + y| at 0: the gradient (1, -1) is excluded by moving them apart only."""
    around = point(lambda x: np.abs(x[0] + x[1]), [0.0, 0.0])
    missed = [seed for seed in range(40) if excluded([(around, [0, 1], [1.0, -1.0])], seed=seed) is None]
    assert missed == []


def judged(parts, *names):
    """Hold kinks against joint directions; return verdicts and first findings by name."""
    note = Finding("kink-at-point", "x[0]: a kink")
    judgement = Judgement(parameters=[ParameterResult(n, (2,), 2, 2, Verdict.PASS, findings=(note,)) for n in names])
    kinked = [
        Kinked(around, np.array(elements), np.array(gradient, dtype=float)) for around, elements, gradient in parts
    ]
    judge_together(judgement, kinked, np.ones(parts[0][0].base.size if parts else 1), np.random.default_rng(0))
    return {p.name: (str(p.verdict), [f.name for f in p.findings], p.findings[0].message) for p in judgement.parameters}


def test_parameters_whose_kinks_exclude_one_another_fail_and_no_others(point):
    tied = point(np.max, [1.0, 1.0])
    seen = judged([(tied, [0, 1], [1, 1])], "x", "other")
    verdict, findings, message = seen["x"]
    assert (verdict, findings) == ("fail", ["invalid-at-kink", "kink-at-point"])
    assert "2 elements of x are at kinks" in message
    assert "the gradient says 2, the slopes on both sides are 1 and 1" in message
    assert seen["other"][:2] == ("pass", ["kink-at-point"])
    assert judged([(tied, [0, 1], [0.5, 0.5])], "x")["x"][0] == "pass"


def test_one_kink_alone_is_not_looked_at_again(point):
    around = point(np.max, [1.0, 1.0])
    assert judged([(around, [0], [7])], "x")["x"][0] == "pass"
    assert judged([], "x")["x"][0] == "pass"
    assert around.evaluations == 0
