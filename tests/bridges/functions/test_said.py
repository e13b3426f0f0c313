"""What a person says that a backward is given: it wins over what could be told."""

# How a function returns is what is tested here.
# ruff: noqa: RET504

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair
from gradcheck_cli.errors import OperatorError

X = np.array([[0.5, -1.0], [2.0, 0.25]])
V = np.array([[1.5, 0.5], [-0.25, 1.0]])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def sigmoid_backward(dA, A):
    return dA * A * (1 - A)


def sine(x):
    return np.sin(x)


def sine_backward(dA, A):
    return dA * np.cos(A)


def product(x, v):
    return x * v, x, v


def product_backward(first, second, third):
    """Takes the cotangent last."""
    return third * second, third * first


def gates(x, v):
    return x * v, x + v, (x, v)


def gates_backward(a, b, memory):
    x, v = memory
    return a * v + b, a * x + b


def cell(x, v):
    state, probe = np.tanh(x * v), x - v
    cache = (state, x, v)
    return state, probe, cache


def cell_backward(dstate, cache):
    state, x, v = cache
    inner = dstate * (1 - state**2)
    return {"x": inner * v, "v": inner * x}


def leaky(x, slope):
    return np.where(x > 0, x, slope * x)


def leaky_backward(factor, values, upstream):
    return np.where(values > 0, upstream, factor * upstream), None


def total(*xs):
    return sum(x**2 for x in xs)


def verdict(forward, backward, params, *others, **said):
    operator = from_pair("f", forward, backward, **said)
    return check(lambda **p: operator(*(p[name] for name in params), *others), params).verdict


@pytest.mark.parametrize("takes", ["g out", ["g", "out"], ("g", "output")], ids=str)
def test_an_output_or_an_input_is_said(takes):
    assert verdict(sigmoid, sigmoid_backward, {"x": X}, takes=takes) == "pass"
    assert verdict(sine, sine_backward, {"x": X}, takes="g x") == "pass"


def test_what_is_said_wins_even_if_it_is_wrong():
    assert verdict(sigmoid, sigmoid_backward, {"x": X}, takes="g x") == "fail"
    assert verdict(sine, sine_backward, {"x": X}, takes="g out") == "fail"

    assert verdict(lambda x: 2 * np.exp(x), lambda g, x: g * x, {"x": X}, takes="g out") == "pass"


def test_a_function_of_numpy_itself_is_a_forward():
    assert verdict(np.exp, lambda g, x: g * x, {"x": X}, takes="g output") == "pass"
    assert verdict(np.exp, lambda g, x: g * x, {"x": X}, takes="g x") == "fail"


def test_values_are_given_in_the_order_that_is_said():
    assert verdict(product, product_backward, {"x": X, "v": V}, outputs="out", takes="x v g") == "pass"
    assert verdict(product, product_backward, {"x": X, "v": V}, outputs="out", takes="v x g") == "fail"


def test_saved_values_are_said_by_the_names_that_the_forward_returns():
    def forward(x, v):
        rows, columns = x + 0, v + 0
        return x * v, rows, columns

    assert verdict(forward, product_backward, {"x": X, "v": V}, outputs="out", takes="rows columns g") == "pass"
    assert verdict(forward, product_backward, {"x": X, "v": V}, takes="rows columns g") == "pass"
    assert verdict(forward, product_backward, {"x": X, "v": V}, takes="columns rows g") == "fail"


def test_several_outputs_are_named_and_their_cotangents_said():
    said = {"outputs": "h c", "takes": "g_h g_c cache"}
    assert verdict(gates, gates_backward, {"x": X, "v": V}, **said) == "pass"
    assert verdict(gates, gates_backward, {"x": X, "v": V}, outputs="h c", takes="g_c g_h cache") == "fail"
    assert from_pair("f", gates, gates_backward, **said).outputs == ("h", "c")


def test_cotangents_are_said_by_the_names_of_the_forward():
    def forward(x, v):
        h, c = x * v, x + v
        cache = (x, v)
        return h, c, cache

    operator = from_pair("f", forward, gates_backward, takes="g_h g_c cache")
    assert operator.outputs == ("h", "c")
    assert check(operator, {"x": X, "v": V}).verdict == "pass"


def test_an_output_without_gradient_is_left_out():
    operator = from_pair("f", cell, cell_backward, outputs="state _")
    assert operator.outputs == ("state",)
    assert check(operator, {"x": X, "v": V}).verdict == "pass"
    assert np.array_equal(operator(X, V), np.tanh(X * V))
    wrong = from_pair("f", cell, lambda g, cache: cell_backward(-g, cache), outputs="state _")
    assert check(wrong, {"x": X, "v": V}).verdict == "fail"
    with pytest.raises(OperatorError, match="knows nothing of 'probe'"):
        from_pair("f", cell, cell_backward)


def test_a_value_without_gradient_may_be_given_to_the_backward():
    def forward(x):
        y, mask = np.maximum(x, 0), x > 0
        return y, mask

    assert verdict(forward, lambda dy, mask: dy * mask, {"x": X}, outputs="y _") == "pass"
    assert verdict(forward, lambda a, b: a * b, {"x": X}, outputs="y _", takes="g mask") == "pass"


