"""Pairs of functions as operators: for every convention the right pair passes and its wrong twins are caught."""

# How a function returns is what is tested here.
# ruff: noqa: RET504

from __future__ import annotations

import functools
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair

RNG = np.random.default_rng(3)
X, W, B = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 2)), RNG.standard_normal(2)
V = RNG.standard_normal((2, 3))


# Conventions: what a backward may be given.


def product(x, v):
    return x * v


def product_backward(g, x, v):
    return g * v, g * x


def product_of_two_rows(x, v):
    """x is called first by its own forward: names don't have to be in order."""
    return product(v, x)


def product_in_another_order(g, v, x):
    return g * v, g * x


def tanh(x):
    return np.tanh(x)


def tanh_from_out(g, out):
    return g * (1 - out**2)


def tanh_named(x):
    y = np.tanh(x)
    return y


def tanh_from_its_name(dy, y):
    return dy * (1 - y**2)


def tanh_from_out_and_input(grad_output, output, x):
    return grad_output * (1 - output * np.tanh(x))


def tanh_from_input_first(x, dout):
    return dout * (1 - np.tanh(x) ** 2)


def affine(x, w, b):
    out = x @ w + b
    cache = (x, w)
    return out, cache


def affine_from_cache(dout, cache):
    x, w = cache
    return dout @ w.T, x.T @ dout, dout.sum(axis=0)


def affine_cache_first(cache, dout):
    return affine_from_cache(dout, cache)


def affine_to_a_list(dout, cache):
    return list(affine_from_cache(dout, cache))


def affine_to_a_mapping(dout, cache):
    dx, dw, db = affine_from_cache(dout, cache)
    return {"w": dw, "dx": dx, "grad_b": db}


def affine_through_a_variable(x, w, b):
    result = x @ w + b, (x, w)
    return result


def affine_chain(x, w, b):
    return affine_through_a_variable(x, w, b)


def affine_mapping(x, w, b):
    out = x @ w + b
    return out, {"x": x, "w": w}


def affine_from_mapping(dout, saved):
    return affine_from_cache(dout, (saved["x"], saved["w"]))


def affine_object(x, w, b):
    return x @ w + b, SimpleNamespace(x=x, w=w)


def affine_from_object(upstream, ctx):
    return affine_from_cache(upstream, (ctx.x, ctx.w))


def affine_saving_one_by_one(x, w, b):
    rows, columns = x + 0, w + 0
    return x @ w + b, rows, columns


def affine_from_one_by_one(dout, columns, rows):
    return affine_from_cache(dout, (rows, columns))


def affine_list(x, w, b):
    return [x @ w + b, (x, w)]


def relu(x):
    return np.maximum(x, 0), x


def relu_from_cache(dout, cache):
    return dout * (cache > 0)


def relu_from_mask(x):
    mask = x > 0
    return x * mask, mask


def relu_with_mask(dout, mask):
    return dout * mask


def flat_relu(x):
    x = x.reshape(-1)
    return np.maximum(x, 0), x


def flat_relu_from_what_was_saved(dout, x):
    return (dout * (x > 0)).reshape(2, 3)


def relu_then_affine(x, w, b):
    a, relu_cache = relu(x)
    out, fc_cache = affine(a, w, b)
    cache = (relu_cache, fc_cache)
    return out, cache


def relu_then_affine_backward(dout, cache):
    relu_cache, fc_cache = cache
    da, dw, db = affine_from_cache(dout, fc_cache)
    dx = relu_from_cache(da, relu_cache)
    return dx, dw, db


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


def gates_unnamed(x, v):
    return np.tanh(x) * v, x + v**2, (x, v)


def gates_without_cache(x, v):
    h, c = np.tanh(x) * v, x + v**2
    return h, c


def gates_from_inputs(dh, dc, x, v):
    return gates_backward(dh, dc, (x, v))


def leaky(x, slope=0.1):
    return np.where(x > 0, x, slope * x)


def leaky_from_slope(g, x, slope):
    return np.where(x > 0, g, slope * g)


def leaky_by_name(x, *, slope=0.1):
    return np.where(x > 0, x, slope * x)


def leaky_from_names_only(g, *, slope, x):
    return np.where(x > 0, g, slope * g)


def leaky_with_another_default(g, x, slope, shift=0.0, eps=None):
    return np.where(x > 0, g, slope * g) + shift


def product_from_anything(g, *inputs):
    x, v = inputs
    return g * v, g * x


def shifted(x, b=None):
    out = x if b is None else x + b
    return 1.0 * out


