"""Pairs that end a network, pairs that return numbers and lists, and those that are not written yet."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair
from gradcheck_cli.errors import OperatorError, Skipped
from tests.bridges.functions.pair_functions import (
    affine,
    affine_from_cache,
    call,
    checked,
    findings,
    gates,
    gates_backward,
)

RNG = np.random.default_rng(5)
X, W, B = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 2)), RNG.standard_normal(2)
V = RNG.standard_normal((2, 3))
XWB = {"x": X, "w": W, "b": B}


def loss_of(x, y):
    return np.mean((x - y) ** 2)


def gradient_of_loss(x, y):
    return 2 * (x - y) / x.size


def ignores_g(g, x, y):
    return gradient_of_loss(x, y)


@pytest.mark.parametrize("backward", [gradient_of_loss, ignores_g], ids=lambda f: f.__name__)
def test_a_loss_takes_no_cotangent_or_ignores_it(backward):
    operator = from_pair("loss", loss_of, backward, loss=True)
    assert check(lambda x: operator(x, V), {"x": X}).verdict == "pass"
    assert check(lambda x: operator(x, V) * 3.0, {"x": X}).verdict == "pass"
    wrong = functools.wraps(backward)(lambda *args: 1.01 * backward(*args))
    assert check(lambda x: from_pair("loss", loss_of, wrong, loss=True)(x, V), {"x": X}).verdict == "fail"


def test_a_loss_that_uses_its_cotangent_is_right_as_well():
    operator = from_pair("loss", loss_of, lambda g, x, y: g * gradient_of_loss(x, y), loss=True)
    assert check(lambda x: operator(x, V) * 3.0, {"x": X}).verdict == "pass"


def test_a_backward_that_ignores_its_cotangent_is_told_of_the_last_layer():
    (finding,) = checked(loss_of, ignores_g, {"x": X}, V).findings
    assert finding.name == "not-linear-in-g"
    assert "right for g = 1 only" in finding.message
    assert "if it is the last layer, say `loss: true` in its `ops` mapping" in finding.message


def test_a_backward_without_cotangent_is_told_of_the_last_layer():
    with pytest.raises(OperatorError, match=r"takes no cotangent.*\n.*if it is the last layer.*say loss: true"):
        from_pair("loss", loss_of, gradient_of_loss)


def test_a_loss_is_one_number():
    operator = from_pair("loss", lambda x, y: (x - y) ** 2, gradient_of_loss, loss=True)
    with pytest.raises(OperatorError, match=r"loss returned an array of shape \(2, 3\)"):
        check(lambda x: operator(x, V), {"x": X})
    with pytest.raises(OperatorError, match="belongs to 2 outputs, and a loss has one"):
        from_pair("gates", gates, gates_backward, loss=True)


@pytest.mark.parametrize(
    "forward",
    [
        pytest.param(lambda x: float(np.sum(x**2)), id="a Python float"),
        pytest.param(lambda x: np.sum(x**2), id="a NumPy number"),
        pytest.param(lambda x: np.array(np.sum(x**2)), id="without axes"),
        pytest.param(lambda x: [float(np.sum(x**2))], id="a list"),
        pytest.param(lambda x: (x**2).tolist(), id="nested lists"),
    ],
)
def test_a_forward_may_return_numbers_and_lists(forward):
    assert checked(forward, lambda g, x: 2 * g * x, {"x": X}).verdict == "pass"
    assert checked(forward, lambda g, x: 2 * x * np.abs(g), {"x": X}).verdict == "fail"


def test_a_forward_that_returns_no_array_is_an_error():
    with pytest.raises(OperatorError, match="op returned dict: outputs are arrays of real numbers"):
        checked(lambda x: {"out": x}, lambda g, x: g, {"x": X})


def stub(x, w, b):
    out = None
    cache = (x, w, b)
    return out, cache


def stub_of_none(x, w, b):
    out, cache = None, None
    return out, cache


def stub_pass(x, w, b):
    pass


def stub_raising(x, w, b):
    raise NotImplementedError("your turn")


def stub_backward(dout, cache):
    dx, dw, db = None, None, None
    return dx, dw, db


@pytest.mark.parametrize("forward", [stub, stub_of_none, stub_pass, stub_raising], ids=lambda f: f.__name__)
def test_a_forward_that_is_not_written_yet_is_skipped(forward):
    operator = from_pair("affine", forward, stub_backward)
    with pytest.raises(Skipped, match="not written yet: the forward of affine"):
        check(call(operator, XWB), XWB)


def test_a_backward_that_is_not_written_yet_is_skipped():
    with pytest.raises(Skipped, match="not written yet: the backward of affine"):
        check(call(from_pair("affine", affine, stub_backward), XWB), XWB)


def test_a_backward_of_which_a_part_is_written_is_checked():
    def begun(dout, cache):
        dx, dw, db = None, None, dout.sum(axis=0)
        return dx, dw, db

    operator = from_pair("affine", affine, begun)
    assert check(lambda b: operator(X, W, b), {"b": B}).verdict == "pass"
    assert findings(check(call(operator, XWB), XWB)) == ["gradient-count"]


def documented(x):
    """max(x, 0)."""
    return np.maximum(x, 0)


def test_the_record_says_what_the_functions_do():
    operator = from_pair("gates", gates, gates_backward, domain={"x": "n d", "v": {"shape": "n d", "low": 0}})
    assert operator.outputs == ("h", "c")
    assert [item.domain.shape for item in operator.inputs] == ["n d", "n d"]
    assert operator.location.line == gates.__code__.co_firstlineno
    assert operator.rules[0].line == gates_backward.__code__.co_firstlineno
    assert operator.location.file == gates.__code__.co_filename
    assert from_pair("relu", documented, lambda g, x: g * (x > 0)).doc == "max(x, 0)."


def test_a_wrong_domain_is_an_error_at_the_forward():
    with pytest.raises(OperatorError, match=r"pair_functions\.py:\d+: error: the domain names 'q'"):
        from_pair("affine", affine, affine_from_cache, domain={"q": "n"})
    with pytest.raises(OperatorError, match=r"pair_functions\.py:\d+: error: the domain of 'x'"):
        from_pair("affine", affine, affine_from_cache, domain={"x": 3})


def test_what_the_functions_raise_is_shown_at_its_line():
    def broken(dout, cache):
        return cache["nothing"]

    with pytest.raises(OperatorError, match=r"test_pair_losses\.py:\d+: error: backward of op raised TypeError"):
        checked(affine, broken, XWB)
