"""The knobs of a check: sample, rtol, eps, sweep, accuracy, kinks, dtype."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check


def one_wrong(x):
    gradient = 2 * x
    gradient[7] *= 2
    return gradient


def squares(x):
    return float(x @ x)


X = np.random.default_rng(3).uniform(1, 2, 200)


def test_every_element_is_checked_unless_a_sample_is_asked_for():
    (parameter,) = check(squares, X, grad=one_wrong).parameters
    assert (parameter.checked, parameter.elements, parameter.verdict) == (200, 200, "fail")


def test_a_sample_says_how_many_of_how_many():
    (parameter,) = check(squares, X, grad=lambda x: 2 * x, sample=5).parameters
    assert (parameter.checked, parameter.elements, parameter.verdict) == (5, 200, "pass")


def test_a_sample_costs_what_it_checks():
    assert check(squares, X, grad=lambda x: 2 * x, sample=5).evaluations < 60
    assert check(squares, X, grad=lambda x: 2 * x).evaluations >= 400


def test_a_sample_follows_the_seed():
    def shown(seed):
        worst = check(squares, X, grad=one_wrong, sample=3, seed=seed).parameters[0].worst
        assert worst is not None
        return worst.index

    assert shown(1) == shown(1)
    assert len({shown(seed) for seed in range(6)}) > 1


def test_a_sample_meets_the_wrong_element_with_some_seed_and_misses_it_with_another():
    verdicts = {check(squares, X[:20], grad=one_wrong, sample=10, seed=seed).verdict for seed in range(8)}
    assert verdicts == {"pass", "fail"}


def test_a_sample_of_everything_misses_nothing():
    (parameter,) = check(squares, X, grad=one_wrong, sample=1000).parameters
    assert (parameter.checked, parameter.verdict) == (200, "fail")


def test_a_sample_counts_for_each_parameter():
    result = check(lambda a, b: F.sum(a * b), {"a": np.ones(6), "b": np.ones(6)}, sample=2)
    assert [(p.checked, p.elements) for p in result.parameters] == [(2, 6), (2, 6)]


@pytest.mark.parametrize(
    ("error", "rtol", "verdict"),
    [(1e-5, None, "fail"), (1e-5, 1e-4, "pass"), (1e-3, 1e-4, "fail"), (1e-5, 1e-6, "fail"), (1e-3, 1e-2, "pass")],
)
def test_rtol_is_the_largest_relative_error_of_a_right_gradient(error, rtol, verdict):
    result = check(squares, X[:5], grad=lambda x: 2 * x * (1 + error), rtol=rtol)
    assert result.verdict == verdict
    # d / (|a| + |n|): half of the relative error.
    assert result.parameters[0].max_rel_err == pytest.approx(error / 2, rel=0.01)


def test_the_resolution_is_at_least_twice_rtol():
    for rtol in (1e-7, 1e-4, 1e-2):
        resolution = check(squares, X[:5], grad=lambda x: 2 * x, rtol=rtol).parameters[0].resolution
        assert resolution == pytest.approx(2 * rtol)


@pytest.mark.parametrize("eps", [1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize(("factor", "forbidden"), [(1.0, "fail"), (1.01, "pass"), (-1.0, "pass")])
def test_no_eps_turns_a_verdict_round(eps, factor, forbidden):
    result = check(lambda x: np.sum(np.sin(x)), X[:5], grad=lambda x: factor * np.cos(x), eps=eps)
    assert result.verdict != forbidden


def test_accuracy_is_the_error_that_a_right_gradient_may_have():
    """A share of the largest gradient, 4, is forgiven to every element."""
    x = np.array([2.0, 1e-3, 1.0])

    def off(error):
        return lambda x: 2 * x + error

    assert check(squares, x, grad=off(1e-6)).verdict == "fail"
    result = check(squares, x, grad=off(1e-6), accuracy=1e-5)
    assert (result.verdict, result.parameters[0].resolution) == ("pass", 1e-5)
    assert check(squares, x, grad=off(1e-6), accuracy=1e-7).verdict == "fail"
    assert check(squares, x, grad=off(1e-4), accuracy=1e-5).verdict == "fail"


def test_kinks_are_for_the_strict_a_failure():
    x = np.array([0.0, 1.0])
    assert check(F.relu, x).verdict == "pass"
    assert check(F.relu, x, kinks="pass").verdict == "pass"
    result = check(F.relu, x, kinks="fail")
    assert result.verdict == "fail"
    assert [finding.name for finding in result.parameters[0].findings] == ["kink-at-point"]
    assert result.parameters[0].worst is not None
    assert result.parameters[0].worst.index == (0,)
    assert check(F.relu, x + 1, kinks="fail").verdict == "pass"


def test_eps_is_relative_to_the_scale_of_the_element():
    steps = []

    def value(x):
        steps.append(x.copy())
        return squares(x)

    x = np.array([1e6, 1e6])
    check(value, x, grad=lambda x: 2 * x, eps=1e-3)
    moved = [abs(step - x).max() for step in steps if (step != x).any()]
    assert 500 <= max(moved) <= 2000


def test_a_sweep_is_shown_for_a_right_gradient_only_if_asked_for():
    (without,) = check(squares, X[:3], grad=lambda x: 2 * x).parameters
    (shown,) = check(squares, X[:3], grad=lambda x: 2 * x, sweep=True).parameters
    assert without.sweep == ()
    assert [point.eps for point in shown.sweep] == [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]


def test_the_sweep_of_a_wrong_gradient_is_flat_and_that_of_a_right_one_is_not():
    (wrong,) = check(lambda x: np.sum(np.exp(x)), X[:3], grad=lambda x: -np.exp(x)).parameters
    (right,) = check(lambda x: np.sum(np.exp(x)), X[:3], grad=np.exp, sweep=True).parameters
    assert [point.rel_err for point in wrong.sweep] == pytest.approx([1.0] * 7, abs=1e-3)
    errors = [point.rel_err for point in right.sweep]
    assert errors[0] > 100 * errors[2]


def test_everything_is_computed_in_the_type_that_is_asked_for():
    seen = set()

    def value(x):
        seen.add(x.dtype)
        return F.sum(x * x)

    check(value, X[:2], dtype="float32")
    assert seen == {np.dtype(np.float32)}
    seen.clear()
    check(value, X[:2].astype(np.float32))
    assert seen == {np.dtype(np.float64)}
