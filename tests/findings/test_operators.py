"""What is told of an operator that is checked alone: its arguments, outputs and kept values are at hand."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import arr, keep, op
from gradcheck_cli.findings.causes import find_causes
from tests.findings.alone import alone

RNG = np.random.default_rng(21)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "tanh": (np.tanh, lambda z, h: 1 - h * h),
    "sigmoid": (sigmoid, lambda z, h: h * (1 - h)),
    "relu": (lambda z: np.maximum(z, 0), lambda z, h: (z > 0) * 1.0),
    "softplus": (lambda z: np.logaddexp(0, z), lambda z, h: sigmoid(z)),
    "exp": (np.exp, lambda z, h: h),
    "sin": (np.sin, lambda z, h: np.cos(z)),
    "softsign": (lambda z: z / (1 + np.abs(z)), lambda z, h: (1 + np.abs(z)) ** -2.0),
}


def drawn(*shapes):
    return [RNG.standard_normal(shape) for shape in shapes]


def first(operator, *arrays, **attributes):
    """Return the first finding of each wrong argument, by its name."""
    suspects = alone(operator.operator, arrays, attributes)
    return {each.evidence.parameter: find_causes([each])[0] for each in suspects}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_cotangent_that_is_handed_on_names_the_activation(name):
    function, _ = ACTIVATIONS[name]

    @op
    def activation(x):
        return function(x)

    @activation.backward
    def _(g):
        return g

    found = first(activation, RNG.standard_normal(9))["x"]
    assert found.name == "missing-chain-factor"
    assert "is the cotangent itself" in found.message
    assert name == "exp" or f"the derivative of {name}" in found.message
    assert found.subject == "backward of activation for x"
    assert found.location.line == activation.operator.rules[0].line


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "relu", "softplus"])
@pytest.mark.parametrize("layer", [1, 2])
def test_a_three_layer_network_whose_weight_gradient_lacks_a_derivative_names_the_activation(name, layer):
    """What the gradient behind the activation is, nobody tells: it is found from the two sides together."""
    function, slope = ACTIVATIONS[name]

    @op(x=arr("n k"), w1=arr("k h"), w2=arr("h h"), w3=arr("h m"))
    def network(x, w1, w2, w3):
        z1 = x @ w1
        h1 = function(z1)
        z2 = h1 @ w2
        h2 = function(z2)
        return keep(h2 @ w3, z1=z1, h1=h1, z2=z2, h2=h2)

    @network.backward
    def _(g, x, w1, w2, w3, z1, h1, z2, h2):
        d2 = g @ w3.T
        dz2 = d2 * slope(z2, h2)
        d1 = dz2 @ w2.T
        dz1 = d1 * slope(z1, h1)
        return dz1 @ w1.T, x.T @ (d1 if layer == 1 else dz1), h1.T @ (d2 if layer == 2 else dz2), h2.T @ g

    found = first(network, *drawn((4, 5), (5, 6), (6, 6), (6, 3)))
    assert list(found) == [f"w{layer}"]
    (finding,) = found.values()
    assert finding.name == "missing-chain-factor"
    assert f"the derivative of {name}" in finding.message
    assert "inside of the product" in finding.message


def test_a_right_operator_is_no_suspect():
    @op
    def product(x, y):
        return x * y

    @product.backward
    def _(g, x, y):
        return g * y, g * x

    assert alone(product.operator, drawn((3, 4), (3, 4))) == []


def test_a_factor_that_is_an_attribute_is_named():
    @op
    def scaled(x, *, beta=0.37):
        return beta * x

    @scaled.backward
    def _(g):
        return g

    found = first(scaled, RNG.standard_normal(5), beta=0.37)["x"]
    assert (found.name, "1/beta; beta is 0.37" in found.message) == ("constant-factor", True)


def test_a_path_that_is_forgotten_is_a_missing_product():
    @op(x=arr("n m"))
    def gram(x):
        return x @ x.T

    @gram.backward
    def _(g, x):
        return g @ x

    found = first(gram, RNG.standard_normal((4, 3)))["x"]
    assert (found.name, found.message) == ("missing-term", "the gradient of x lacks the term g.T @ x")


def test_statistics_that_are_taken_for_constants_are_missing_terms():
    @op(x=arr("n m"))
    def normalised(x):
        return (x - x.mean(axis=0)) / x.std(axis=0)

    @normalised.backward
    def _(g, x):
        return g / x.std(axis=0)

    found = first(normalised, RNG.standard_normal((7, 3)))["x"]
    assert (found.name, "a + b * x along axis 0" in found.message) == ("missing-term", True)


def test_a_product_that_is_wrong_as_a_whole_is_no_missing_term():
    """The differences of an outer product are proportional to one of its sides, whatever is wrong with the other."""

    @op(a=arr("n n"), b=arr("n"))
    def solved(a, b):
        return np.linalg.solve(a, b)

    @solved.backward
    def _(g, a, out):
        wrong = np.linalg.solve(a, g)
        return np.outer(-np.linalg.solve(a, g), out), wrong

    found = first(solved, RNG.standard_normal((4, 4)) + 4 * np.eye(4), RNG.standard_normal(4))
    assert {name: finding.name for name, finding in found.items()} == {"a": "unexplained", "b": "unexplained"}


def test_other_derivatives_are_not_guessed():
    @op
    def wave(x):
        return np.sin(x)

    @wave.backward
    def _(g, x):
        return g * np.cos(3 * x)

    assert first(wave, RNG.standard_normal(8))["x"].name == "unexplained"


def test_a_mask_takes_enough_elements_to_be_told():
    @op
    def halved(x):
        return np.where(x > 0, x, 0.5 * x)

    @halved.backward
    def _(g, x):
        return np.where(x > 0, g, 0.3 * g)

    found = first(halved, np.array([1.0, -1.0]))["x"]
    assert found.name == "some-elements"
    assert "right in the others: x[1]" in found.message


def test_ties_are_seen():
    @op
    def peak(x):
        return np.tanh(x) * np.exp(x)

    @peak.backward
    def _(g, x):
        slope = np.exp(x) * (1 + np.tanh(x) - np.tanh(x) ** 2)
        twice = (x[:, None] == x).sum(axis=1) > 1
        return g * np.where(twice, 0.7 * slope + 0.2, slope)

    found = first(peak, np.array([0.3, 0.5, 0.3, 1.0, -0.2, 0.9, 0.5, 0.1, 0.7, -1.0, 0.45, 0.31]))["x"]
    assert (found.name, "a tie" in found.message) == ("some-elements", True)


def test_a_threshold_is_named_by_a_round_number():
    @op
    def bent(x):
        return np.where(x > 1.5, 1.5 + 0.1 * (x - 1.5), x)

    @bent.backward
    def _(g, x):
        return g * np.where(x > 1.5, 0.2 * x, 1)

    found = first(bent, RNG.permutation(np.linspace(-2, 4.05, 23)))["x"]
    assert "wrong where x > 1" in found.message


def test_diagnosis_takes_less_than_the_check():
    import time

    @op(x=arr("n m"), w=arr("m k"))
    def layer(x, w):
        return np.tanh(x @ w)

    @layer.backward
    def _(g, x, w, out):
        return g @ w.T, np.cumsum(x.T @ g, axis=0)

    started = time.perf_counter()
    suspects = alone(layer.operator, drawn((8, 9), (9, 7)))
    checked = time.perf_counter() - started
    for each in suspects:
        assert find_causes([each])
    assert time.perf_counter() - started - checked < 10 * checked