def shifted_backward(g, x, b=None):
    return (g, g.sum(axis=0)) if b is not None else g


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def unlabelled(function):
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Callable:
    """An object that is called."""

    def __init__(self, function):
        self.function = function


class AffineForward(Callable):
    def __call__(self, x, w, b):
        return self.function(x, w, b)


class AffineBackward(Callable):
    def __call__(self, dout, cache):
        return self.function(dout, cache)


def executed(text):
    space = {"np": np}
    exec(text, space)
    return space["f"]


def scaled(scale, x, w, b):
    return scale * (x @ w) + b, (x, scale * w, scale)


def scaled_backward(dout, cache):
    x, w, scale = cache
    return dout @ w.T, scale * x.T @ dout, dout.sum(axis=0)


XV, XWB = {"x": X, "v": V}, {"x": X, "w": W, "b": B}

PAIRS = {
    "inputs": (product, product_backward, XV),
    "inputs in another order": (product_of_two_rows, product_in_another_order, XV),
    "all inputs": (product, product_from_anything, XV),
    "out": (tanh, tanh_from_out, {"x": X}),
    "out by its name": (tanh_named, tanh_from_its_name, {"x": X}),
    "out and input": (tanh, tanh_from_out_and_input, {"x": X}),
    "input first": (tanh, tanh_from_input_first, {"x": X}),
    "cache": (affine, affine_from_cache, XWB),
    "cache first": (affine, affine_cache_first, XWB),
    "gradients in a list": (affine, affine_to_a_list, XWB),
    "gradients in a mapping": (affine, affine_to_a_mapping, XWB),
    "cache through a variable": (affine_through_a_variable, affine_from_cache, XWB),
    "cache through a chain": (affine_chain, affine_from_cache, XWB),
    "cache as a mapping": (affine_mapping, affine_from_mapping, XWB),
    "cache as an object": (affine_object, affine_from_object, XWB),
    "cache in a list": (affine_list, affine_from_cache, XWB),
    "saved one by one": (affine_saving_one_by_one, affine_from_one_by_one, XWB),
    "cache of one array": (relu, relu_from_cache, {"x": X}),
    "mask": (relu_from_mask, relu_with_mask, {"x": X}),
    "saved under an input's name": (flat_relu, flat_relu_from_what_was_saved, {"x": X}),
    "sandwich": (relu_then_affine, relu_then_affine_backward, XWB),
    "two outputs": (gates, gates_backward, XV),
    "two outputs without names": (gates_unnamed, gates_backward, XV),
    "two outputs from inputs": (gates_without_cache, gates_from_inputs, XV),
    "attribute": (leaky, leaky_from_slope, {"x": X}),
    "attribute by name only": (leaky_by_name, leaky_from_names_only, {"x": X}),
    "default of the backward's own": (leaky, leaky_with_another_default, {"x": X}),
    "optional": (shifted, shifted_backward, {"x": X, "b": RNG.standard_normal(3)}),
    "wraps": (logged(affine), logged(affine_from_cache), XWB),
    "wrapper of the forward": (unlabelled(affine), affine_from_cache, XWB),
    "partial": (functools.partial(scaled, 1.5), scaled_backward, XWB),
    "objects that are called": (AffineForward(affine), AffineBackward(affine_from_cache), XWB),
    "executed text": (
        executed("def f(x, w, b): return x @ w + b, (x, w)"),
        executed(
            "def f(dout, cache):\n x, w = cache\n return dout @ w.T, x.T @ dout, dout.sum(0)",
        ),
        XWB,
    ),
    "lambdas": (lambda x, v: (x * v, (x, v)), lambda g, cache: (g * cache[1], g * cache[0]), XV),
}


def call(operator, params, *others):
    """Return a function of the parameters, in the order of the arguments, and of other arguments behind them."""
    return lambda **given: operator(*(given[name] for name in params), *others)


def checked(forward, backward, params, *others, sample=None, **options):
    return check(call(from_pair("op", forward, backward, **options), params, *others), params, sample=sample)


def findings(result):
    inside = [finding.name for parameter in result.parameters for finding in parameter.findings]
    return [finding.name for finding in result.findings] + inside


@pytest.mark.parametrize("name", PAIRS)
def test_the_right_pair_passes(name):
    result = checked(*PAIRS[name])
    assert (result.verdict, findings(result)) == ("pass", [])


# Wrong twins: what is wrong with a backward, whatever its form.


def mapped(returned, change):
    if isinstance(returned, dict):
        return {key: change(gradient) for key, gradient in returned.items()}
    if isinstance(returned, tuple | list):
        return type(returned)(change(gradient) for gradient in returned)
    return change(returned)


