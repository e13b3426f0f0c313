"""The arguments of foreign functions: sorted into inputs and attributes, and put back where the function takes them."""

from __future__ import annotations

import functools
import inspect

import numpy as np
import pytest

from gradcheck_cli.bridges.signatures import (
    arguments_of,
    doc_of,
    name_of,
    parameters_of,
    place_of,
    placed,
    underlying,
)
from gradcheck_cli.core.arguments import REQUIRED
from gradcheck_cli.core.domain import arr, ints, mask
from gradcheck_cli.errors import Location, OperatorError

WHERE = Location("code.py", 3)
X, Y = np.ones(2), np.zeros(3)


def read(function, **domains):
    return arguments_of(parameters_of(function), domains, WHERE)


def names(function, **domains):
    inputs, attributes = read(function, **domains)
    return [item.name for item in inputs], [attribute.name for attribute in attributes]


def test_parameters_without_default_are_loose_inputs():
    inputs, attributes = read(lambda x, conv_param: None)
    assert [(item.name, item.loose, item.optional) for item in inputs] == [
        ("x", True, False),
        ("conv_param", True, False),
    ]
    assert attributes == ()


def test_plain_defaults_and_what_is_passed_by_name_are_attributes():
    assert names(lambda x, slope=0.1, *, mode, axis=None: None) == (["x"], ["slope", "mode", "axis"])
    _, (slope, mode, axis) = read(lambda x, slope=0.1, *, mode, axis=None: None)
    assert (slope.default, slope.values) == (0.1, (0.1,))
    assert (mode.default, mode.values) == (REQUIRED, ())
    assert (axis.default, axis.values) == (None, (None,))


def test_defaults_of_none_and_of_arrays_are_optional_inputs():
    inputs, attributes = read(lambda x, b=None, scale=np.ones(3): None)  # noqa: B008 (what is tested)
    assert [(item.name, item.optional) for item in inputs] == [("x", False), ("b", True), ("scale", True)]
    assert attributes == ()


def test_domains_decide_what_is_an_array_and_what_is_tried():
    inputs, attributes = read(
        lambda x, slope=0.1, labels=None, *, keep, p: None,
        slope=arr(""),
        labels=ints("n", below=3),
        keep=mask("n"),
        p=(0.2, 0.5),
        x=arr("n"),
    )
    assert [(item.name, item.domain.kind, item.optional, item.loose) for item in inputs] == [
        ("x", "float", False, False),
        ("slope", "float", True, False),
        ("labels", "int", True, False),
        ("keep", "bool", False, False),
    ]
    assert [(attribute.name, attribute.default, attribute.values) for attribute in attributes] == [
        ("p", REQUIRED, (0.2, 0.5))
    ]


def test_any_number_of_arrays_come_last_and_keywords_are_left_out():
    def stack(scale, *xs, weight, **options): ...

    inputs, attributes = read(stack, weight=arr("n"))
    assert [(item.name, item.variadic) for item in inputs] == [("scale", False), ("weight", False), ("xs", True)]
    assert attributes == ()


def test_a_domain_of_what_is_no_argument_suggests_one():
    with pytest.raises(OperatorError, match=r"code\.py:3: error: the domain names 'wieght'.*\n.*did you mean 'weight'"):
        read(lambda x, weight: None, wieght=arr("n"))
    with pytest.raises(OperatorError, match="there are: x, w"):
        arguments_of(parameters_of(lambda x: None), {"q": arr()}, WHERE, more=["w"])
    assert arguments_of(parameters_of(lambda x: None), {"w": arr()}, WHERE, more=["w"])


def test_integers_are_below_a_number_or_a_word_of_some_shape():
    inputs, _ = read(lambda x, y: None, x=arr("n k"), y=ints("n", below="k"))
    assert inputs[1].domain.below == "k"
    with pytest.raises(OperatorError, match="the values of 'y' are below 'classes', which is no word of a shape"):
        read(lambda x, y: None, x=arr("n k"), y=ints("n", below="classes"))


def test_what_has_no_signature_is_refused():
    with pytest.raises(OperatorError, match="type has no signature that can be read"):
        parameters_of(type)


