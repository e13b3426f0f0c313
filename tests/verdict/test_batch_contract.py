"""Declarations that aren't what their operator does are found, and the numbers are right all the same."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import arr, check, keep, op

X = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]])


def centred():
    @op(batch="elementwise")
    def f(x):
        """x - mean(x)."""
        return x - np.mean(x)

    f.backward(lambda g: g - np.mean(g))
    return f


def along_another_axis():
    @op(batch="axis")
    def f(x, *, axis=1):
        """Sums up along the first axis, whatever axis is."""
        return np.cumsum(x, axis=0)

    f.backward(lambda g: np.cumsum(g[::-1], axis=0)[::-1])
    return f


def masked_by_shape():
    @op(batch="elementwise")
    def f(x):
        """x where a random mask of its shape holds."""
        mask = np.random.default_rng(0).random(x.shape) < 0.5
        return keep(x * mask, mask=mask)

    f.backward(lambda g, mask: g * mask)
    return f


def curved():
    @op(linear=True)
    def f(x):
        """tanh(x)."""
        return np.tanh(x)

    f.backward(lambda g, out: g * (1 - out * out))
    return f


def transposed_product():
    @op(x=arr("m k"), y=arr("n k"), batch="product")
    def f(x, y):
        """x @ y.T."""
        return x @ y.T

    f.backward(lambda g, x, y: (g @ y, g.T @ x))
    return lambda x: f(x, X[:, ::-1] * np.ones((2, 1)))


def not_on_their_own():
    @op(x=arr("... n"), batch="leading")
    def f(x):
        """X less its mean over the first axis."""
        return x - np.mean(x, axis=0)

    f.backward(lambda g: g - np.mean(g, axis=0))
    return f


def scaled_copy():
    @op(batch="gather")
    def f(x):
        """2 x, which is no copy: the rule doesn't fit, and a loop does."""
        return 2 * x

    f.backward(lambda g: 2 * g)
    return f


def wrong_function():
    @op
    def f(x):
        """X over its sum."""
        return x / np.sum(x)

    f.backward(lambda g, x, out: (g - np.sum(g * out)) / np.sum(x))
    f.batch(lambda moved, x: x / np.sum(x))
    return f


def right_function():
    f = wrong_function()
    f.batches.clear()
    f.batch(lambda moved, x: x / np.sum(x, axis=(1, 2), keepdims=True))
    return f


def only_two_axes():
    @op(batch="elementwise")
    def f(x):
        """exp(x) of matrices alone."""
        if x.ndim != 2:
            raise ValueError("x should be a matrix")
        return np.exp(x)

    f.backward(lambda g, out: g * out)
    return f


WRONG = [centred, along_another_axis, masked_by_shape, curved, not_on_their_own, wrong_function, only_two_axes]


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_a_wrong_declaration_is_named_and_the_gradient_judged(make):
    result = check(make(), X)
    assert result.verdict == "fail"
    assert [finding.name for finding in result.findings] == ["wrong-batch-declaration"]
    assert "at once" in result.findings[0].message
    assert [parameter.verdict for parameter in result.parameters] == ["pass"]


@pytest.mark.parametrize("make", [right_function, transposed_product, scaled_copy], ids=lambda make: make.__name__)
def test_what_fits_or_is_looped_passes(make):
    result = check(make(), X)
    assert (result.verdict, [finding.name for finding in result.findings]) == ("pass", [])


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_a_wrong_gradient_beside_a_wrong_declaration_is_found(make):
    marked = make()
    right = marked.rules[0][1]

    def spoiled(x):
        return F.sum(F.tanh(marked(x)) * x)

    marked.rules.clear()
    names = right.__code__.co_varnames[: right.__code__.co_argcount]
    scope = {"right": right}
    marked.backward(eval(f"lambda {', '.join(names)}: 1.001 * right({', '.join(names)})", scope))
    result = check(spoiled, X)
    assert [parameter.verdict for parameter in result.parameters] == ["fail"]


def test_an_operator_that_writes_in_place_is_looped_on_copies():
    @op(batch="elementwise")
    def f(x):
        """exp(x), written over x."""
        np.exp(x, out=x)
        return x.copy()

    f.backward(lambda g, out: g * out)
    assert check(lambda x: f(x * 1.0), X).verdict == "fail"
    result = check(lambda x: f(x * 1.0), X, allow=["input-modified"])
    assert [parameter.verdict for parameter in result.parameters] == ["pass"]


@pytest.mark.parametrize("wrong", ["sum", "mean"])
def test_a_wrong_backward_of_the_last_reduction_is_caught(wrong):
    reduce = {"sum": np.sum, "mean": np.mean}[wrong]

    @op(batch="axis", linear=True)
    def f(x, *, axis=None):
        """The sum or mean of x."""
        return keep(reduce(x, axis=axis), x_shape=x.shape, size=x.size)

    f.backward(lambda g, x_shape, size: np.broadcast_to(g * 1.001 / (size if wrong == "mean" else 1), x_shape))
    assert check(lambda x: f(F.tanh(x)), X).verdict == "fail"


def test_sums_that_cancel_are_no_wrong_declaration():
    x = np.array([1e12, 1.0, -1e12, 3.0, 1e12, -1e12])
    for function in (F.sum, F.mean, F.logsumexp, lambda x: F.softmax(x / 1e12), lambda x: x @ np.ones(6)):
        assert "wrong-batch-declaration" not in [finding.name for finding in check(function, x).findings]


def test_a_reduction_that_takes_perturbations_together_is_found_where_one_would_hide_it():
    @op(batch="elementwise")
    def f(x):
        """mean(x^2)."""
        return np.asarray(np.mean(x * x))

    f.backward(lambda g, x: g * 2 * x / x.size)
    result = check(f, np.array(0.7))
    assert [finding.name for finding in result.findings] == ["wrong-batch-declaration"]
    assert result.parameters[0].verdict == "pass"


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_loss_of_one_number_is_its_own_mean(reduction):
    result = check(lambda x: F.mse_loss(x, np.array(0.2), reduction=reduction), np.array(0.7))
    assert (result.verdict, result.findings) == ("pass", ())


def test_arrays_without_elements_are_looped():
    result = check(lambda b: F.linear(np.zeros((4, 0)), np.zeros((5, 0)), b), np.arange(5.0))
    assert (result.verdict, result.findings) == ("pass", ())


@pytest.mark.parametrize("size", [65, 1000, 2000])
@pytest.mark.parametrize("slope", [lambda g, out: g * np.tanh(1), lambda g, out: g * (1 - out * out)])
def test_a_large_operand_is_held_to_its_declaration_too(size, slope):
    """With more elements than impulses that are tried, and with more than responses are kept of."""

    @op(linear=True)
    def curve(x):
        """tanh(x)."""
        return np.tanh(x)

    curve.backward(slope)
    result = check(curve, np.random.default_rng(0).standard_normal(size))
    assert [finding.name for finding in result.findings] == ["wrong-batch-declaration"]


def test_operands_that_are_linear_each_alone_are_not_so_together():
    @op(linear=True)
    def both(x, y):
        """sum(x) + sum(y) + sum(x) * sum(y)."""
        return np.sum(x) + np.sum(y) + np.sum(x) * np.sum(y)

    both.backward(lambda g, x, y: (g * np.ones_like(x), g * np.ones_like(y)))
    result = check(lambda x: both(F.tanh(x), x), np.random.default_rng(0).standard_normal(5))
    assert [finding.name for finding in result.findings] == ["wrong-batch-declaration"]
    assert "x and y" in result.findings[0].message
    assert str(result.parameters[0].verdict) == "fail"
