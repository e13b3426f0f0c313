"""Units that give zero for every sample, and functions that lie at their limits; known by what they do, not by name."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import op
from gradcheck_cli.findings.health.units import saturation
from tests.findings.health.traces import ill, traced

DRAWS = range(10)


@op
def ramp(x):
    """A ReLU of somebody else."""
    return np.clip(x, 0, None)


@ramp.backward
def _(g, x):
    return g * (x > 0)


@op
def relu_by_name(x):
    """2x: called like a ReLU, and none."""
    return 2 * x


@relu_by_name.backward
def _(g):
    return 2 * g


@op
def logistic(x):
    """A sigmoid of somebody else."""
    return 1 / (1 + np.exp(-x))


@logistic.backward
def _(g, out):
    return g * out * (1 - out)


RELUS = {
    "relu": F.relu,
    "a user's": ramp,
    "maximum": lambda x: F.maximum(x, 0.0),
    "clip": lambda x: F.clip(x, min=0.0),
}


def layer(activation):
    return lambda v: F.mean(activation(v["x"] @ v["W"] + v["b"]) ** 2)


def drawn(seed, bias):
    rng = np.random.default_rng(seed)
    rows, columns, units = rng.integers(4, 12), rng.integers(3, 9), rng.integers(6, 20)
    values = {"W": rng.normal(size=(columns, units)) / np.sqrt(columns), "b": np.full(units, bias)}
    return values, {"x": rng.normal(size=(rows, columns))}


@pytest.mark.parametrize("name", RELUS)
@pytest.mark.parametrize("seed", DRAWS)
def test_a_dead_layer_is_named_and_its_twin_is_not(name, seed):
    values, inputs = drawn(seed, -20.0)
    found = ill(layer(RELUS[name]), values, inputs)
    assert list(found) == ["dead-relu"], f"seed {seed}"
    assert f"all {values['b'].size} units for all {len(inputs['x'])} samples" in found["dead-relu"].message
    assert "leaky_relu" in found["dead-relu"].message
    values, inputs = drawn(seed, 0.0)
    assert ill(layer(RELUS[name]), values, inputs) == {}, f"seed {seed}"


@pytest.mark.parametrize("seed", DRAWS)
def test_a_single_dead_unit_is_named(seed):
    values, inputs = drawn(seed, 0.0)
    dead = seed % values["b"].size
    values["b"][dead] = -40.0
    found = ill(layer(F.relu), values, inputs)
    assert list(found) == ["dead-relu"], f"seed {seed}"
    assert f"zero in unit {dead} for all" in found["dead-relu"].message


def test_channels_are_the_units_of_images():
    x = np.random.default_rng(1).normal(size=(2, 3, 4, 4))
    x[:, 1] -= 100
    found = ill(lambda v: F.sum(F.relu(v["x"])), {"x": x})
    assert "unit 1 for all 32 samples" in found["dead-relu"].message


def test_a_mask_from_a_comparison_is_no_other_symptom():
    # A Python comparison isn't part of the graph: zeros in place of everything could be any mask's.
    x = -np.arange(1.0, 13.0)
    assert ill(lambda v: F.sum(v["x"] * 0.0), {"x": x}) == {}
    assert ill(lambda v: F.sum(F.minimum(v["x"], -100.0)), {"x": x}) == {}


@pytest.mark.parametrize("function", [F.leaky_relu, F.elu, F.softplus, F.gelu, F.silu, relu_by_name, F.abs])
def test_what_lets_something_through_below_zero_never_dies(function):
    x = -np.random.default_rng(2).uniform(1, 2, size=(6, 5))
    assert ill(lambda v: F.sum(function(v["x"])), {"x": x}) == {}


def test_zeros_behind_a_dead_layer_are_told_with_it():
    rng = np.random.default_rng(3)
    values = {"W": rng.normal(size=(4, 8)), "V": rng.normal(size=(8, 8)), "b": np.full(8, -50.0)}
    found = ill(
        lambda v: F.sum(F.relu(F.relu(v["x"] @ v["W"] + v["b"]) @ v["V"])), values, {"x": rng.normal(size=(5, 4))}
    )
    assert "the same holds of relu" in found["dead-relu"].message


def test_a_few_zeros_are_no_death():
    assert ill(lambda v: F.sum(F.relu(v["x"])), {"x": [-1.0, -2.0, -3.0]}) == {}
    assert ill(lambda v: F.sum(F.relu(v["x"])), {"x": -1.0}) == {}


def test_the_share_of_dead_units_is_the_users():
    x = np.ones((3, 10))
    x[:, :6] = -1
    assert ill(lambda v: F.sum(F.relu(v["x"])), {"x": x}) == {}
    assert "6 of 10 units" in ill(lambda v: F.sum(F.relu(v["x"])), {"x": x}, dead=0.5)["dead-relu"].message


BOUNDED = {
    "sigmoid": F.sigmoid,
    "tanh": F.tanh,
    "a user's": logistic,
    "clip": lambda x: F.clip(x, min=-1.0, max=1.0),
}


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("seed", DRAWS)
def test_a_saturated_layer_is_named_and_its_twin_is_not(name, seed):
    values, inputs = drawn(seed, 0.0)
    large = {"W": 60 * values["W"], "b": values["b"]}
    found = ill(layer(BOUNDED[name]), large, inputs)
    assert list(found) == ["saturated"], f"seed {seed}"
    assert "xavier" in found["saturated"].message
    small = {"W": 0.3 * values["W"], "b": values["b"]}
    assert ill(layer(BOUNDED[name]), small, inputs) == {}, f"seed {seed}"


@pytest.mark.parametrize(
    "function",
    [F.relu, F.softplus, F.exp, F.square, F.softmax, F.copy, lambda x: F.mean(x, axis=0, keepdims=True), F.negative],
)
def test_what_has_no_two_limits_is_not_saturated(function):
    made = traced(lambda v: F.sum(function(v["x"])), {"x": 50 * np.random.default_rng(4).normal(size=(3, 4))})
    assert saturation(made, made.calls[0]) is None


def test_an_operator_that_cant_be_called_far_out_has_no_limits():
    @op
    def shy(x):
        """tanh(x), near zero only."""
        if np.abs(x).max() > 50:
            raise ValueError("too far")
        return np.tanh(x)

    @shy.backward
    def _(g, out):
        return g * (1 - out * out)

    assert ill(lambda v: F.sum(shy(v["x"])), {"x": [20.0, 30.0]}) == {}