def test_parameters_of_methods_and_partials_are_those_that_are_left():
    class Layer:
        def forward(self, x, w): ...

    assert [p.name for p in parameters_of(Layer().forward)] == ["x", "w"]
    assert [p.name for p in parameters_of(Layer.forward, skip=1)] == ["x", "w"]
    assert [p.name for p in parameters_of(functools.partial(Layer().forward, X))] == ["w"]


def call(function, operands, attributes=None, **domains):
    """Call a function with operands and attributes as its operator has them; return what it got."""
    parameters = parameters_of(function)
    inputs, _ = arguments_of(parameters, domains, WHERE)
    args, kwargs = placed(parameters, inputs, operands, attributes or {})
    return function(*args, **kwargs)


def got(*args):
    """Describe arguments so that they can be compared."""
    return [arg.tolist() if isinstance(arg, np.ndarray) else arg for arg in args]


def test_arguments_are_put_back_by_position_and_by_name():
    def function(x, slope=0.1, *, mode="a"):
        return got(x, slope, mode)

    assert call(function, [X], {"slope": 0.2, "mode": "b"}) == [[1, 1], 0.2, "b"]


def test_an_optional_operand_that_is_left_out_has_the_default_of_the_function():
    def function(x, w=np.zeros(3), b=None, *, scale=1.0):  # noqa: B008 (what is tested)
        return got(x, w, b, scale)

    assert call(function, [X, None, None], {"scale": 2.0}) == [[1, 1], [0, 0, 0], None, 2.0]
    assert call(function, [X, None, X], {"scale": 2.0}) == [[1, 1], [0, 0, 0], [1, 1], 2.0]


def test_none_as_the_value_of_an_attribute_is_passed_on():
    assert call(lambda x, axis=0: got(x, axis), [X], {"axis": None}) == [[1, 1], None]


def test_a_default_is_left_to_the_function():
    assert call(np.add, [X, X], {"where": True}).tolist() == [2, 2]
    assert call(np.add, [X, X, None], {"dtype": np.float32}).dtype == np.float32


def test_what_can_only_be_passed_by_position_stays_in_its_place():
    def function(x, w=None, b=None, /):
        return got(x, w, b)

    assert call(function, [X, None, Y]) == [[1, 1], None, [0, 0, 0]]


def test_any_number_of_arrays_stay_behind_the_others():
    def function(x, b=None, *xs, weight):
        return got(x, b, *xs, weight)

    assert call(function, [X, None, X, Y, Y], weight=arr("n")) == [[1, 1], None, [0, 0, 0], [0, 0, 0], [1, 1]]
    assert call(function, [X, None, X], weight=arr("n")) == [[1, 1], None, [1, 1]]


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def plain(x):
    """What it does.

    And more.
    """
    return x


class Callable:
    """An object that is called."""

    def __call__(self, x):
        """What a call does."""
        return x


@pytest.mark.parametrize("wrap", [lambda f: f, decorated, functools.partial, lambda f: decorated(functools.partial(f))])
def test_the_function_behind_a_wrapper_is_found(wrap):
    function = wrap(plain)
    assert underlying(function) is plain
    line = inspect.getsourcelines(plain)[1]
    assert place_of(function) == Location(__file__, line)
    assert doc_of(function) == "What it does.\n\nAnd more."
    assert name_of(function) == "plain"


def test_the_method_behind_an_object_that_is_called_is_found():
    assert underlying(Callable()) is Callable.__call__
    assert doc_of(Callable()) == "What a call does."
    assert place_of(Callable()).line == inspect.getsourcelines(Callable.__call__)[1]
    assert underlying(Callable().__call__) is Callable.__call__
    assert name_of(Callable()) == "Callable"


def test_what_is_not_written_in_python_has_no_place():
    assert underlying(np.tanh) is None
    assert place_of(np.tanh) == Location("")
    assert name_of(np.tanh) == "tanh"
    assert underlying(Callable) is None
    assert place_of(Callable).line == inspect.getsourcelines(Callable)[1]


def test_wrappers_in_a_circle_end():
    def function(x): ...

    function.__wrapped__ = function
    assert underlying(function) is None
