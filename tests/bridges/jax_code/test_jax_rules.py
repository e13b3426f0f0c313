"""JAX functions with rules of their own: right ones pass, wrong twins are told by name, at the line of their rule."""

import inspect

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

from gradcheck_cli.bridges.jax_code.jax_functions import from_jax  # noqa: E402
from gradcheck_cli.errors import OperatorError, Skipped  # noqa: E402
from tests.bridges.jax_code.judging import MANY, X, judge  # noqa: E402
from tests.results import findings  # noqa: E402

jnp = jax.numpy


def huber_with(bwd, fwd=None):
    """A Huber loss with these rules."""

    @jax.custom_vjp
    def huber(x, delta=1.0):
        size = jnp.abs(x)
        return jnp.where(size <= delta, 0.5 * x * x, delta * (size - 0.5 * delta))

    huber.defvjp(fwd or (lambda x, delta: (huber(x, delta), (x, delta))), bwd)
    return huber


def right_bwd(kept, g):
    x, delta = kept
    return g * jnp.clip(x, -delta, delta), None


@pytest.mark.parametrize("x", [X, MANY, np.array(0.7), np.zeros((0, 2)), MANY.reshape(5, 20)], ids=np.shape)
def test_a_right_custom_vjp_passes(x):
    result = judge(huber_with(right_bwd), x)
    assert result.verdict == ("pass" if x.size else "inconclusive")
    assert result.findings == ()


def test_a_single_bad_entry_of_two_thousand_is_caught():
    def bwd(kept, g):
        gradient, _ = right_bwd(kept, g)
        return gradient.at[1234].multiply(1.01), None

    x = np.random.default_rng(0).normal(size=2000)
    result = judge(huber_with(bwd), x)
    (parameter,) = result.parameters
    assert parameter.verdict == "fail"
    assert parameter.checked == 2000
    assert parameter.worst.index == (1234,)
    assert judge(huber_with(right_bwd), x).verdict == "pass"


