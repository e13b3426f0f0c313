"""Forward mode: what a jvp is given, and what it may return."""

import inspect

import numpy as np
import pytest

from gradcheck_cli import Variable, ints, keep, op
from gradcheck_cli.errors import ContractViolation, OperatorError
from tests.core.pushing import T, X, applied, definition, double, product, scaled, scaled_backward


def test_a_jvp_gets_what_it_names():
    seen = {}

    def push(t_w, t_x, x, w, factor, out, root):
        seen.update(locals())
        return factor * (t_x * w + x * t_w)

    made = definition(scaled, push, scaled_backward)
    application = applied(made, Variable(X), Variable(X + 1), factor=2.0)
    (tangent,) = application.push({0: T, 1: 2 * T})
    np.testing.assert_array_equal(tangent, 2.0 * (T * (X + 1) + X * 2 * T))
    wanted = {"t_x": T, "t_w": 2 * T, "x": X, "w": X + 1, "out": 2 * X * (X + 1), "root": np.sqrt(np.abs(X))}
    for name, value in wanted.items():
        np.testing.assert_array_equal(seen[name], value, err_msg=name)
    assert seen["factor"] == 2.0


def test_an_attribute_that_was_left_out_has_its_default():
    made = definition(scaled, lambda t_x, t_w, factor: factor * (t_x + t_w), scaled_backward)
    (tangent,) = applied(made, Variable(X), Variable(X)).push({0: T})
    np.testing.assert_array_equal(tangent, 3.0 * T)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_tangent_of_an_input_that_stands_still_is_zero_in_its_shape_and_type(dtype):
    seen = []

    def push(t_x, t_w):
        seen.extend((t_x, t_w))
        return t_x + t_w

    made = definition(product, push, lambda g, x, w: (g * w, (g * x).sum()))
    (tangent,) = applied(made, Variable(X.astype(dtype)), Variable(dtype(2.0))).push({})
    assert [(t.shape, t.dtype) for t in seen] == [((2, 3), dtype), ((), dtype)]
    assert not any(t.any() for t in seen)
    assert not tangent.any()


def test_a_variadic_operator_gives_a_tuple_of_tangents_or_spreads_it():
    def total(*xs):
        """Sum of xs."""
        return sum(xs)

    for push in (lambda *t_xs: sum(t_xs), lambda t_xs: t_xs[0] + sum(t_xs[1:]), lambda *t: sum(t)):
        made = definition(total, push, lambda g, xs: tuple(g for _ in xs))
        (tangent,) = applied(made, Variable(X), Variable(X), Variable(X)).push({1: T, 2: T})
        np.testing.assert_array_equal(tangent, 2 * T)


def test_an_optional_input_that_is_not_given_has_no_tangent():
    def shifted(x, b=None):
        """x + b."""
        return x if b is None else x + b

    seen = []

    def push(t_x, t_b):
        seen.append(t_b)
        return t_x

    made = definition(shifted, push, lambda g: (g, g))
    applied(made, Variable(X)).push({0: T})
    assert seen == [None]


def test_inputs_without_a_gradient_have_no_tangent():
    def picked(x, index):
        """x[index]."""
        return x[index]

    def push(t, index):
        return t[index]

    made = definition(picked, push, lambda g: g, index=ints("n", below=2))
    assert made.operator.jvp.tangents == {"t": "x"}
    (tangent,) = applied(made, Variable(X), np.array([1, 1])).push({0: T})
    np.testing.assert_array_equal(tangent, T[[1, 1]])


def two_outputs(x):
    """x squared, its signs, and twice x."""
    return x * x, np.sign(x).astype(np.int64), 2 * x


@pytest.mark.parametrize("form", [tuple, list])
def test_there_is_a_tangent_for_each_floating_output(form):
    made = definition(two_outputs, lambda t, x: form((2 * x * t, 2 * t)), lambda g_a, g_c: g_a, outputs="a b c")
    first, second, third = applied(made, Variable(X)).push({0: T})
    np.testing.assert_array_equal(first, 2 * X * T)
    assert second is None
    np.testing.assert_array_equal(third, 2 * T)


def test_there_may_be_no_forward_mode():
    made = definition(double, lambda t: NotImplemented)
    assert applied(made, Variable(X)).push({0: T}) is None


@pytest.mark.parametrize(
    ("push", "finding", "text"),
    [
        (lambda t, x: 2 * x * t, "gradient-count", "its jvp returned 1 tangent for 2 outputs (a, c)"),
        (lambda t: (t, t, t), "gradient-count", "its jvp returned 3 tangents for 2 outputs (a, c)"),
        (lambda t: (t, None), "gradient-count", "its jvp returned None for c"),
        (lambda t: (t.sum(axis=0), t), "gradient-shape", "the tangent of a has shape (3,), a has (2, 3)"),
        (lambda t: (t, t.T), "gradient-shape", "the tangent of c has shape (3, 2), c has (2, 3)"),
        (lambda t: (t.astype(np.float32), t), "gradient-dtype", "the tangent of a has dtype float32, a has float64"),
        (lambda t: (t > 0, t), "gradient-dtype", "the tangent of a has dtype bool, a has float64"),
        (lambda t: ("a", t), "gradient-dtype", "the tangent of a is no array of real numbers but str"),
        (lambda t: (t + 1j, t), "gradient-dtype", "the tangent of a is no array of real numbers but complex128"),
    ],
)
def test_wrong_tangents_are_named(push, finding, text):
    made = definition(two_outputs, push, lambda g_a, g_c: g_a, outputs="a b c")
    with pytest.raises(ContractViolation) as caught:
        applied(made, Variable(X)).push({0: T})
    assert caught.value.finding == finding
    assert caught.value.message == text
    assert caught.value.location.file == __file__


def test_a_wider_tangent_is_converted():
    made = definition(double, lambda t: 2 * t.astype(np.float64))
    (tangent,) = applied(made, Variable(X.astype(np.float32))).push({0: T.astype(np.float32)})
    assert tangent.dtype == np.float32


def test_what_a_jvp_is_given_is_read_only():
    def push(t):
        t *= 2
        return t

    with pytest.raises(ContractViolation) as caught:
        applied(definition(double, push), Variable(X)).push({0: T})
    assert caught.value.finding == "input-modified"
    assert caught.value.message.startswith("its jvp writes to t")


def test_a_jvp_that_raises_is_an_error_at_its_line():
    def push(t):
        return t / undefined  # noqa: F821

    with pytest.raises(OperatorError, match="jvp of double raised NameError") as caught:
        applied(definition(double, push), Variable(X)).push({0: T})
    assert caught.value.problems[0].location.line == inspect.getsourcelines(push)[1] + 1


def test_a_kept_value_that_is_missing_on_one_path_is_named():
    def forward(x):
        """x."""
        if x.size > 100:
            return keep(x, extra=1)
        return x

    made = definition(forward, lambda t, extra: t)
    with pytest.raises(OperatorError, match="kept no 'extra', which its jvp asks for"):
        applied(made, Variable(X)).push({0: T})


def test_only_a_node_with_a_jvp_is_recorded():
    made = op()(double)
    made.backward(lambda g: 2 * g)
    assert applied(made, Variable(X)) is None
    made.jvp(lambda t: 2 * t)
    assert applied(made, Variable(X)) is not None
    assert applied(made, Variable(X, requires_grad=False)) is None


def test_a_node_saves_nothing_for_the_jvp():
    made = definition(scaled, lambda t_x, t_w, out, root: t_x, lambda g: (g, g))
    assert applied(made, Variable(X), Variable(X)).node.saved == {}