def sign_flipped(returned):
    return mapped(returned, lambda gradient: -gradient)


def detached(returned):
    return mapped(returned, np.zeros_like)


def nondeterministic(returned):
    return mapped(returned, lambda gradient: gradient * RNG.uniform(0.5, 1.5))


def too_many(returned):
    parts = list(returned.values()) if isinstance(returned, dict) else returned
    parts = tuple(parts) if isinstance(parts, tuple | list) else (parts,)
    return (*parts, *(np.zeros(2) for _ in range(5)))


def one_element_off(returned):
    def off(gradient):
        gradient = np.array(gradient)
        gradient.flat[-1] += 1e-3
        return gradient

    return mapped(returned, off)


EXPECTED = {
    sign_flipped: None,
    detached: None,
    nondeterministic: "not-repeatable",
    too_many: "gradient-count",
    one_element_off: None,
}


@pytest.mark.parametrize(
    ("name", "wrong"), list(itertools.product(PAIRS, EXPECTED)), ids=lambda each: getattr(each, "__name__", str(each))
)
def test_a_wrong_twin_is_caught(name, wrong):
    forward, backward, params = PAIRS[name]

    @functools.wraps(backward)
    def twin(*args, **kwargs):
        return wrong(backward(*args, **kwargs))

    result = checked(forward, twin, params, sample=None if wrong is one_element_off else 2)
    assert result.verdict == "fail"
    if EXPECTED[wrong]:
        assert EXPECTED[wrong] in findings(result)


SEVERAL = [name for name, (_, _, params) in PAIRS.items() if len(params) > 1 and "mapping" not in name]


@pytest.mark.parametrize("name", [*SEVERAL, "cache as a mapping"])
def test_swapped_gradients_are_caught(name):
    forward, backward, params = PAIRS[name]

    @functools.wraps(backward)
    def twin(*args, **kwargs):
        return backward(*args, **kwargs)[::-1]

    assert checked(forward, twin, params, sample=2).verdict == "fail"


@pytest.mark.parametrize("name", PAIRS)
def test_a_cotangent_that_is_written_to_is_caught(name):
    forward, backward, params = PAIRS[name]

    @functools.wraps(backward)
    def twin(*args, **kwargs):
        gradients = backward(*args, **kwargs)
        for array in (*args, *kwargs.values()):
            if isinstance(array, np.ndarray):
                np.multiply(array, 1.5, out=array)
        return gradients

    result = checked(forward, twin, params)
    assert (result.verdict, findings(result)) == ("fail", ["input-modified"])
    assert "right only while nobody else reads it" in result.findings[0].message


@pytest.mark.parametrize("name", ["cache", "cache as a mapping", "cache as an object", "sandwich", "saved one by one"])
def test_something_saved_that_is_written_to_is_caught_and_named(name):
    forward, backward, params = PAIRS[name]
    parts = {
        "cache": "cache[0]",
        "cache as a mapping": "saved['x']",
        "cache as an object": "ctx.x",
        "sandwich": "cache[0]",
        "saved one by one": "kept values[0]",
    }

    @functools.wraps(backward)
    def twin(*args, **kwargs):
        gradients = backward(*args, **kwargs)
        for value in args[1:]:
            arrays = (
                value.values() if isinstance(value, dict) else vars(value).values() if hasattr(value, "x") else value
            )
            for array in [arrays] if isinstance(arrays, np.ndarray) else arrays:
                if isinstance(array, np.ndarray):
                    array[...] = 1
        return gradients

    result = checked(forward, twin, params)
    assert findings(result) == ["input-modified"]
    assert f"its backward writes to {parts[name]}" in result.findings[0].message


def twice_returned_forward(x):
    out = np.tanh(x)
    return out, out


def twice_returned_backward(dout, out):
    return dout * (1 - out**2)


def twice_returned_wrong_backward(dout, out):
    return dout * (1 - out)


def twice_returned_other_backward(dout, saved):
    return dout * (1 - saved**2)


@pytest.mark.parametrize(
    ("backward", "verdict"),
    [
        (twice_returned_backward, "pass"),
        (twice_returned_other_backward, "pass"),
        (twice_returned_wrong_backward, "fail"),
    ],
)
def test_an_output_that_is_returned_twice_is_saved_too(backward, verdict):
    operator = from_pair("tanh", twice_returned_forward, backward)
    assert str(check(operator, {"x": np.array([0.3, -1.2, 0.8])}).verdict) == verdict
