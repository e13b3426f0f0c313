"""What a pair is given, and whose gradients it returns: labels, settings, optional and given arrays."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gradcheck_cli import Variable, check
from gradcheck_cli.bridges.functions.pairs import from_pair
from tests.bridges.functions.pair_functions import (
    affine,
    affine_from_cache,
    checked,
    findings,
    gates,
    gates_backward,
    leaky,
    leaky_from_slope,
    shifted,
    shifted_backward,
)

RNG = np.random.default_rng(4)
X, W, B = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 2)), RNG.standard_normal(2)
V = RNG.standard_normal((2, 3))
XV, XWB = {"x": X, "v": V}, {"x": X, "w": W, "b": B}
LABELS, ROWS = np.array([1, 2]), np.array([2, 0, 2, 1])


def picked(x, labels):
    return x[np.arange(len(labels)), labels], (x.shape, labels)


def picked_backward(dout, cache):
    shape, labels = cache
    dx = np.zeros(shape)
    dx[np.arange(len(labels)), labels] = dout
    return dx


def picked_with_none(dout, cache):
    return picked_backward(dout, cache), None


def embedded(labels, w):
    return w[labels], (labels, w.shape)


def embedded_backward(dout, cache):
    labels, shape = cache
    dW = np.zeros(shape)
    np.add.at(dW, labels, dout)
    return dW


def weighted(x, weight, v):
    """`weight` is given, and has no gradient."""
    return x * weight * v, (x, weight, v)


def weighted_backward(dout, cache):
    x, weight, v = cache
    dx = dout * weight * v
    dv = dout * weight * x
    return dx, dv


def total(*xs):
    return sum(np.sin(x) for x in xs)


def total_backward(g, *xs):
    return [g * np.cos(x) for x in xs]


def total_from_a_tuple(g, xs):
    return tuple(g * np.cos(x) for x in xs)


def test_a_missing_sum_is_named():
    def wrong(dout, cache):
        x, w = cache
        return dout @ w.T, x.T @ dout, dout

    result = checked(affine, wrong, XWB)
    assert findings(result) == ["gradient-shape"]
    assert "a sum over axis 0 is missing" in result.findings[0].message


@pytest.mark.parametrize("dropped", [1, 2])
def test_too_few_gradients_are_told_by_the_parameter_that_has_none(dropped):
    def wrong(dout, cache):
        return affine_from_cache(dout, cache)[:-dropped]

    result = checked(affine, wrong, XWB)
    assert findings(result) == ["gradient-count"]
    assert f"its backward returned no gradient for {'b' if dropped == 1 else 'w'}" in result.findings[0].message
    assert "domain: {" in result.findings[0].message
    assert checked(affine, wrong, {"x": X}, W, B).verdict == "pass"


def test_a_gradient_left_out_of_a_mapping_is_told_by_name():
    def wrong(dout, cache):
        dx, dw, _ = affine_from_cache(dout, cache)
        return {"x": dx, "w": dw}

    result = checked(affine, wrong, XWB)
    assert findings(result) == ["gradient-count"]
    assert "no gradient for b" in result.findings[0].message


@pytest.mark.parametrize("backward", [picked_backward, picked_with_none], ids=lambda f: f.__name__)
def test_integer_labels_have_no_gradient_or_none(backward):
    assert checked(picked, backward, {"x": X}, LABELS).verdict == "pass"
    wrong = functools.wraps(backward)(lambda *args: -picked_backward(*args))
    assert checked(picked, wrong, {"x": X}, LABELS).verdict == "fail"


def test_declared_labels_have_no_gradient_either():
    domain = {"x": "n k", "labels": {"shape": "n", "below": "k"}}
    operator = from_pair("picked", picked, picked_with_none, domain=domain)
    assert [item.domain.kind for item in operator.inputs] == ["float", "int"]
    assert check(lambda x: operator(x, LABELS), {"x": X}).verdict == "pass"


def test_the_gradient_of_the_second_argument_alone_is_told_by_its_name_or_by_the_kind_of_the_first():
    operator = from_pair("embedded", embedded, embedded_backward)
    assert check(lambda w: operator(ROWS, w), {"w": W}).verdict == "pass"


def test_gradients_are_told_by_their_names_where_a_given_array_has_none():
    operator = from_pair("weighted", weighted, weighted_backward)
    weight = np.abs(V)
    assert check(lambda x, v: operator(x, weight, v), {"x": X, "v": V}).verdict == "pass"
    result = check(lambda weight, v: operator(X, weight, v), {"weight": weight, "v": V})
    assert findings(result) == ["gradient-count"]
    assert "no gradient for weight" in result.findings[0].message


def test_names_never_bring_gradients_into_another_order():
    def backward(dout, cache):
        x, v = cache
        dx = dout * v
        dv = dout * x
        return dv, dx

    def forward(x, v):
        return x * v, (x, v)

    assert checked(forward, backward, XV).verdict == "fail"
    assert checked(forward, backward, XV, returns="v x").verdict == "pass"
    assert checked(forward, backward, XV, returns=["dv", "dx"]).verdict == "pass"

    def affine_swapped(dout, cache):
        dx, dw, db = affine_from_cache(dout, cache)
        return dw, dx, db

    (finding,) = checked(affine, affine_swapped, XWB).findings
    assert finding.name == "gradient-shape"
    assert "the order of the gradients counts, not their names" in finding.message
    assert "say returns: w x b" in finding.message
    assert checked(affine, affine_swapped, XWB, returns="w x b").verdict == "pass"


def test_an_optional_input_that_is_left_out_needs_no_gradient():
    operator = from_pair("shifted", shifted, shifted_backward)
    assert check(operator, {"x": X}).verdict == "pass"


def test_any_number_of_arrays():
    for backward in (total_backward, total_from_a_tuple):
        operator = from_pair("total", total, backward)
        for call_it in (lambda op, a, b: op(a, b, V), lambda op, a, b: op([a, b])):
            assert check(functools.partial(call_it, operator), {"a": X, "b": V}).verdict == "pass"
    wrong = from_pair("total", total, lambda g, *xs: [g * np.sin(x) for x in xs])
    assert check(wrong, [X, V]).verdict == "fail"


def test_attributes_are_given_by_position_by_name_or_not_at_all():
    operator = from_pair("leaky", leaky, leaky_from_slope)
    for slope in (lambda x: operator(x, 0.3), lambda x: operator(x, slope=0.3), operator):
        assert check(slope, {"x": X}).verdict == "pass"
    assert np.array_equal(operator(X, 0.3), leaky(X, 0.3))
    assert np.array_equal(operator(X), leaky(X))
    wrong = from_pair("leaky", leaky, lambda g, x: np.where(x > 0, g, 0.1 * g))
    assert check(lambda x: wrong(x, slope=0.3), {"x": X}).verdict == "fail"


def test_a_direct_call_is_the_plain_function():
    operator = from_pair("affine", affine, affine_from_cache)
    assert np.array_equal(operator(X, W, B), X @ W + B)
    assert np.array_equal(operator(X, b=B, w=W), X @ W + B)
    recorded = operator(Variable(X), W, B)
    assert np.array_equal(recorded.data, X @ W + B)
    outputs = from_pair("gates", gates, gates_backward)(X, V)
    assert np.array_equal(outputs[1], X + V**2)
