"""Random directions in place of elements: what they cost, what they find, what they say."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import check

RNG = np.random.default_rng(7)
X = RNG.standard_normal((6, 10))
SHAPES = {"W1": (10, 29), "b1": (29,), "W2": (29, 3), "b2": (3,)}  # 409 elements
POINT = {name: np.random.default_rng(len(name)).standard_normal(shape) for name, shape in SHAPES.items()}


def network(operator, element=None, factor=1.01):
    """Return a two-layer network as one operator; `element` of W1's gradient is off by `factor`."""

    def layers(W1, b1, W2, b2):
        """tanh(X W1 + b1) W2 + b2."""
        return np.tanh(X @ W1 + b1) @ W2 + b2

    def backward(g, W1, b1, W2):
        hidden = np.tanh(X @ W1 + b1)
        into = g @ W2.T * (1 - hidden * hidden)
        g_W1 = X.T @ into
        if element is not None:
            g_W1[element] *= factor
        return g_W1, into.sum(axis=0), hidden.T @ g, g.sum(axis=0)

    return operator(layers, backward)


def test_right_directions_pass_and_are_reported_as_what_they_are(operator):
    result = check(network(operator), POINT, directions=2)
    assert result.verdict == "pass"
    assert result.evaluations <= 100
    for parameter in result.parameters:
        assert (parameter.directions, parameter.checked) == (2, 0)
        assert parameter.resolution <= parameter.element_resolution


@pytest.mark.parametrize("seed", range(5))
def test_a_single_wrong_element_is_found_and_named_within_300_evaluations(operator, seed):
    result = check(network(operator, (3, 7)), POINT, directions=2, seed=seed)
    (wrong,) = [p for p in result.parameters if p.verdict == "fail"]
    assert (wrong.name, wrong.worst.index) == ("W1", (3, 7)), f"seed {seed}"
    assert wrong.worst.analytic == pytest.approx(1.01 * wrong.worst.numeric, rel=1e-6)
    assert result.evaluations <= 300
    assert any(f.name == "some-elements" and "W1[3,7] is wrong" in f.message for f in wrong.findings)


def test_a_gradient_that_is_wrong_everywhere_fails_in_a_direction(operator):
    def sine(x):
        """sin(x)."""
        return np.sin(x)

    right = operator(sine, lambda g, x: g * np.cos(x))
    wrong = operator(sine, lambda g, x: 1.001 * g * np.cos(x))
    x = np.linspace(-2, 2, 50)
    assert check(right, x, directions=1).verdict == "pass"
    assert check(wrong, x, directions=1).verdict == "fail"


@pytest.mark.parametrize(
    ("backward", "cause"),
    [(lambda g, x: -g * np.cos(x), "sign-flipped"), (lambda g, x: 2 * g * np.cos(x), "constant-factor")],
)
def test_a_cause_is_named_where_most_elements_are_wrong(operator, backward, cause):
    def sine(x):
        """sin(x)."""
        return np.sin(x)

    x = np.linspace(-2, 2, 500)
    (parameter,) = check(operator(sine, backward), x, directions=2).parameters
    assert [finding.name for finding in parameter.findings] == [cause]


def test_an_order_of_the_taylor_remainder_is_told_only_where_it_is_clear(operator):
    def steep(x):
        """exp(40 x)."""
        return np.exp(40 * x)

    wrong = operator(steep, lambda g, x, out: 40 * g * out * (1 + 1e-3 * (np.arange(x.size) == 7)))
    (parameter,) = check(wrong, np.linspace(0.9, 1.0, 40), directions=2).parameters
    (finding,) = parameter.findings
    assert (finding.name, finding.message) == ("some-elements", "x[7] is wrong, at least")


def test_more_directions_take_more_evaluations(operator):
    few, many = (check(network(operator), POINT, directions=n).evaluations for n in (1, 5))
    assert many == few + 4 * 2 * len(POINT)
