"""What a check may be told to allow: accuracy, repeat, allow, kinks. Both sides of each."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gradcheck_cli import check

X = np.array([0.3, -0.8, 1.7])


def solver_gradient(wrong_element=None):
    """Return the adjoint of a linear system, solved by conjugate gradients to about 1e-8."""
    root = np.random.default_rng(3).standard_normal((60, 60))
    matrix = root @ root.T + 10 * np.eye(60)  # so large that it stops long before the solution is exact

    def backward(g):
        x, r = np.zeros_like(g), g.copy()
        p, size = r.copy(), r @ r
        while np.sqrt(size) > 1e-8 * np.linalg.norm(g) > 0:
            ahead = matrix @ p
            step = size / (p @ ahead)
            x, r = x + step * p, r - step * ahead
            p, size = r + (r @ r) / size * p, r @ r
        if wrong_element is not None:
            x[wrong_element] *= 1.01
        return x

    def solve(b):
        """matrix^-1 b."""
        return np.linalg.solve(matrix, b)

    return solve, backward


def test_an_inexact_gradient_needs_accuracy(operator):
    b = np.random.default_rng(4).standard_normal(60)
    assert check(operator(*solver_gradient()), b).verdict == "fail"
    allowed = check(operator(*solver_gradient()), b, accuracy=1e-5)
    assert allowed.verdict == "pass"
    assert allowed.parameters[0].resolution == 1e-5
    assert check(operator(*solver_gradient(3)), b, accuracy=1e-5).verdict == "fail"


def jittering(operator, size, factor=1.0):
    """Return sin(x) whose calls differ by `size`."""
    calls = itertools.count()

    def sine(x):
        """sin(x)."""
        return np.sin(x) * (1 + size * np.cos(7.0 * next(calls)))

    return operator(sine, lambda g, x: factor * g * np.cos(x))


def test_differences_between_calls_up_to_repeat_are_noise(operator):
    quiet = check(jittering(operator, 1e-14), X)
    assert quiet.verdict == "pass"
    assert any("identical calls differ" in note for note in quiet.notes)
    assert check(jittering(operator, 1e-14, 1.001), X).verdict == "fail"
    loud = check(jittering(operator, 1e-9), X)
    assert [finding.name for finding in loud.findings] == ["not-repeatable"]
    assert check(jittering(operator, 1e-9), X, repeat=1e-7).verdict in ("pass", "inconclusive")
    assert check(jittering(operator, 1e-9, 2.0), X, repeat=1e-7).verdict == "fail"


def writing(operator, factor=2.0):
    """Return an operator that writes to its input."""

    def double(x):
        """2 x."""
        y = 2 * x
        x[...] = 0
        return y

    return operator(double, lambda g: factor * g)


def test_an_allowed_contract_is_noted_and_the_numbers_are_checked(operator):
    refused = check(writing(operator), X)
    assert [(f.name, f.accepted) for f in refused.findings] == [("input-modified", False)]
    allowed = check(writing(operator), X, allow=["input-modified"])
    assert allowed.verdict == "pass"
    assert [(f.name, f.accepted) for f in allowed.findings] == [("input-modified", True)]
    assert check(writing(operator, 2.002), X, allow=["input-modified"]).verdict == "fail"


def test_a_loss_that_ignores_its_cotangent_can_be_allowed(operator):
    def loss(x):
        """sum x^2."""
        return np.sum(x * x)

    ignores = operator(loss, lambda g, x: 2 * x)
    assert check(ignores, X).findings[0].name == "not-linear-in-g"
    assert check(ignores, X, allow=["not-linear-in-g"]).verdict == "pass"


@pytest.mark.parametrize(("kinks", "verdict"), [("pass", "pass"), ("fail", "fail")])
def test_a_valid_subgradient_passes_unless_kinks_fail(operator, kinks, verdict):
    def ramp(x):
        """max(x, 0)."""
        return np.maximum(x, 0.0)

    result = check(operator(ramp, lambda g, x: g * (x > 0)), np.array([0.0, 1.0]), kinks=kinks)
    assert result.verdict == verdict
    assert [finding.name for finding in result.parameters[0].findings] == ["kink-at-point"]
