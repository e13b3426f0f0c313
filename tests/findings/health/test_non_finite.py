"""What is no finite number is named where it was born, from the output back; finite twins fire nothing."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.findings.health.non_finite import origin_of_value
from gradcheck_cli.findings.health.symptoms import find_symptoms
from gradcheck_cli.knobs import HealthLimits
from tests.findings.health.traces import ill, traced

DRAWS = range(10)


def drawn(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 7, size=2))
    at = tuple(int(rng.integers(size)) for size in shape)
    return rng, shape, at


def behind(call):
    """Let a value go on through a network behind what may go wrong."""

    def whole(v):
        h = call(v)
        return F.mean((F.tanh(h * v["y"]) + 0.5 * h) * v["y"])

    return whole


# The call, right values, the value that makes it wrong, the operator where that is, and what is said.
ORIGINS = {
    "log(0)": (lambda v: F.log(v["x"]), (0.5, 2.0), 0.0, "log gives -inf in 1 of ", "x = 0", "pole"),
    "exp overflow": (lambda v: F.exp(v["x"]), (-1.0, 1.0), 800.0, "exp gives inf in 1 of ", "x = 800", "overflow"),
    "division by zero": (lambda v: 3.0 / v["x"], (0.5, 2.0), 0.0, "divide gives inf in 1 of ", "x = 3, y = 0", "pole"),
    "negative root": (lambda v: F.sqrt(v["x"]), (0.5, 2.0), -4.0, "sqrt gives nan in 1 of ", "x = -4", "negative"),
    "0/0": (lambda v: F.square(v["x"]) / v["x"], (0.5, 2.0), 0.0, "divide gives nan in 1 of ", "x = 0, y = 0", "pole"),
}


@pytest.mark.parametrize("name", ORIGINS)
@pytest.mark.parametrize("seed", DRAWS)
def test_the_origin_is_named_and_the_finite_twin_is_quiet(name, seed):
    call, (low, high), bad, said, where, why = ORIGINS[name]
    rng, shape, at = drawn(seed)
    x, y = rng.uniform(low, high, shape), rng.uniform(0.5, 1, shape)
    assert ill(behind(call), {"x": x, "y": y}) == {}, f"seed {seed}"
    x[at] = bad
    found = ill(behind(call), {"x": x, "y": y})
    assert list(found) == ["origin-of-nan"], f"seed {seed}"
    message = found["origin-of-nan"].message
    assert message.startswith(f"{said}{x.size} elements of finite operands"), f"seed {seed}"
    assert f"first at [{at[0]},{at[1]}], where {where}" in message
    assert why in message
    assert "after it only hand" in message


def test_the_origin_is_the_call_and_not_those_after_it():
    made = traced(lambda v: F.sum(F.log(F.relu(v["x"])) * 2.0), {"x": [-1.0, 1.0]})
    (symptom,) = find_symptoms(made, HealthLimits(), {})
    assert made.calls[symptom.node].name == "log"
    assert "x from 0 to 1" in symptom.finding.message


def test_several_origins_are_all_named():
    made = traced(lambda v: F.sum(F.log(v["x"])) + F.sum(F.sqrt(v["x"] - 1.0)), {"x": [0.0, 2.0]})
    (symptom,) = find_symptoms(made, HealthLimits(), {})
    assert made.calls[symptom.node].name == "log"
    assert [made.calls[other].name for other in symptom.others] == ["sqrt"]
    assert "the same holds of sqrt" in symptom.finding.message


def test_zero_times_infinity_leads_back_to_the_infinity():
    made = traced(lambda v: F.sum(v["a"] * F.exp(v["x"])), {"a": [0.0, 1.0], "x": [1000.0, 0.0]})
    assert np.isnan(made.values[made.roots[0]])
    (symptom,) = find_symptoms(made, HealthLimits(), {})
    assert made.calls[symptom.node].name == "exp"


def test_infinity_that_is_given_is_no_fault_until_it_becomes_nan():
    mask = np.array([0.0, -np.inf, 0.0])
    assert ill(lambda v: F.sum(F.exp(v["x"] + v["mask"])), {"x": [1.0, 2.0, 3.0]}, {"mask": mask}) == {}
    found = ill(lambda v: F.sum(F.exp(v["x"] + v["mask"]) * v["mask"]), {"x": [1.0, 2.0, 3.0]}, {"mask": mask})
    assert found["origin-of-nan"].message.startswith("multiply gives nan in 1 of 3 elements, first of all calls")


@pytest.mark.parametrize("kind", ["parameter", "input"])
def test_a_leaf_that_is_bad_itself_is_named(kind):
    bad, fine = {"x": np.array([1.0, np.nan])}, {"y": np.array([1.0, 2.0])}
    values, inputs = (bad, fine) if kind == "parameter" else (fine, bad)
    found = ill(lambda v: F.sum(v["x"] * v["y"]), values, inputs)
    assert found["origin-of-nan"].message.startswith(f"the {kind} x itself is nan in 1 of 2 elements")


def test_what_is_bad_beside_the_outputs_is_no_symptom():
    def call(v):
        F.log(v["x"] * 0.0)
        return F.sum(v["x"])

    assert origin_of_value(traced(call, {"x": [1.0, 2.0]})) is None


# Values are finite there, gradients are not.
SLOPES = {
    "sqrt at 0": (lambda v: F.sum(F.sqrt(v["x"])), "sqrt for x", "x = 0"),
    "power at 0": (lambda v: F.sum(v["x"] ** 0.5), "power for x", "x = 0"),
}


@pytest.mark.parametrize("name", SLOPES)
@pytest.mark.parametrize("seed", DRAWS)
def test_a_gradient_that_is_not_finite_is_named_at_its_operator(name, seed):
    call, said, where = SLOPES[name]
    rng, shape, at = drawn(seed)
    x = rng.uniform(0.5, 2, shape)
    assert ill(call, {"x": x}) == {}, f"seed {seed}"
    x[at] = 0.0
    found = ill(call, {"x": x})
    assert list(found) == ["origin-of-nan"], f"seed {seed}"
    message = found["origin-of-nan"].message
    assert message.startswith(f"the gradient of {said} is inf in 1 of {x.size} elements"), f"seed {seed}"
    assert f"first at [{at[0]},{at[1]}], where {where}" in message


def test_the_norm_at_zero_is_blamed_on_its_root():
    call = lambda v: F.sqrt(F.sum((v["x"] - v["y"]) ** 2))  # noqa: E731
    found = ill(call, {"x": [1.0, 2.0], "y": [1.0, 2.0]})
    assert found["origin-of-nan"].message.startswith("the gradient of sqrt for x is inf")
    assert ill(call, {"x": [1.0, 2.0], "y": [1.0, 2.5]}) == {}


@pytest.mark.parametrize("seed", DRAWS)
def test_what_a_mask_leaves_out_of_the_value_is_named_where_it_was_made(seed):
    x = np.abs(np.random.default_rng(seed).normal(size=5))
    call = lambda v: F.sum(F.where(v["x"] > 0, v["x"] * F.log(v["x"]), 0.0))  # noqa: E731
    assert ill(call, {"x": x}) == {}, f"seed {seed}"
    x[2] = 0.0
    found = ill(call, {"x": x})["origin-of-nan"].message
    assert found.startswith("log gives -inf in 1 of 5 elements of finite operands"), f"seed {seed}"
    assert "left out of the value, and makes the gradient of multiply for" in found
    assert "where(mask, x, 1)" in found


def test_what_overflows_without_large_operands_is_told_to_overflow():
    found = ill(lambda v: F.multiply(v["x"], 1e308), {"x": [2.0, 3.0, 4.0]})
    assert "it overflows" in found["origin-of-nan"].message
    found = ill(lambda v: F.power(F.subtract(v["x"], 1.0), -1.0), {"x": [1.0, 3.0, 4.0]})
    assert "it has a pole" in found["origin-of-nan"].message