WRONG = {
    "sign": lambda kept, g: (-g * jnp.clip(kept[0], -1, 1), None),
    "missing term": lambda kept, g: (g * jnp.where(jnp.abs(kept[0]) <= 1, kept[0], 0), None),
    "factor": lambda kept, g: (1.001 * g * jnp.clip(kept[0], -1, 1), None),
    "none": lambda kept, g: (None, None),
    "detached": lambda kept, g: (g * jax.lax.stop_gradient(jnp.zeros_like(kept[0])), None),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_custom_vjp_fails(name):
    result = judge(huber_with(WRONG[name]), X)
    assert [parameter.verdict for parameter in result.parameters] == ["fail"]


@pytest.mark.parametrize("x", [X, MANY], ids=["as it is", "compiled"])
@pytest.mark.parametrize("draw", [lambda: np.random.default_rng().random(), np.random.random], ids=["own", "global"])
def test_random_numbers_of_a_rule_are_caught(draw, x):
    if draw == np.random.random:  # repeated by the check, so that all elements are wrong: that takes its time
        x = np.pad(x[:5], (0, x.size - 5))
    wrong = huber_with(lambda kept, g: (g * jnp.clip(kept[0], -1, 1) * (1 + 1e-3 * draw()), None))
    result = judge(wrong, x)
    assert result.verdict == "fail"


@pytest.mark.parametrize("x", [X, MANY], ids=["as it is", "compiled"])
def test_random_numbers_that_the_backward_draws_again_are_caught(x):
    assert findings(judge(lambda x: x * np.random.random(x.shape), x)) == ["unexpected-value"]


@pytest.mark.parametrize(
    ("bwd", "finding", "text"),
    [
        (lambda kept, g: (g,), "gradient-count", "returned 1 gradient for 2 arguments (x, delta)"),
        (lambda kept, g: g, "gradient-count", "returned no tuple of gradients for 2 arguments"),
        (lambda kept, g: (g.sum(), None), "gradient-shape", "the gradient of x has shape (), x has (5,)"),
        (lambda kept, g: (g[:, None] * g, None), "gradient-shape", "the gradient of x has shape (5, 5), x has (5,)"),
        (lambda kept, g: (right_bwd(kept, g)[0].astype(jnp.float32), None), "gradient-dtype", "has dtype float32"),
        (lambda kept, g: (jnp.abs(g) * jnp.clip(kept[0], -1, 1), None), "not-linear-in-g", "for -g is not minus"),
        (lambda kept, g: (g * jnp.nan, None), "non-finite", "the gradient of x is nan in 5 of 5 elements"),
    ],
)
def test_a_broken_contract_is_named_at_the_rule(bwd, finding, text):
    result = judge(huber_with(bwd), X)
    assert findings(result) == [finding]
    assert text in result.findings[0].message
    assert (result.findings[0].location.file, result.findings[0].location.line) == (
        __file__,
        inspect.getsourcelines(bwd)[1],
    )


@pytest.mark.parametrize(
    ("fwd", "text"),
    [
        (lambda x, delta: (0.5 * x * x, (x, delta)), "another value than the function: off by up to"),
        (lambda x, delta: (0.5 * jnp.sum(x * x), (x, delta)), "another value than the function: its shape is ()"),
    ],
)
def test_a_rule_with_another_value_than_the_function_is_caught(fwd, text):
    result = judge(huber_with(right_bwd, fwd), X)
    assert findings(result) == ["unexpected-value"]
    assert text in result.findings[0].message


def test_the_place_of_the_backward_is_that_of_its_rule():
    operator = from_jax("huber", jax.jit(huber_with(right_bwd)))
    assert operator.location.file == __file__
    assert operator.rules[0].location.line == inspect.getsourcelines(right_bwd)[1]
    assert operator.jvp is None
    assert operator.signature == "huber(x, *, delta=1.0)"


@jax.custom_jvp
def scaled_sine(x, y):
    """x * sin(y)."""
    return x * jnp.sin(y)


def test_a_custom_jvp_is_checked_in_both_modes():
    scaled_sine.defjvps(lambda t, out, x, y: t * jnp.sin(y), lambda t, out, x, y: t * x * jnp.cos(y))
    operator = from_jax("scaled_sine", scaled_sine)
    assert operator.jvp is not None
    assert operator.doc == "x * sin(y)."
    assert operator.jvp.location.file == __file__
    result = judge(scaled_sine, X, X[::-1].copy())
    assert (result.verdict, result.findings) == ("pass", ())


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t, out, x, y: -t * x * jnp.cos(y),
        lambda t, out, x, y: t * x * jnp.sin(y),
        lambda t, out, x, y: t * jax.lax.stop_gradient(0 * x),
    ],
)
def test_a_wrong_custom_jvp_fails_for_its_argument(wrong):
    scaled_sine.defjvps(lambda t, out, x, y: t * jnp.sin(y), wrong)
    result = judge(scaled_sine, X, X[::-1].copy())
    assert [parameter.verdict for parameter in result.parameters] == ["pass", "fail"]


@pytest.mark.parametrize("change", [jnp.sin, jnp.abs])
def test_a_jvp_that_is_no_linear_map_is_named_at_the_rule(change):
    @jax.custom_jvp
    def square(x):
        return x * x

    @square.defjvp
    def rule(primals, tangents):
        return square(*primals), change(tangents[0])

    result = judge(square, X)
    assert findings(result) == ["not-linear-in-g"]
    assert "JAX makes no backward of it" in result.findings[0].message
    assert result.findings[0].location.line == inspect.getsourcelines(rule)[1] + 1


def test_a_mismatch_of_forward_and_reverse_is_caught():
    """A solver whose transpose is another one: JAX takes the author's word for it."""

    def solved(x):
        return jax.lax.custom_linear_solve(
            lambda y: 2.0 * y, x, lambda matvec, b: b / 2.0, transpose_solve=lambda vecmat, b: b / 2.5
        )

    result = judge(solved, X)
    assert [parameter.verdict for parameter in result.parameters] == ["fail"]
    assert findings(result) == ["forward-reverse-mismatch"]
    assert "so the backward is wrong" in result.findings[0].message


def test_a_rule_that_is_missing_is_an_error():
    @jax.custom_vjp
    def bare(x):
        return x

    with pytest.raises(OperatorError, match="No VJP defined"):
        judge(bare, X)


def test_a_function_without_a_body_is_not_written_yet():
    def empty(x):
        pass

    def stub(x):
        raise NotImplementedError

    for function in (empty, stub):
        with pytest.raises(Skipped, match="not written yet"):
            from_jax("f", function)(X)
    unwritten = huber_with(lambda kept, g: stub(g))
    with pytest.raises(Skipped, match="not written yet: the backward of f"):
        judge(unwritten, X)
