"""Forward mode: how a jvp is declared, which names it may ask for, and what is wrong with a declaration."""

import inspect

import numpy as np
import pytest

from gradcheck_cli import Variable, arr, keep, op
from gradcheck_cli.errors import OperatorError
from tests.core.declaring import say
from tests.core.pushing import T, X, applied, definition, double, product, scaled, scaled_backward


def test_a_jvp_is_part_of_the_operator_and_given_back():
    def push(t):
        return 2 * t

    made = op()(double)
    made.backward(lambda g: 2 * g)
    assert made.operator.jvp is None
    assert made.jvp(push) is push
    jvp = made.operator.jvp
    assert jvp is not None
    assert jvp.inputs == ("x",)
    assert jvp.tangents == {"t": "x"}
    assert (jvp.file, jvp.line) == (__file__, inspect.getsourcelines(push)[1])
    assert jvp.kind == "jvp"
    assert made.operator.rules[0].kind == "backward"


def test_an_argument_called_t_keeps_its_name_and_the_tangent_has_its_long_one():
    def loss(x, t):
        """(x - t)^2 for a target t."""
        return (x - t) ** 2

    made = definition(loss, lambda t_x, t, x: 2 * (x - t) * t_x, lambda g: g, t=arr(nondiff=True))
    assert made.operator.jvp.tangents == {"t_x": "x"}
    (tangent,) = applied(made, Variable(X), X + 1).push({0: T})
    np.testing.assert_array_equal(tangent, -2 * T)


def test_an_output_or_kept_value_called_t_keeps_its_name():
    def kept(x):
        """x, and t beside it."""
        return keep(x, t=x + 1)

    made = definition(kept, lambda t_x, t: t_x * t)
    (tangent,) = applied(made, Variable(X)).push({0: T})
    np.testing.assert_array_equal(tangent, T * (X + 1))
    named = definition(product, lambda t_x, t_w, t: t_x * t, lambda g: (g, g), outputs="t")
    (tangent,) = applied(named, Variable(X), Variable(X)).push({0: T})
    np.testing.assert_array_equal(tangent, T * X * X)


def test_t_names_may_be_those_of_arguments():
    def f(t_start, *, t_end=1.0):
        """t_start * t_end."""
        return t_start * t_end

    made = definition(f, lambda t_t_start, t_end: t_t_start * t_end, lambda g: g)
    assert made.operator.jvp.tangents == {"t_t_start": "t_start"}


def test_a_tangent_without_a_name_of_its_own_is_said():
    def f(x, t_x):
        """x + t_x."""
        return x + t_x

    text = say(definition(f, lambda t_x, t_t_x: t_t_x, lambda g: (g, g)))
    assert "its jvp can't ask for the tangent of 'x': 't_x' is something else here" in text
    assert "rename 't_x'" in text


@pytest.mark.parametrize(
    ("push", "wanted", "hint"),
    [
        (lambda t_x: t_x, "its jvp doesn't take the tangent of 'w', t_w", "def _(t_x, t_w, ...)"),
        (lambda t_x, w: t_x, "its jvp doesn't take the tangent of 'w', t_w", "def _(t_x, t_w, ...)"),
        (lambda t, t_w: t, "its jvp asks for 't', which isn't there", "there is a tangent for each input: t_x, t_w"),
        (lambda t_x, t_w, g: t_x, "its jvp asks for 'g', which isn't there", "the cotangent belongs to the backward"),
        (lambda t_x, t_w, facter: t_x, "its jvp asks for 'facter', which isn't there", "did you mean 'factor'?"),
        (lambda t_x, t_w, t_factor: t_x, "its jvp asks for 't_factor'", "'factor' has no tangent"),
        (lambda t_x, t_w, *others: t_x, "its jvp takes *others: it asks for values by name", "name each value"),
        (lambda t_x, t_w, **others: t_x, "its jvp takes **others", "name each value"),
        (lambda t_x, t_v: t_x, "its jvp asks for 't_v'", "did you mean"),
    ],
)
def test_mistakes_in_a_jvp_are_said_where_they_stand(push, wanted, hint):
    text = say(definition(scaled, push, scaled_backward))
    assert wanted in text
    assert hint in text
    assert f"{__file__}:" in text


def test_a_position_is_that_of_the_parameter():
    def push(t_x, t_w, facter):
        return t_x

    made = definition(scaled, push, scaled_backward)
    with pytest.raises(OperatorError) as caught:
        _ = made.operator
    (problem,) = caught.value.problems
    assert problem.location.line == inspect.getsourcelines(push)[1]
    assert problem.location.column == 24
    assert problem.code == "unknown-name"


def test_two_jvps_are_one_too_many():
    made = definition(double, lambda t: t)
    made.jvp(lambda t: 2 * t)
    assert "has two jvp rules" in say(made)


def test_a_jvp_needs_an_input_with_a_gradient():
    made = definition(double, lambda x: x, None, x=arr(nondiff=True))
    assert "has a jvp, but no input with a gradient" in say(made)


def test_a_jvp_is_a_function_written_in_python():
    made = op()(double)
    with pytest.raises(TypeError, match=r"@double\.jvp marks a function"):
        made.jvp("x")


def test_kept_names_that_the_text_does_not_tell_may_be_asked_for():
    def forward(x):
        """x."""
        values = {"extra": 3.0}
        return keep(x, **values)

    made = definition(forward, lambda t, extra: t * extra)
    (tangent,) = applied(made, Variable(X)).push({0: T})
    np.testing.assert_array_equal(tangent, 3 * T)
    assert "its jvp asks for 'g'" in say(definition(forward, lambda t, g: t))
