"""A parameter on which the value doesn't depend is told from one that has no slope at the point."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import arr, check, op

X, W = np.array([0.5, -1.5, 2.0]), np.array([0.3, 0.1, -0.7])


@op(x=arr("n"), w=arr("n", low=0))
def ignoring(x, w):
    """x, whatever w is, as long as it isn't negative."""
    if (w < 0).any():
        raise ValueError("w is negative")
    return x + 0.0


@ignoring.backward
def _(g, w):
    return g, np.zeros_like(w)


@op
def frozen(x, w):
    """x + w, whose gradient of w is zero by mistake."""
    return x + w


@frozen.backward
def _(g):
    return g, np.zeros_like(g)


def names(function, **points):
    result = check(function, {"x": X, "w": W, **points})
    return result.verdict, [finding.name for finding in result.parameters[1].findings]


@pytest.mark.parametrize(
    "function",
    [lambda x, w: F.sum(x * x) + 0 * F.sum(w), lambda x, w: x * x, lambda x, w: F.where(X < 99, x, w)],
    ids=["times zero", "not used", "masked out"],
)
def test_a_parameter_without_influence_is_disconnected(function):
    assert names(function) == ("pass", ["disconnected", "vacuous"])


@pytest.mark.parametrize(
    "function",
    [lambda x, w: x + F.relu(w - 5), lambda x, w: x + F.relu(-5 - w), lambda x, w: x + F.maximum(w, 3.0)],
)
def test_what_is_only_off_at_the_point_is_vacuous(function):
    assert names(function) == ("pass", ["vacuous"])


def test_what_another_parameter_switches_off_is_vacuous():
    assert names(lambda x, w: F.relu(F.sum(x) - 500) * w) == ("pass", ["vacuous"])
    assert names(lambda x, w: x + F.relu(w - 200)) == ("pass", ["vacuous"])


def test_what_is_refused_elsewhere_is_not_called_disconnected():
    assert names(ignoring, w=np.array([1.0, 2.0, 3.0])) == ("pass", ["vacuous"])


def test_a_gradient_that_is_zero_by_mistake_is_another_finding():
    assert names(frozen) == ("fail", ["gradient-zero"])


def test_a_parameter_that_matters_has_neither():
    assert names(lambda x, w: x * w) == ("pass", [])
