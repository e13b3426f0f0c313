"""Pairs that keep something between calls, draw random numbers, or write to what they are given."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair
from tests.bridges.functions.pair_functions import checked, findings

RNG = np.random.default_rng(8)
X = RNG.standard_normal((2, 3))


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
