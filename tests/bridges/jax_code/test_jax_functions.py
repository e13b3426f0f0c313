"""JAX functions as operators: those that JAX differentiates by itself, their arguments, outputs and errors."""

import functools
import inspect

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

from gradcheck_cli.bridges.domains import read_domains  # noqa: E402
from gradcheck_cli.bridges.jax_code.jax_arrays import precision  # noqa: E402
from gradcheck_cli.bridges.jax_code.jax_functions import from_jax  # noqa: E402
from gradcheck_cli.errors import OperatorError  # noqa: E402
from tests.bridges.jax_code.judging import MANY, X, judge  # noqa: E402
from tests.results import findings  # noqa: E402

jnp = jax.numpy


@pytest.mark.parametrize("x", [X, MANY], ids=["as it is", "compiled"])
def test_random_numbers_of_a_function_are_caught(x):
    assert findings(judge(lambda x: x * np.random.default_rng().random(), x)) == ["not-repeatable"]


def test_state_kept_between_calls_is_caught():
    state = {"calls": 0}

    def counting(x):
        state["calls"] += 1
        return x * state["calls"]

    assert findings(judge(counting, MANY)) == ["not-repeatable"]


PLAIN = {
    "gelu": (jax.nn.gelu, [X]),
    "softmax": (jax.nn.softmax, [X]),
    "relu at its kink": (jax.nn.relu, [np.array([0.0, 1.0, -1.0])]),
    "product": (lambda a, b: a @ b, [MANY.reshape(10, 10)[:2, :3], MANY[:6].reshape(3, 2)]),
    "norm": (jnp.linalg.norm, [X]),
    "jitted": (jax.jit(lambda x, y: x * y), [X, X + 1]),
    "loop": (lambda x: jax.lax.scan(lambda c, a: (c * a, c + a), 1.1, x)[1], [X]),
    "branch on a value": (lambda x: x * 2 if x.sum() > 0 else x, [X]),
    "branch of many": (lambda x: x * 2 if x.sum() > 0 else x, [MANY]),
    "several": (lambda *xs: sum(x**2 for x in xs), [X, X + 1, X - 1]),
}


@pytest.mark.parametrize("name", PLAIN)
def test_functions_that_jax_differentiates_pass(name):
    function, arrays = PLAIN[name]
    result = judge(function, *arrays)
    assert (result.verdict, result.findings) == ("pass", ())


def test_a_gradient_that_is_cut_off_fails():
    result = judge(lambda x: x * jax.lax.stop_gradient(jnp.tanh(x)), X)
    assert [parameter.verdict for parameter in result.parameters] == ["fail"]


# Arguments.


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def power(x, n):
    return x**n


power.defvjp(lambda x, n: (power(x, n), x), lambda n, x, g: (n * x ** (n - 1) * g,))


@pytest.mark.parametrize("n", [3, np.array(3.0), np.array(3)], ids=["number", "float array", "int array"])
def test_nondiff_argnums_stay_python_values(n):
    operator = from_jax("power", power)
    assert [item.domain.differentiable for item in operator.inputs] == [True, False]
    assert judge(power, X, rest=(n,)).verdict == "pass"


def test_keyword_arguments_are_fixed():
    assert judge(power, X, kwargs={"n": 4}).verdict == "pass"
    assert from_jax("power", power, kwargs={"n": 4}).signature == "power(x)"
    with pytest.raises(OperatorError, match="power has no argument 'm'"):
        from_jax("power", power, kwargs={"m": 4})


def test_attributes_are_python_values():
    def pooled(x, axis=0, *, keep=False, how="sum"):
        assert isinstance(axis, int)
        assert isinstance(keep, bool)
        return getattr(jnp, how)(x * x, axis=axis, keepdims=keep)

    operator = from_jax("pooled", pooled)
    assert operator.signature == "pooled(x, *, axis=0, keep=False, how='sum')"
    x = MANY.reshape(20, 5)
    for attributes in ({}, {"axis": 1}, {"keep": True, "how": "mean"}):
        assert judge(pooled, x, named=attributes).verdict == "pass"
    np.testing.assert_allclose(operator(x, axis=1, how="mean"), np.mean(x * x, axis=1))


def test_a_function_as_attribute_is_compiled_once():
    traced = []

    @jax.custom_jvp
    def squared(x):
        traced.append(x)
        return x * x

    squared.defjvp(lambda primals, tangents: (squared(*primals), 2 * primals[0] * tangents[0]))
    assert judge(lambda x, act=squared: act(x), MANY).verdict == "pass"
    assert len(traced) < 50


