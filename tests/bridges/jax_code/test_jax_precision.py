"""The precision that JAX functions are computed in, and judged by."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

from gradcheck_cli import check  # noqa: E402
from gradcheck_cli.bridges.jax_code.jax_functions import from_jax  # noqa: E402
from gradcheck_cli.errors import OperatorError  # noqa: E402
from tests.bridges.jax_code.judging import MANY, X, judge  # noqa: E402

jnp = jax.numpy


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
