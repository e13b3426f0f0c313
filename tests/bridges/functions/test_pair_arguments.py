"""What a pair is given, and whose gradients it returns: labels, settings, optional and given arrays."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gradcheck_cli import Variable, check
from gradcheck_cli.bridges.functions.pairs import from_pair

RNG = np.random.default_rng(4)
X, W, B = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 2)), RNG.standard_normal(2)
V = RNG.standard_normal((2, 3))
XV, XWB = {"x": X, "v": V}, {"x": X, "w": W, "b": B}
LABELS, ROWS = np.array([1, 2]), np.array([2, 0, 2, 1])


def call(operator, params, *others):
    """Return a function of the parameters, in the order of the arguments, and of other arguments behind them."""
    return lambda **given: operator(*(given[name] for name in params), *others)


def checked(forward, backward, params, *others, **options):
    return check(call(from_pair("op", forward, backward, **options), params, *others), params)


def findings(result):
    inside = [finding.name for parameter in result.parameters for finding in parameter.findings]
    return [finding.name for finding in result.findings] + inside


def affine(x, w, b):
    out = x @ w + b
    cache = (x, w)
    return out, cache


def affine_from_cache(dout, cache):
    x, w = cache
    return dout @ w.T, x.T @ dout, dout.sum(axis=0)


def leaky(x, slope=0.1):
    return np.where(x > 0, x, slope * x)


def leaky_from_slope(g, x, slope):
    return np.where(x > 0, g, slope * g)


def shifted(x, b=None):
    out = x if b is None else x + b
    return 1.0 * out


def shifted_backward(g, x, b=None):
    return (g, g.sum(axis=0)) if b is not None else g


def gates(x, v):
    h = np.tanh(x) * v
    c = x + v**2
    cache = (x, v)
    return h, c, cache


def gates_backward(dh, dc, cache):
    x, v = cache
    dx = dh * v * (1 - np.tanh(x) ** 2) + dc
    dv = dh * np.tanh(x) + 2 * v * dc
    return dx, dv


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


def batchnorm(x, gamma, beta, bn_param):
    """Normalise, and keep running means in bn_param."""
    bn_param["calls"] = bn_param.get("calls", 0) + 1
    running = bn_param.get("running_mean", np.zeros(x.shape[1]))
    if bn_param["mode"] == "test":
        normal, scale = x - running, np.ones(x.shape[1])
    else:
        running = 0.9 * running + 0.1 * x.mean(axis=0)
        scale = 1 / np.sqrt(x.var(axis=0) + 1e-5)
        normal = (x - x.mean(axis=0)) * scale
    bn_param["running_mean"] = running
    out, cache = gamma * normal + beta, (normal, gamma, scale, bn_param)
    return out, cache


def batchnorm_backward(dout, cache):
    normal, gamma, scale, bn_param = cache
    dnormal = dout * gamma
    dx = dnormal * scale
    if bn_param["mode"] == "train":
        dx = scale * (dnormal - dnormal.mean(axis=0) - normal * (dnormal * normal).mean(axis=0))
    return dx, (dout * normal).sum(axis=0), dout.sum(axis=0)


@pytest.mark.parametrize("mode", ["train", "test"])
def test_running_means_neither_make_a_forward_unrepeatable_nor_leak(mode):
    operator = from_pair("batchnorm", batchnorm, batchnorm_backward)
    bn_param = {"mode": mode}
    params = {"x": RNG.standard_normal((5, 3)), "gamma": np.ones(3), "beta": np.zeros(3)}
    result = check(lambda **p: operator(p["x"], p["gamma"], p["beta"], bn_param), params)
    assert (result.verdict, findings(result)) == ("pass", [])
    assert bn_param == {"mode": mode}


def dropout(x, p, seed):
    mask = np.random.default_rng(seed).random(x.shape) < p
    return x * mask, mask


def test_dropout_with_a_seed_passes_and_one_that_draws_again_does_not():
    assert checked(dropout, lambda dout, mask: dout * mask, {"x": X}, 0.5, 7).verdict == "pass"

    def draws_again(dout, mask):
        return dout * (np.random.random(dout.shape) < 0.5)

    def unseeded(x):
        mask = np.random.random(x.shape) < 0.5
        return x * mask, mask

    assert checked(unseeded, lambda dout, mask: dout * mask, {"x": X}).verdict == "pass"
    assert checked(unseeded, draws_again, {"x": X}).verdict == "fail"


class Layer:
    """Keeps what its backward needs."""

    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, dout):
        return dout * (1 - self.y**2)

    def wrong(self, dout):
        return dout * (1 - self.y)


STATE = {}


def tanh_forward(x):
    STATE["y"] = np.tanh(x)
    return STATE["y"]


def tanh_backward(dout):
    return dout * (1 - STATE["y"] ** 2)


def dropout_with_state(x):
    STATE["mask"] = np.random.random(x.shape) < 0.5
    return np.tanh(x) * STATE["mask"]


def dropout_backward_with_state(dout):
    return dout * STATE["mask"]


def tanh_dropout_backward(x, dout):
    return dout * STATE["mask"] * (1 - np.tanh(x) ** 2)


def test_what_the_last_forward_left_elsewhere_is_there_for_the_backward():
    layer = Layer()
    chain = np.vstack([X, 1e-4 * X])
    for forward, backward in ((layer.forward, layer.backward), (tanh_forward, tanh_backward)):
        operator = from_pair("tanh", forward, backward)
        assert check(lambda x, f=operator: f(f(x) - 0.5 * f(2 * x)), {"x": chain}).verdict == "pass"
    wrong = from_pair("tanh", layer.forward, layer.wrong)
    assert check(wrong, {"x": X}).verdict == "fail"
    assert check(from_pair("f", dropout_with_state, dropout_backward_with_state), {"x": X}).verdict == "fail"
    assert check(from_pair("f", dropout_with_state, tanh_dropout_backward), {"x": X}).verdict == "pass"


def test_a_mask_that_was_left_elsewhere_is_the_one_of_the_forward():
    def forward(x):
        STATE["mask"] = np.random.random(x.shape) < 0.5
        return x * STATE["mask"]

    operator = from_pair("dropout", forward, dropout_backward_with_state)
    assert check(lambda x: operator(x) + operator(2 * x), {"x": np.vstack([X] * 4)}).verdict == "pass"


def test_a_forward_that_writes_to_its_input_is_caught():
    def forward(x):
        x -= x.mean()
        return x * 1.0

    (finding,) = check(from_pair("centre", forward, lambda g, x: g - g.mean()), {"x": X}).findings
    assert finding.name == "input-modified"
    assert "its forward writes to x" in finding.message
