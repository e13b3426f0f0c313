"""Pairs of functions as operators: for every convention the right pair passes and its wrong twins are caught."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair
from tests.bridges.functions.pair_conventions import PAIRS
from tests.bridges.functions.pair_functions import checked, findings

RNG = np.random.default_rng(3)


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
