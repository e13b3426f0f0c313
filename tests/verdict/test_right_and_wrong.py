"""Right gradients pass, and every kind of mistake that people make in one is caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, keep, unbroadcast


def draw(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


class Pair(NamedTuple):
    """A forward with its right backward and a wrong one; `culprits` are the parameters that the wrong one spoils."""

    forward: Callable[..., Any]
    right: Callable[..., Any]
    wrong: Callable[..., Any]
    arrays: dict[str, Any]
    culprits: str


def sine(x):
    """sin(x)."""
    return np.sin(x)


def add_row(x, b):
    """x + b, b broadcast over the rows of x."""
    return x + b


def scale_columns(x, s):
    """x * s, s of one column."""
    return x * s


def product(x, w):
    """x @ w."""
    return x @ w


def centered(x):
    """x - mean(x) along the last axis."""
    return x - x.mean(axis=-1, keepdims=True)


def normalised(x):
    """x / |x| along the last axis."""
    length = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    return keep(x / length, length=length)


def softmax(x):
    """exp(x) / sum(exp(x)) along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def softmax_gradient(g, out):
    return out * (g - (g * out).sum(axis=-1, keepdims=True))


def quotient(x, y):
    """x / y."""
    return x / y


def mean_square(x, t):
    """mean((x - t) ** 2)."""
    return np.mean((x - t) ** 2)


def squares(x):
    """x ** 2."""
    return x**2


def at_one_element(g, x):
    gradient = 2 * g * x
    gradient[..., -1] *= 1.001
    return gradient


def border_forgotten(g, x):
    gradient = 2 * g * x
    gradient[0] = 0
    return gradient


def gathered(x):
    """Rows 0, 2, 2 and 1 of x."""
    return x[[0, 2, 2, 1]]


def scattered(g, x):
    gradient = np.zeros(x.shape)
    np.add.at(gradient, [0, 2, 2, 1], g)
    return gradient


def overwritten(g, x):
    gradient = np.zeros(x.shape)
    gradient[[0, 2, 2, 1]] = g
    return gradient


TWO_ROWS = {"x": draw(3, 4), "b": draw(4)}
PAIRS = {
    "sign": Pair(sine, lambda g, x: g * np.cos(x), lambda g, x: -g * np.cos(x), {"x": draw(3, 4)}, "x"),
    "factor of two": Pair(squares, lambda g, x: 2 * g * x, lambda g, x: g * x, {"x": draw(3, 4)}, "x"),
    "a thousandth": Pair(sine, lambda g, x: g * np.cos(x), lambda g, x: 1.001 * g * np.cos(x), {"x": draw(3, 4)}, "x"),
    "a millionth": Pair(squares, lambda g, x: 2 * g * x, lambda g, x: (2 + 2e-6) * g * x, {"x": draw(3, 4) + 3}, "x"),
    "one row instead of the sum": Pair(
        add_row, lambda g, x, b: (g, g.sum(axis=0)), lambda g, x, b: (g, g[0]), TWO_ROWS, "b"
    ),
    "the mean instead of the sum": Pair(
        add_row, lambda g, x, b: (g, g.sum(axis=0)), lambda g, x, b: (g, g.mean(axis=0)), TWO_ROWS, "b"
    ),
    "sum over a broadcast axis of one": Pair(
        scale_columns,
        lambda g, x, s: (g * s, (g * x).sum(axis=1, keepdims=True)),
        lambda g, x, s: (g * s, (g * x)[:, :1]),
        {"x": draw(3, 4), "s": draw(3, 1)},
        "s",
    ),
    "transposed square matrix": Pair(
        product,
        lambda g, x, w: (g @ w.T, x.T @ g),
        lambda g, x, w: (g @ w, (x.T @ g).T),
        {"x": draw(3, 3), "w": draw(3, 3, seed=1)},
        "x w",
    ),
    "missing term of a mean": Pair(
        centered, lambda g: g - g.mean(axis=-1, keepdims=True), lambda g: g, {"x": draw(3, 4)}, "x"
    ),
    "missing term of a norm": Pair(
        normalised,
        lambda g, out, length: (g - out * (g * out).sum(axis=-1, keepdims=True)) / length,
        lambda g, out, length: g / length,
        {"x": draw(3, 4)},
        "x",
    ),
    "missing factor of the chain": Pair(sine, lambda g, x: g * np.cos(x), lambda g, x: g, {"x": draw(3, 4)}, "x"),
    "zero": Pair(sine, lambda g, x: g * np.cos(x), lambda g, x: 0 * g, {"x": draw(3, 4)}, "x"),
    "zero for one of two": Pair(
        quotient,
        lambda g, x, y: (g / y, -g * x / y**2),
        lambda g, x, y: (g / y, 0 * g),
        {"x": draw(3, 4), "y": 2 + draw(3, 4, seed=1) ** 2},
        "y",
    ),
    "swapped": Pair(
        quotient,
        lambda g, x, y: (g / y, -g * x / y**2),
        lambda g, x, y: (-g * x / y**2, g / y),
        {"x": draw(3, 4), "y": 2 + draw(3, 4, seed=1) ** 2},
        "x y",
    ),
    "zero that hides from all-ones": Pair(softmax, softmax_gradient, lambda g, out: 0 * g, {"x": draw(3, 4)}, "x"),
    "diagonal of softmax alone": Pair(
        softmax, softmax_gradient, lambda g, out: g * out * (1 - out), {"x": draw(3, 4)}, "x"
    ),
    "division by the count forgotten": Pair(
        mean_square,
        lambda g, x, t: (2 * g * (x - t) / x.size, -2 * g * (x - t) / x.size),
        lambda g, x, t: (2 * g * (x - t), -2 * g * (x - t)),
        {"x": draw(3, 4), "t": draw(3, 4, seed=1)},
        "x t",
    ),
    "one element of 200": Pair(squares, lambda g, x: 2 * g * x, at_one_element, {"x": 1 + draw(200) ** 2}, "x"),
    "the first row": Pair(squares, lambda g, x: 2 * g * x, border_forgotten, {"x": 1 + draw(4, 5) ** 2}, "x"),
    "contributions overwritten": Pair(gathered, scattered, overwritten, {"x": draw(3, 4)}, "x"),
}
each_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))


