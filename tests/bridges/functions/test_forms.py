"""What a function returns, as far as its text tells."""

# How a function returns is what is tested here.
# ruff: noqa: B007, PLW0127, RET504

from __future__ import annotations

import functools
from collections import namedtuple

import numpy as np
import pytest

from gradcheck_cli.bridges.functions.forms import Form, form_of

Result = namedtuple("Result", "loss grads")


def single(x):
    return x + 1


def named(x):
    out = np.maximum(x, 0)
    return out


def pair(x):
    out = x + 1
    return out, x


def unnamed_pair(x):
    return x + 1, (x, 2)


def through_a_variable(x):
    result = x + 1, x
    return result


def through_named_parts(x):
    out, cache = x + 1, x
    result = out, cache
    return result


def not_written(x):
    out = None
    return out


def nothing_written(x):
    out, cache = None, None
    return out, cache


def both_none(x):
    return None, None


def no_return(x):
    x + 1


def chain(x):
    return pair(x)


def chain_of_chains(x):
    return chain(x)


def unknown_call(x):
    return x.compute()


def unpacked(x):
    out, _ = pair(x)
    return out


def two_branches(x, mode):
    if mode == "train":
        out = x + 1
        return out, {"x": x}
    out = x - 1
    return out, None


def one_or_two(x, mode):
    if mode == "train":
        return x + 1, x
    return x - 1


def names_differ(x, mode):
    h = s = x + 1
    if mode:
        return h, x
    return s, x


def conditional(x):
    return (x, 1) if x else (x, 2)


def inner_function(x):
    def helper(y):
        return y, y, y

    return helper(x)[0] + 1


def in_loops_and_tries(x):
    for _ in range(3):
        try:
            return x + 1, x
        finally:
            pass
    return x, x


def changed_in_place(x):
    out = x + 0
    out += 1
    out[0] = 5
    return out


def annotated(x):
    out: np.ndarray
    out = x + 1
    return out


def of_a_loop(xs):
    for x in xs:
        out = x
    for out in xs:
        pass
    return out


def starred(x):
    return (x, *x)


def concatenated(x):
    return (x,) + (x, x)  # noqa: RUF005 (what is tested)


def named_tuple(x):
    return Result(x.sum(), x)


def ufunc(x):
    return np.exp(x)


def two_outputs_of_a_ufunc(x):
    return np.divmod(x, 2)


def recursive(x):
    return recursive(x - 1)


def one_in_a_tuple(x):
    out = x + 1
    return (out,)


def itself(x):
    x = x
    return x


SURE = {
    single: (None,),
    named: ("out",),
    pair: ("out", "x"),
    unnamed_pair: (None, None),
    through_a_variable: (None, "x"),
    through_named_parts: ("out", "cache"),
    nothing_written: ("out", "cache"),
    chain: ("out", "x"),
    chain_of_chains: ("out", "x"),
    two_branches: ("out", None),
    names_differ: (None, "x"),
    conditional: ("x", None),
    inner_function: (None,),
    in_loops_and_tries: ("x", "x"),
    changed_in_place: ("out",),
    annotated: ("out",),
    named_tuple: ("loss", "grads"),
    ufunc: (None,),
    two_outputs_of_a_ufunc: (None, None),
    one_in_a_tuple: ("out",),
}


@pytest.mark.parametrize("function", SURE, ids=lambda f: f.__name__)
def test_the_text_tells_what_is_returned(function):
    form = form_of(function)
    assert (form.names, form.sure) == (SURE[function], True)


UNSURE = {unknown_call: (None,), unpacked: ("out",), of_a_loop: ("out",), starred: (None,), concatenated: (None,)}


@pytest.mark.parametrize("function", [*UNSURE, itself], ids=lambda f: f.__name__)
def test_a_value_that_may_be_a_tuple_is_not_sure(function):
    form = form_of(function)
    assert (form.names, form.sure) == ({**UNSURE, itself: ("x",)}[function], False)


@pytest.mark.parametrize("function", [not_written, both_none, no_return, one_or_two], ids=lambda f: f.__name__)
def test_nothing_is_told_where_nothing_is_written_or_branches_differ(function):
    assert form_of(function) is None


def test_a_call_in_a_circle_tells_nothing_sure():
    assert form_of(recursive) in (None, Form((None,), sure=False))


def decorated(function):
    def wrapper(*args):
        return function(*args)

    return wrapper


class Layer:
    def __call__(self, x):
        return x, x

    def forward(self, x):
        out = x
        return out, x


@pytest.mark.parametrize(
    ("function", "names"),
    [
        pytest.param(functools.wraps(pair)(decorated(single)), ("out", "x"), id="wraps"),
        pytest.param(decorated(pair), ("out", "x"), id="a plain wrapper"),
        pytest.param(functools.partial(pair), ("out", "x"), id="partial"),
        pytest.param(Layer(), ("x", "x"), id="an object"),
        pytest.param(Layer().forward, ("out", "x"), id="a method"),
    ],
)
def test_wrappers_are_looked_behind(function, names):
    assert form_of(function).names == names


def test_what_has_no_text_tells_nothing():
    space = {}
    exec("def f(x):\n    return x, x\n", space)
    assert form_of(space["f"]) is None
    assert form_of(np.tanh) is None
    assert form_of(lambda x: (x, x)) is None


def test_names_inside_a_part_are_told_where_it_is_written_as_a_sequence():
    def loss(x, w):
        value = dx = dw = x
        return value, (dx, dw)

    def through_a_list(x, w):
        value = dx = dw = x
        grads = [dx, dw]
        return value, grads

    def a_list_alone(x, w):
        dx = dw = x
        return [dx, dw]

    assert form_of(loss).inner == ((), ("dx", "dw"))
    assert form_of(through_a_list).inner == ((), ("dx", "dw"))
    assert form_of(a_list_alone).inner == (("dx", "dw"),)
    assert form_of(pair).inner == ()
