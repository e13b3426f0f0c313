"""Gradients that vanish or explode with depth are told with their norms; those that keep their size are not."""

import re

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import op
from tests.findings.health.traces import ill, layers, network, traced

DRAWS = range(10)
SIZES = [(16, 8), (24, 12), (32, 16)]


def size(seed):
    return SIZES[seed % len(SIZES)]


def norms(finding):
    """Return the norms that a message lists, from the output down."""
    return [float(text) for text in re.findall(r"W\d+ (\S+?e[+-]\d+)", finding.message)]


@op
def logistic(x):
    """A sigmoid of somebody else."""
    return 1 / (1 + np.exp(-x))


@logistic.backward
def _(g, out):
    return g * out * (1 - out)


@pytest.mark.parametrize("activation", [F.sigmoid, logistic], ids=["sigmoid", "a user's"])
@pytest.mark.parametrize("seed", DRAWS)
def test_twelve_sigmoid_layers_vanish_with_the_norms_per_layer(activation, seed):
    width, batch = size(seed)
    weights, inputs = layers(np.random.default_rng(seed), 12, width, batch)
    found = ill(network(activation, 12, F.mean), weights, inputs)
    assert list(found) == ["vanishing"], f"seed {seed}"
    told = norms(found["vanishing"])
    assert len(told) == 12
    assert told[-1] < 1e-6 < 1e-4 < told[0], f"seed {seed}: {told}"
    assert "over 12 layers" in found["vanishing"].message
    assert "residual connections" in found["vanishing"].message


@pytest.mark.parametrize("seed", DRAWS)
def test_the_relu_twin_keeps_its_gradient_and_is_quiet(seed):
    width, batch = size(seed)
    weights, inputs = layers(np.random.default_rng(seed), 12, width, batch)
    call = network(F.relu, 12, F.mean)
    assert ill(call, weights, inputs) == {}, f"seed {seed}"
    made = traced(call, weights, inputs)
    first = next(gradient for slot, gradient in made.gradients.items() if made.leaves[slot][1] == "W1")
    assert np.linalg.norm(first) > 1e-2, f"seed {seed}"


@pytest.mark.parametrize("seed", DRAWS)
def test_residual_connections_keep_it_too(seed):
    weights, inputs = layers(np.random.default_rng(seed), 12, 16, 8, gain=1.0)

    def call(v):
        h = v["x"]
        for i in range(1, 13):
            h = h + F.sigmoid(h @ v[f"W{i}"])
        return F.mean(h**2)

    assert ill(call, weights, inputs) == {}, f"seed {seed}"


@pytest.mark.parametrize("seed", DRAWS)
def test_large_weights_explode(seed):
    width, batch = size(seed)
    weights, inputs = layers(np.random.default_rng(seed), 10, width, batch, gain=30.0)
    found = ill(network(F.relu, 10, F.mean), weights, inputs)
    assert list(found) == ["exploding"], f"seed {seed}"
    told = norms(found["exploding"])
    assert told[-1] > 1e4 * told[0]
    assert "clipping" in found["exploding"].message


def test_one_shared_weight_vanishes_over_time():
    rng = np.random.default_rng(4)
    weights = {"W": 0.1 * rng.normal(size=(6, 6))}

    def call(v):
        h = v["x"]
        for _ in range(15):
            h = F.tanh(h @ v["W"])
        return F.sum(h)

    found = ill(call, weights, {"x": rng.normal(size=(3, 6))})
    assert "over 15 layers" in found["vanishing"].message


def test_a_long_chain_without_parameters_vanishes_call_by_call():
    def call(v):
        h = v["x"]
        for _ in range(12):
            h = F.sigmoid(h)
        return F.sum(h)

    found = ill(call, {"x": np.linspace(-1, 1, 5)})
    assert "sigmoid" in found["vanishing"].message


def test_small_steps_of_a_reduction_are_no_depth():
    def call(v):
        h = v["x"]
        for scale in (0.1, 0.1, 0.1):
            h = F.tanh(scale * h)
        return 1e-2 * F.mean(F.mean(F.mean(h, axis=0), axis=0))

    assert ill(call, {"x": np.random.default_rng(9).normal(size=(20, 30, 40))}) == {}


def test_a_bias_belongs_to_the_layer_of_its_product():
    rng = np.random.default_rng(5)
    weights, inputs = layers(rng, 12, 8, 4)
    biases = {f"b{i}": np.zeros(8) for i in range(1, 13)}

    def call(v):
        h = v["x"]
        for i in range(1, 13):
            h = F.sigmoid(h @ v[f"W{i}"] + v[f"b{i}"])
        return F.mean(h**2)

    message = ill(call, {**weights, **biases}, inputs)["vanishing"].message
    assert "over 12 layers" in message
    assert "W12, b12 " in message


def test_one_small_factor_is_a_matter_of_scale():
    rng = np.random.default_rng(6)
    weights, inputs = layers(rng, 6, 16, 8)

    def call(v):
        h = v["x"]
        for i in range(1, 7):
            h = F.tanh(h @ v[f"W{i}"])
            h = 1e-6 * h if i == 3 else h
        return F.mean(h)

    assert ill(call, weights, inputs) == {}


def test_so_many_layers_that_it_underflows_are_still_told():
    rng = np.random.default_rng(7)
    weights, inputs = layers(rng, 700, 4, 2, gain=1.0)
    found = ill(network(F.sigmoid, 700, F.mean), weights, inputs)
    assert "vanishing" in found


def test_the_limits_are_the_users():
    weights, inputs = layers(np.random.default_rng(8), 6, 16, 8)
    call = network(F.sigmoid, 6, F.mean)
    assert ill(call, weights, inputs) == {}
    assert list(ill(call, weights, inputs, vanishing=0.05)) == ["vanishing"]
