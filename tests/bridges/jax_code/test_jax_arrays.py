"""Arrays on their way to JAX and back, and what is compiled."""

import numpy as np
import pytest

from gradcheck_cli.errors import OperatorError

jax = pytest.importorskip("jax", reason="JAX is not installed")

from gradcheck_cli.bridges.jax_code.jax_arrays import Compiler, frozen, precision, read_dtype, to_jax, to_numpy  # noqa: E402

jnp = jax.numpy

MANY = np.linspace(-1.0, 1.0, 100)


def run(function, *arrays, times=3, key="f", loops=False):
    """Run a function through one compiler several times; return its results, and how often the Python code ran."""
    calls = []

    def counted(arguments):
        calls.append(arguments)
        return [function(*arguments)]

    compiler = Compiler()
    with precision(double=True):
        made = [compiler.run(counted, key, loops, list(map(to_jax, arrays)))[0] for _ in range(times)]
    return made, len(calls)


def test_a_pure_function_of_many_elements_runs_compiled():
    made, calls = run(lambda x: jnp.sin(x) * 2, MANY, times=10)
    assert calls == 3  # twice as it is, and once to be compiled
    for each in made:
        np.testing.assert_allclose(each, 2 * np.sin(MANY), rtol=1e-15)
        assert each.tobytes() == made[0].tobytes()


def test_a_function_of_few_elements_runs_as_it_is_unless_it_loops():
    assert run(jnp.sin, MANY[:5], times=10)[1] == 10
    assert run(jnp.sin, MANY[:5], times=10, loops=True)[1] == 3
    assert run(jnp.sin, MANY, times=10, key=None)[1] == 10


def test_another_layout_is_another_compilation():
    compiler, calls = Compiler(), []

    def counted(arguments):
        calls.append(arguments)
        return [jnp.sin(arguments[0])]

    for shape in ((100,), (10, 10), (100,), (10, 10)):
        (made,) = compiler.run(counted, "f", False, [to_jax(MANY.reshape(shape).astype(np.float32))])
        assert made.shape == shape
    assert len(calls) == 6


def test_random_numbers_are_drawn_at_every_call():
    own = np.random.default_rng(0)
    made, _ = run(lambda x: x * own.random(), MANY + 2)
    assert len({each.tobytes() for each in made}) == 3
    made, _ = run(lambda x: x * np.random.random(), MANY + 2)
    assert len({each.tobytes() for each in made}) == 3


def test_state_is_read_at_every_call():
    state = {"calls": 0}

    def counting(x):
        state["calls"] += 1
        return x * state["calls"]

    made, _ = run(counting, MANY)
    assert len({each.tobytes() for each in made}) == 3


def test_python_branches_on_values_run_as_they_are():
    made, calls = run(lambda x: x * 2 if float(x.sum()) > -1 else x, MANY)
    assert calls == 5  # one of them fails to be compiled
    np.testing.assert_array_equal(made[-1], 2 * MANY)


def test_what_compiling_changes_runs_as_it_is():
    """A compiler may keep the digits that a conversion to single precision and back takes away."""
    flags = []

    def odd(x):
        flags.append(isinstance(x, jax.core.Tracer))
        return x * (1 + 1e-9 * flags[-1])

    made, _ = run(odd, MANY)
    for each in made:
        np.testing.assert_array_equal(each, MANY)


def test_many_compilations_have_an_end():
    compiler, calls = Compiler(), []
    x = to_jax(MANY.astype(np.float32))

    def doubled(arguments):
        calls.append(arguments)
        return [arguments[0] * 2]

    for number in range(100):
        compiler.run(lambda arguments: doubled(arguments), number, False, [x])  # noqa: PLW0108 (a new one each time)
    assert len(calls) == 64 * 3 + 36


def test_not_a_number_is_a_value_as_others():
    made, calls = run(jnp.sqrt, MANY)
    assert calls == 3
    np.testing.assert_array_equal(np.isnan(made[0]), MANY < 0)


@pytest.mark.parametrize("double", [True, False])
def test_precision_is_set_for_a_while(double):
    before = jax.config.jax_enable_x64
    with precision(double):
        assert jnp.asarray(MANY).dtype == (np.float64 if double else np.float32)
    assert jax.config.jax_enable_x64 is before


def test_jax_gets_memory_of_its_own():
    array = MANY.copy()
    with precision(double=True):
        ours = to_jax(array)
        back = to_numpy(ours)
    array[:] = 0
    np.testing.assert_array_equal(np.asarray(ours), MANY)
    back[:] = 0
    np.testing.assert_array_equal(np.asarray(ours), MANY)


def test_types_on_the_way_back():
    assert to_numpy(jnp.ones(2, jnp.bfloat16)).dtype == np.float32
    assert to_numpy(jnp.ones(2, jnp.float16)).dtype == np.float32
    assert to_numpy(jnp.ones(2, bool)).dtype == bool
    assert to_numpy(jax.random.key(3)).dtype == np.uint32
    assert to_jax(np.arange(3), "float32").dtype.kind == "i"
    assert to_jax(MANY, "bfloat16").dtype == jnp.bfloat16


def test_types_are_read_by_name():
    assert [read_dtype(dtype) for dtype in (None, "float32", np.float64, jnp.bfloat16, np.dtype("float16"))] == [
        None,
        "float32",
        "float64",
        "bfloat16",
        "float16",
    ]
    with pytest.raises(OperatorError, match="not 'int32'"):
        read_dtype("int32")


def test_plain_values_are_told_apart():
    def f(x):
        return x

    g = jax.jit(f)
    same = [(1, 1), ([1, {"a": 2}], [1, {"a": 2}]), ("mean", "mean"), (f, f), (g, jax.jit(f)), (None, None)]
    for first, second in same:
        assert frozen(first) == frozen(second) is not None
    different = [(1, 1.0), (1, True), ([1], (1,)), ({"a": 1}, {"b": 1}), (f, lambda x: x)]
    for first, second in different:
        assert frozen(first) != frozen(second)
    assert frozen(np.ones(2)) is None
    assert frozen([np.ones(2)]) is None