def test_integers_have_no_gradient():
    def picked(x, index, mask):
        return jnp.where(mask, x[index], 0)

    result = judge(picked, X, rest=(np.array([0, 2, 2]), np.array([True, False, True])))
    assert result.verdict == "pass"
    with pytest.raises(OperatorError, match="names 'indx', which is no argument"):
        from_jax("picked", picked, domain=read_domains({"indx": {"shape": "n", "below": 5}}))


@pytest.mark.parametrize(
    ("key", "x"),
    [
        (7, X),
        (7, MANY),
        (np.array(7.0), X),
        (np.array(7), X),
        (np.array([0, 7]), MANY),
        (np.array([0, 7], dtype=np.uint32), X),
    ],
    ids=["number", "number, compiled", "0-d float", "0-d int", "two, compiled", "two as JAX has them"],
)
def test_an_integer_is_the_seed_of_a_random_key(key, x):
    def dropout(x, key, rate=0.5):
        return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)

    assert judge(dropout, x, rest=(key,)).verdict == "pass"
    operator = from_jax("dropout", dropout)
    with precision(double=True):
        wanted = dropout(jnp.asarray(x), jax.random.key(7))
    np.testing.assert_array_equal(np.asarray(operator(x, key)) == 0, np.asarray(wanted) == 0)


def test_a_random_key_of_jax_is_one():
    def noisy(x, key):
        return x * jax.random.normal(key, x.shape)

    assert judge(noisy, X, rest=(jax.random.key(3),)).verdict == "pass"
    assert judge(noisy, X, rest=(jax.random.PRNGKey(3),)).verdict == "pass"


def test_an_index_called_key_is_no_random_key():
    def lookup(table, key):
        return table[key]

    assert judge(lookup, X, rest=(np.array(2),)).verdict == "pass"


def test_a_mapping_of_arrays_is_refused_by_name():
    def net(params, x):
        return jnp.tanh(x @ params["W"])

    with pytest.raises(OperatorError, match="net got arrays inside a dict as 'params'"):
        from_jax("net", net)({"W": np.ones((5, 2))}, X)


def test_a_mapping_of_settings_is_a_plain_value():
    def scaled(x, settings):
        return x * settings["scale"]

    assert judge(scaled, X, rest=({"scale": 2.0},)).verdict == "pass"


# Outputs.


def test_outputs_are_named_by_the_return_statement():
    def cell(x, h):
        new = jnp.tanh(x + h)
        return new * h, new, jnp.argmax(new)

    operator = from_jax("cell", cell)
    assert operator.outputs == ("out1", "new", "out3")
    assert judge(cell, X, X[::-1].copy()).verdict == "pass"


def test_outputs_in_a_mapping_are_named_by_hand():
    def both(x):
        return {"loss": jnp.sum(x**2), "parts": (x, [2 * x])}

    with pytest.raises(OperatorError, match="both returned 3 outputs, and its text shows 1") as caught:
        from_jax("both", both)(X)
    assert "outputs: out1 out2 out3" in str(caught.value)
    assert judge(both, X, outputs=["loss", "x", "twice"]).verdict == "pass"


def test_a_wrong_gradient_of_a_second_output_is_caught():
    @jax.custom_vjp
    def both(x):
        return x * x, jnp.sin(x)

    both.defvjp(lambda x: (both(x), x), lambda x, g: (2 * x * g[0] - jnp.cos(x) * g[1],))
    assert [parameter.verdict for parameter in judge(both, X).parameters] == ["fail"]
    both.defvjp(lambda x: (both(x), x), lambda x, g: (2 * x * g[0] + jnp.cos(x) * g[1],))
    assert judge(both, X).verdict == "pass"


# Errors.


def test_a_value_that_is_needed_while_jax_traces_is_an_error_at_its_line():
    def counted(x):
        n = float(x[0])
        return x * n

    with pytest.raises(OperatorError) as caught:
        judge(counted, X)
    (problem,) = caught.value.problems
    assert problem.location.line == inspect.getsourcelines(counted)[1] + 1
    assert problem.code == "operator-raised"
    assert "\n" not in problem.message
    assert "https://" not in problem.message


def test_shapes_that_do_not_fit_are_an_error_at_their_line():
    def product(a, b):
        return a @ b

    with pytest.raises(OperatorError, match="forward of product raised TypeError") as caught:
        judge(product, np.ones(3), np.ones(4), name="product")
    assert caught.value.problems[0].location.line == inspect.getsourcelines(product)[1] + 1


def test_complex_outputs_are_refused():
    with pytest.raises(OperatorError, match="complex128: outputs are arrays of real numbers"):
        judge(lambda x: x * 1j, X)