def verdicts(result):
    return {parameter.name: str(parameter.verdict) for parameter in result.parameters}


@each_pair
def test_the_right_gradient_passes(pair, operator):
    result = check(operator(pair.forward, pair.right), pair.arrays)
    assert verdicts(result) == dict.fromkeys(pair.arrays, "pass")
    assert result.ok
    assert not result.findings
    for parameter in result.parameters:
        assert not parameter.findings
        assert parameter.max_rel_err is not None
        assert parameter.max_rel_err <= 1e-7
        assert parameter.checked == parameter.elements == np.size(pair.arrays[parameter.name])


@each_pair
def test_the_wrong_gradient_fails_with_element_numbers_and_sweep_and_nothing_else_does(pair, operator):
    result = check(operator(pair.forward, pair.wrong), pair.arrays)
    culprits = pair.culprits.split()
    assert verdicts(result) == {name: "fail" if name in culprits else "pass" for name in pair.arrays}
    assert result.verdict == "fail"
    assert not result.ok
    for parameter in result.parameters:
        if parameter.verdict == "fail":
            worst = parameter.worst
            assert worst is not None
            assert len(worst.index) == len(parameter.shape)
            assert worst.error_bar < abs(worst.analytic - worst.numeric)
            assert parameter.max_rel_err is not None
            assert parameter.max_rel_err > 1e-7
            assert [point.eps for point in parameter.sweep] == [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]


@each_pair
def test_the_verdict_does_not_depend_on_the_cotangent(pair, operator):
    right = check(operator(pair.forward, pair.right), pair.arrays, seed=1)
    wrong = check(operator(pair.forward, pair.wrong), pair.arrays, seed=1)
    assert (right.verdict, wrong.verdict) == ("pass", "fail")


@each_pair
def test_a_wrong_operator_is_caught_inside_a_network(pair, operator):
    def network(marked):
        return lambda **arrays: F.mean(F.sigmoid(marked(*(F.tanh(arrays[name]) + 2 for name in arrays))) ** 2)

    assert check(network(operator(pair.forward, pair.right)), pair.arrays).verdict == "pass"
    # A millionth is close to what the value's rounding allows to see.
    allowed = ("fail", "inconclusive") if pair is PAIRS["a millionth"] else ("fail",)
    assert check(network(operator(pair.forward, pair.wrong)), pair.arrays).verdict in allowed


def test_the_element_that_is_wrong_is_the_one_shown(operator):
    result = check(operator(squares, at_one_element), PAIRS["one element of 200"].arrays)
    (parameter,) = result.parameters
    assert parameter.worst is not None
    assert parameter.worst.index == (199,)
    assert parameter.worst.analytic / parameter.worst.numeric == pytest.approx(1.001, rel=1e-8)


def test_the_worst_of_several_wrong_elements_is_shown(operator):
    def backward(g, x):
        gradient = 2 * g * x
        gradient[1, 2] *= 1.0001
        gradient[2, 0] *= -1
        return gradient

    result = check(operator(squares, backward), 1 + draw(3, 4) ** 2)
    assert result.parameters[0].worst is not None
    assert result.parameters[0].worst.index == (2, 0)


