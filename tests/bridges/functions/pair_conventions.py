"""A right pair of functions for every convention, with the arrays that it is given."""

# How a function returns is what is tested here.
# ruff: noqa: RET504

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np

from tests.bridges.functions.pair_functions import (
    affine,
    affine_from_cache,
    gates,
    gates_backward,
    leaky,
    leaky_from_slope,
    shifted,
    shifted_backward,
)

RNG = np.random.default_rng(3)
X, W, B = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 2)), RNG.standard_normal(2)
V = RNG.standard_normal((2, 3))


# What a backward may be given.


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


def gates_unnamed(x, v):
    return np.tanh(x) * v, x + v**2, (x, v)


def gates_without_cache(x, v):
    h, c = np.tanh(x) * v, x + v**2
    return h, c


def gates_from_inputs(dh, dc, x, v):
    return gates_backward(dh, dc, (x, v))


def leaky_by_name(x, *, slope=0.1):
    return np.where(x > 0, x, slope * x)


def leaky_from_names_only(g, *, slope, x):
    return np.where(x > 0, g, slope * g)


def leaky_with_another_default(g, x, slope, shift=0.0, eps=None):
    return np.where(x > 0, g, slope * g) + shift


def product_from_anything(g, *inputs):
    x, v = inputs
    return g * v, g * x


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