def test_attributes_are_said_by_their_names():
    assert verdict(leaky, leaky_backward, {"x": X}, 0.1, takes="slope x g") == "pass"
    assert verdict(leaky, leaky_backward, {"x": X}, 0.1, takes=["slope", "x", "g"], returns="x slope") == "pass"


def test_any_number_of_arrays_are_spread_over_any_number_of_parameters():
    def backward(*values):
        g, *xs = values
        return [2 * g * x for x in xs]

    operator = from_pair("total", total, backward, takes="g xs")
    assert check(operator, [X, V]).verdict == "pass"
    fixed = from_pair(
        "product", lambda x, v: x * v, lambda *all_: (all_[0] * all_[2], all_[0] * all_[1]), takes="g x v"
    )
    assert check(fixed, {"x": X, "v": V}).verdict == "pass"


def test_what_is_passed_by_name_only_is_given_by_its_name_or_last():
    def backward(g, *, slope, x):
        return np.where(x > 0, g, slope * g), None

    assert verdict(leaky, backward, {"x": X}, 0.1, takes="g") == "pass"
    assert verdict(leaky, backward, {"x": X}, 0.1, takes="g slope x") == "pass"


def test_what_is_passed_by_name_only_may_have_any_name():
    def backward(g, *, a, b):
        return np.where(b > 0, g, a * g), None

    assert verdict(leaky, backward, {"x": X}, 0.1, takes="g slope x") == "pass"


def test_all_that_is_saved_beside_the_said_outputs_is_the_cache():
    def backward(g, saved):
        x, v = saved
        return g * v, g * x

    assert verdict(product, backward, {"x": X, "v": V}, outputs="out", takes="g cache") == "pass"
    assert verdict(product, backward, {"x": X, "v": V}, outputs="out") == "pass"


def test_a_cotangent_whose_name_an_input_has_is_said_with_that_of_the_output():
    def forward(g, x):
        y = g * x
        return y

    def backward(top, a, b):
        return top * b, top * a

    assert verdict(forward, backward, {"g": X, "x": V}, takes="g_y g x") == "pass"
    assert verdict(forward, backward, {"g": X, "x": V}, takes="g_y x g") == "fail"


def test_a_loss_is_given_no_cotangent():
    def backward(target, prediction):
        return 2 * (prediction - target) / target.size

    operator = from_pair("mse", lambda x, y: np.mean((x - y) ** 2), backward, takes="y x", loss=True)
    assert check(lambda x: operator(x, V), {"x": X}).verdict == "pass"


SIGMOID, GATES = (sigmoid, sigmoid_backward), (gates, gates_backward)


@pytest.mark.parametrize(
    ("pair", "said", "message"),
    [
        pytest.param(SIGMOID, {"takes": "g z"}, "can't be given 'z'.*\n.*there are: g, x", id="unknown"),
        pytest.param(SIGMOID, {"takes": "g outt"}, "can't be given.*\n.*did you mean 'out'", id="near"),
        pytest.param(SIGMOID, {"takes": "x out"}, "is given no cotangent by what takes says", id="no cotangent"),
        pytest.param(SIGMOID, {"takes": "g"}, "needs 'A', too: takes says g", id="too few"),
        pytest.param(SIGMOID, {"takes": "g x out"}, "has 2 parameters, and takes says 3: g x out", id="too many"),
        pytest.param(GATES, {"takes": "g_h g_c cache"}, "given 'g_h', and nothing.*outputs:", id="outputs"),
        pytest.param(GATES, {"outputs": "h c", "takes": "g cache"}, "can't be given 'g'", id="which cotangent"),
        pytest.param((cell, cell_backward), {"takes": "g cache"}, "knows nothing of 'probe'", id="forgotten"),
        pytest.param(GATES, {"outputs": "x c"}, "can't have 'x' as an output: that is taken", id="an input's name"),
        pytest.param(GATES, {"outputs": "h h"}, "can't have 'h' as an output: that is named twice", id="twice"),
        pytest.param(GATES, {"outputs": "g_h c"}, "can't have 'g_h' as an output", id="a cotangent's name"),
        pytest.param(GATES, {"outputs": "h-1 c"}, "can't have 'h-1' as an output.*no name", id="no name"),
        pytest.param(GATES, {"outputs": "_ _"}, "has no output by what outputs says", id="no output"),
        pytest.param(SIGMOID, {"takes": "g x", "returns": "w"}, "names 'w', which is no input", id="returns"),
    ],
)
def test_what_does_not_fit_is_refused(pair, said, message):
    with pytest.raises(OperatorError, match=rf"(?s)test_said\.py:\d+: error: .*({message})"):
        from_pair("f", *pair, **said)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [("h c d", "returned 2 values, not at least 3"), ("h c", "returned 1 value, not at least 2")],
)
def test_fewer_values_than_said_are_an_error_when_called(outputs, message):
    forward = (lambda x: (x, x)) if "d" in outputs else (lambda x: x)
    takes = [f"g_{name}" for name in outputs.split()]
    operator = from_pair("f", forward, lambda *gs: sum(gs), outputs=outputs, takes=takes)
    with pytest.raises(OperatorError, match=f"the forward of f {message}"):
        check(operator, {"x": X})
