"""JAX functions as operators: right ones pass, wrong twins are told by name, at the line of their rule."""

import functools
import inspect

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.domains import read_domains
from gradcheck_cli.errors import OperatorError, Skipped

jax = pytest.importorskip("jax", reason="JAX is not installed")

from gradcheck_cli.bridges.jax_code.jax_arrays import precision  # noqa: E402
from gradcheck_cli.bridges.jax_code.jax_functions import from_jax  # noqa: E402

jnp = jax.numpy

X = np.array([0.3, -1.7, 0.9, 2.2, -0.1])
MANY = np.random.default_rng(0).normal(size=100)


def judge(function, *arrays, name="f", rest=(), named=None, **options):
    """Check an operator made of `function` at arrays; `rest` are further arguments, which are not differentiated."""
    operator = from_jax(name, function, **options)
    return check(lambda *xs: operator(*xs, *rest, **(named or {})), list(arrays))


def names(result):
    """The findings about the case."""
    return [finding.name for finding in result.findings]


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


# custom_vjp.


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
def test_random_numbers_of_a_function_are_caught(x):
    assert names(judge(lambda x: x * np.random.default_rng().random(), x)) == ["not-repeatable"]


@pytest.mark.parametrize("x", [X, MANY], ids=["as it is", "compiled"])
def test_random_numbers_that_the_backward_draws_again_are_caught(x):
    assert names(judge(lambda x: x * np.random.random(x.shape), x)) == ["unexpected-value"]


def test_state_kept_between_calls_is_caught():
    state = {"calls": 0}

    def counting(x):
        state["calls"] += 1
        return x * state["calls"]

    assert names(judge(counting, MANY)) == ["not-repeatable"]


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
    assert names(result) == [finding]
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
    assert names(result) == ["unexpected-value"]
    assert text in result.findings[0].message


def test_the_place_of_the_backward_is_that_of_its_rule():
    operator = from_jax("huber", jax.jit(huber_with(right_bwd)))
    assert operator.location.file == __file__
    assert operator.rules[0].location.line == inspect.getsourcelines(right_bwd)[1]
    assert operator.jvp is None
    assert operator.signature == "huber(x, *, delta=1.0)"


# custom_jvp, and functions that JAX differentiates by itself.


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
    assert names(result) == ["not-linear-in-g"]
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
    assert names(result) == ["forward-reverse-mismatch"]
    assert "so the backward is wrong" in result.findings[0].message


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


def test_a_rule_that_is_missing_is_an_error():
    @jax.custom_vjp
    def bare(x):
        return x

    with pytest.raises(OperatorError, match="No VJP defined"):
        judge(bare, X)


def test_complex_outputs_are_refused():
    with pytest.raises(OperatorError, match="complex128: outputs are arrays of real numbers"):
        judge(lambda x: x * 1j, X)


# Precision.


def test_it_computes_in_double_precision_and_leaves_the_setting_alone():
    seen = []

    def made(x):
        seen.append((x.dtype, jnp.zeros(2).dtype))
        return x * 2

    before = jax.config.jax_enable_x64
    assert judge(made, X).verdict == "pass"
    assert jax.config.jax_enable_x64 is before
    assert set(seen) == {(np.dtype(np.float64), np.dtype(np.float64))}


def test_a_function_that_was_compiled_in_single_precision_is_compiled_again():
    @jax.jit
    def sine(x):
        return jnp.sin(x) + jnp.zeros(())

    with_single = sine(jnp.asarray(X, jnp.float32))
    assert with_single.dtype == jnp.float32
    result = judge(sine, X)
    assert result.verdict == "pass"
    assert result.parameters[0].resolution < 1e-6
    assert sine(jnp.asarray(X, jnp.float32)).dtype == jnp.float32


@pytest.mark.parametrize(
    ("dtype", "x"), [("float32", X), (np.float32, X), (jnp.float32, MANY[:70])], ids=["text", "numpy", "compiled"]
)
def test_a_function_is_judged_by_the_rounding_of_its_type(dtype, x):
    seen = []

    def sine(x):
        seen.append(x.dtype)
        return jnp.sin(x) + jnp.zeros(())

    operator = from_jax("sine", sine, dtype=dtype)
    assert (operator.label, operator.dtype) == ("float32", "float32")
    result = judge(sine, x, dtype=dtype)
    assert result.verdict == "pass"
    assert [finding.name for parameter in result.parameters for finding in parameter.findings] == ["float32-inside"]
    assert set(seen) == {np.dtype(np.float32)}
    assert operator(x).dtype == np.float64


def test_an_unknown_type_is_named():
    with pytest.raises(OperatorError, match="dtype should be a floating type, not 'flaot32'"):
        from_jax("sine", jnp.sin, dtype="flaot32")


def single_inside(x):
    return jnp.sin(x.astype(jnp.float32)).astype(x.dtype) * x


def half_inside(x):
    return jnp.sin(x.astype(jnp.bfloat16)).astype(x.dtype) * x


@pytest.mark.parametrize("x", [X, MANY[:70]], ids=["as it is", "compiled"])
def test_single_precision_inside_is_no_mistake(x):
    result = judge(single_inside, x)
    assert (result.verdict, result.findings) == ("pass", ())
    # A forgotten term, not a factor: the small steps that single precision hides mustn't agree with what is wrong.
    wrong = judge(lambda x: single_inside(x) + jax.lax.stop_gradient(x), x[:5])
    assert wrong.verdict == "fail"


def test_half_precision_is_never_called_wrong():
    assert judge(half_inside, X).verdict == "inconclusive"
    assert judge(jnp.sin, X, dtype="bfloat16").verdict == "inconclusive"


def test_arrays_in_single_precision_are_judged_as_such():
    operator = from_jax("sine", jax.nn.silu)
    result = check(operator, X.astype(np.float32), dtype="float32")
    assert result.verdict == "pass"
