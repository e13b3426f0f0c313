"""A convention at work: what a forward returned is split, and a backward gets its arguments."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from gradcheck_cli.bridges.foreign import Call
from gradcheck_cli.bridges.functions.conventions import Convention, Cotangent, Operand, Output, Saved, Setting
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.errors import Location, OperatorError

WHERE = Location("code.py", 3)
G, H, X, Y, OUT = (np.full(2, value) for value in (1.0, 2.0, 3.0, 4.0, 5.0))
INPUTS = (Input("x"), Input("ys", variadic=True))


def convention(function=lambda: 0, *groups, outputs=("out",), positions=(0,), count=1, ignored=()):
    parameters = inspect.signature(function).parameters.values()
    asks = tuple(zip(parameters, groups, strict=True))
    return Convention(outputs, positions, count, asks, ignored)


def split(made, returned):
    return made.split(returned, "f", WHERE)


def arguments(function, *groups, memory=None, **more):
    call = Call((G, H), (X, Y, Y), (OUT, X), {"s": 7}, memory)
    return convention(function, *groups, **more).arguments(call, INPUTS)


def test_one_value_is_the_output():
    assert split(convention(), OUT) == ((OUT,), ())
    assert split(convention(), [1.0, 2.0]) == (([1.0, 2.0],), ())
    assert split(convention(), (OUT,)) == ((OUT,), ())
    assert split(convention(), 1.5) == ((1.5,), ())


def test_nothing_returned_is_no_output():
    assert split(convention(outputs=("h", "c"), positions=(0, 1), count=3), None) == ((None, None), None)


@pytest.mark.parametrize("kind", [tuple, list])
def test_the_only_value_beside_the_outputs_is_saved_itself(kind):
    cache = convention(lambda cache: 0, (Saved(),), count=2)
    assert split(cache, kind((OUT, "memory"))) == ((OUT,), "memory")
    assert split(cache, kind((OUT, ("a", "b")))) == ((OUT,), ("a", "b"))
    by_place = convention(lambda cache: 0, (Saved(1),), count=2)
    assert split(by_place, kind((OUT, "memory"))) == ((OUT,), "memory")


def test_outputs_stand_where_they_are_said_to_stand():
    made = convention(lambda cache: 0, (Saved(0),), positions=(1,), count=2)
    assert split(made, ("memory", OUT)) == ((OUT,), "memory")
    several = convention(lambda a, b: 0, (Saved(0),), (Saved(2),), positions=(1,), count=3)
    assert split(several, ("a", OUT, "b")) == ((OUT,), ("a", "b"))


def test_what_has_no_gradient_is_not_in_the_cache():
    made = convention(lambda cache: 0, (Saved(),), count=None, ignored=(1,))
    assert split(made, (OUT, "probe", "memory")) == ((OUT,), "memory")
    one_by_one = convention(lambda probe: 0, (Saved(1),), count=None, ignored=(1,))
    assert split(one_by_one, (OUT, "probe", "memory")) == ((OUT,), ("probe", "memory"))


@pytest.mark.parametrize(
    ("count", "returned", "message"),
    [
        (1, (OUT, OUT), "returned 2 values, not 1"),
        (2, OUT, "returned 1 value, not 2"),
        (2, (OUT, OUT, OUT), "returned 3 values, not 2"),
        (None, (), "returned 0 values, not at least 2"),
    ],
)
def test_another_number_of_values_is_an_error(count, returned, message):
    function, groups = (lambda: 0, ()) if count == 1 else (lambda cache: 0, ((Saved(),),))
    with pytest.raises(OperatorError, match=rf"code\.py:3: error: the forward of f {message}"):
        split(convention(function, *groups, count=count), returned)


def same(got, expected):
    args, kwargs = got
    wanted_args, wanted_kwargs = expected
    assert len(args) == len(wanted_args)
    assert all(a is b for a, b in zip(args, wanted_args, strict=True))
    assert kwargs.keys() == wanted_kwargs.keys()
    assert all(kwargs[key] is wanted_kwargs[key] for key in kwargs)


def test_a_backward_gets_its_arguments_by_position():
    groups = ((Cotangent(1),), (Operand("x"),), (Output(0),), (Setting("s"),), (Saved(),))
    got = arguments(lambda g, x, out, s, cache: 0, *groups, memory="memory", count=2)
    same(got, ([H, X, OUT, 7, "memory"], {}))


def test_a_parameter_that_is_not_asked_for_keeps_its_default():
    got = arguments(lambda g, eps=1.0, x=None: 0, (Cotangent(0),), (), (Operand("x"),))
    same(got, ([G], {"x": X}))


def test_what_is_passed_by_name_only_is_passed_by_name():
    def backward(g, *, x, s): ...

    same(arguments(backward, (Cotangent(0),), (Operand("x"),), (Setting("s"),)), ([G], {"x": X, "s": 7}))


def test_any_number_of_arrays_are_spread_or_given_as_a_tuple():
    got, _ = arguments(lambda g, *ys: 0, (Cotangent(0),), (Operand("ys"),))
    assert [value is each for value, each in zip(got, (G, Y, Y), strict=True)] == [True] * 3
    got, _ = arguments(lambda g, ys: 0, (Cotangent(0),), (Operand("ys"),))
    assert len(got[1]) == 2
    got, _ = arguments(lambda g, *values: 0, (Cotangent(0),), (Operand("x"), Output(0), Operand("ys")))
    assert len(got) == 5


def test_saved_values_are_given_one_by_one():
    def backward(g, second, first): ...

    groups = ((Cotangent(0),), (Saved(2),), (Saved(1),))
    assert arguments(backward, *groups, memory=("a", "b"), count=3)[0][1:] == ["b", "a"]
    groups = ((Cotangent(0),), (Saved(2),), (Saved(0),))
    assert arguments(backward, *groups, memory=("a", "b"), count=3, positions=(1,))[0][1:] == ["b", "a"]


def test_the_rest_is_what_is_not_given_one_by_one():
    groups = ((Cotangent(0),), (Saved(1),), (Saved(),))
    got, _ = arguments(lambda g, mask, cache: 0, *groups, memory=("mask", "rest"), count=3)
    assert got[1:] == ["mask", "rest"]
    got, _ = arguments(lambda g, mask, cache: 0, *groups, memory=("mask", "a", "b"), count=4)
    assert got[1:] == ["mask", ("a", "b")]


def test_the_cache_has_a_name_if_it_is_one():
    assert convention(lambda tape: 0, (Saved(),), count=2).cache_name == "tape"
    assert convention(lambda a, b: 0, (Saved(1),), (Saved(2),), count=3).cache_name is None
    assert convention().cache_name is None
