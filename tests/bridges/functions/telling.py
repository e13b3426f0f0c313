"""Which convention a pair of functions is told to follow, and forwards of every form."""

# How a function returns is what is tested here.
# ruff: noqa: RET504

from __future__ import annotations

import numpy as np

from gradcheck_cli.bridges.functions.facts import Facts
from gradcheck_cli.bridges.functions.forms import form_of
from gradcheck_cli.bridges.functions.told import told_convention
from gradcheck_cli.bridges.signatures import arguments_of, parameters_of, place_of


def told(forward, backward, **more):
    inputs, attributes = arguments_of(parameters_of(forward), {}, None)
    facts = Facts("f", inputs, attributes, form_of(forward), tuple(parameters_of(backward)), place_of(backward), **more)
    return told_convention(facts)


def asked(forward, backward, **more):
    convention = told(forward, backward, **more)
    return {parameter.name: group[0] if len(group) == 1 else group for parameter, group in convention.asks}


def alone(x):
    return np.tanh(x)


def alone_named(x):
    y = np.tanh(x)
    return y


def with_cache(x, w):
    out = x * w
    cache = (x, w)
    return out, cache


def with_unnamed(x, w):
    return x * w, (x, w)


def with_two_saved(x, w):
    out, rows, columns = x * w, x, w
    return out, rows, columns


def two_outputs(x, w):
    h, c = x * w, x + w
    return h, c


def two_outputs_and_cache(x, w):
    h, c, cache = x * w, x + w, (x, w)
    return h, c, cache


def loss_and_more(x, y):
    loss, probs = np.mean(x * y), x
    return loss, probs


def cache_in_front(x):
    cache, out = x, 2 * x
    return cache, out


def with_new_cache(x, cache):
    out, new_cache = x * cache, x
    return out, new_cache


def of_unknown(x):
    return x.anything()


def named_of_unknown(x):
    out = x.anything()
    return out


def same_name(x):
    x = np.tanh(x)
    return x


def settings(x, slope=0.1, *, mode="a"):
    return x * slope