@pytest.mark.parametrize(
    ("forward", "backward", "arrays", "finding", "words"),
    [
        (add_row, lambda g, x, b: (g, g), TWO_ROWS, "gradient-shape", "a sum over axis 0 is missing"),
        (
            product,
            lambda g, x, w: (g @ w.T, g.T @ x),
            {"x": draw(3, 4), "w": draw(4, 2)},
            "gradient-shape",
            "the gradient is transposed",
        ),
        (add_row, lambda g, x, b: g, TWO_ROWS, "gradient-count", "1 gradient for 2 inputs (x, b)"),
        (add_row, lambda g, x, b: (g, None), TWO_ROWS, "gradient-count", "None for b"),
        (sine, lambda g, x: (g * np.cos(x)).astype(np.float32), {"x": draw(3)}, "gradient-dtype", "float32"),
    ],
    ids=["sum", "transpose", "count", "none", "dtype"],
)
def test_a_gradient_of_the_wrong_form_is_named_before_numbers(forward, backward, arrays, finding, words, operator):
    result = check(operator(forward, backward), arrays)
    assert [found.name for found in result.findings] == [finding]
    assert words in result.findings[0].message
    assert result.findings[0].location is not None
    assert result.findings[0].location.line == backward.__code__.co_firstlineno
    assert {parameter.verdict for parameter in result.parameters} == {"skip"}


def test_a_backward_that_forgets_its_cotangent_is_named_before_numbers(operator):
    result = check(operator(sine, lambda g, x: np.cos(x) + 0 * g), {"x": draw(3, 4)})
    assert [finding.name for finding in result.findings] == ["not-linear-in-g"]
    assert verdicts(result) == {"x": "skip"}
    assert result.verdict == "fail"


def moments(x):
    """Mean and mean square along the last axis."""
    return x.mean(axis=-1), (x * x).mean(axis=-1)


def moments_gradient(first, second):
    def backward(g_mean, g_square, x):
        count = x.shape[-1]
        return first * np.repeat(g_mean[..., None], count, -1) / count + second * 2 * g_square[..., None] * x / count

    return backward


@pytest.mark.parametrize(
    ("factors", "verdict"), [((1, 1), "pass"), ((1.001, 1), "fail"), ((1, 1.001), "fail"), ((1, 0), "fail")]
)
def test_every_output_of_an_operator_counts(factors, verdict, operator):
    marked = operator(moments, moments_gradient(*factors), outputs="mean square")
    assert check(marked, draw(3, 4)).verdict == verdict


@pytest.mark.parametrize(("factors", "verdict"), [((1, 0), "pass"), ((0.999, 1), "fail")])
def test_an_output_that_nobody_uses_has_a_cotangent_of_zeros(factors, verdict, operator):
    marked = operator(moments, moments_gradient(*factors), outputs="mean square")
    assert check(lambda x: marked(x)[0], draw(3, 4)).verdict == verdict


def test_two_mistakes_that_cancel_in_a_sum_of_outputs_do_not_hide(operator):
    def both(x):
        """x and -x."""
        return x * 1.0, -x

    marked = operator(both, lambda g_up, g_down: 2 * g_up - 2 * g_down, outputs="up down")
    assert check(marked, draw(5)).verdict == "fail"


@pytest.mark.parametrize("shapes", [((3, 4), (4,)), ((3, 1), (4,)), ((2, 1, 3), (4, 1)), ((), (2, 2))])
def test_broadcasting_is_undone_for_every_pair_of_shapes(shapes, operator):
    def times(x, y):
        """x * y."""
        return x * y

    def right(g, x, y):
        return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)

    def by_mean(g, x, y):
        size = g.size
        return tuple(gradient * (gradient.size / size) for gradient in right(g, x, y))

    arrays = {"x": draw(*shapes[0]), "y": draw(*shapes[1], seed=1)}
    assert check(operator(times, right), arrays).verdict == "pass"
    assert check(operator(times, by_mean), arrays).verdict == "fail"


def test_a_parameter_used_on_two_paths_needs_both(operator):
    def forgetful(x):
        """x, whose backward forgets everything."""
        return x * 1.0

    blocked = operator(forgetful, lambda g: 0 * g)
    assert check(lambda x: F.sum(x * x + x), draw(4)).verdict == "pass"
    assert check(lambda x: F.sum(blocked(x) * x + x), draw(4)).verdict == "fail"


def test_python_control_flow_is_followed_at_the_point():
    def power(x, n):
        out = x
        for _ in range(n - 1):
            out = out * x
        return out if F.sum(out) > 0 else -out

    for value in (draw(3) + 4, draw(3) - 4):
        assert check(power, value, inputs={"n": 3}).verdict == "pass"
