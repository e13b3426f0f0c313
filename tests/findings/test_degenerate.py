"""Inputs and cotangents that are too plain to tell stories apart: nothing is told that they make true by chance."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import arr, ints, op
from gradcheck_cli.findings.causes import find_causes
from gradcheck_cli.findings.constant_factor import constant_factor
from gradcheck_cli.findings.missing_term import missing_term
from gradcheck_cli.findings.suspect import Application, Suspect
from tests.findings.alone import alone
from tests.findings.stories import evidence, suspect

RNG = np.random.default_rng(31)


@op(x=arr("..."))
def tanh_of(x):
    return np.tanh(x)


@tanh_of.backward
def _(g, out):
    return g * (1 - out)


def told(operator, *arrays, **attributes):
    """Return what is told of the first wrong argument."""
    return find_causes(alone(operator.operator, arrays, attributes)[:1])


def around(analytic, numeric, cotangent, arguments, name="x", **outputs):
    """Return the suspect of an application whose operator is of no importance."""
    shapes = {key: np.shape(array) for key, array in {**arguments, **outputs}.items()}
    application = Application(tanh_of.operator, arguments, {}, outputs, {"out": cotangent}, {})
    return Suspect(evidence(analytic, numeric, name=name), shapes, application)


@pytest.mark.parametrize("value", [1.0, 2.0, 0.3])
@pytest.mark.parametrize("shape", [(4,), (3, 3), (2, 5)])
def test_at_one_value_any_mistake_is_a_factor_and_none_is_named(value, shape):
    (found,) = told(tanh_of, np.full(shape, value))
    assert found.name == "unexplained"
    assert "times the right one" in found.message
    assert "x has one value in all elements: give it different ones" in found.message


def test_at_several_values_a_factor_is_named():
    @op
    def scaled(x):
        return np.tanh(x)

    @scaled.backward
    def _(g, out):
        return 0.37 * g * (1 - out * out)

    (found,) = told(scaled, RNG.standard_normal(5))
    assert (found.name, found.message) == ("constant-factor", "the gradient of x is 0.37 times the right one")


def test_a_usual_factor_is_no_root_of_a_size_without_doubt():
    numeric = RNG.standard_normal(4)
    found = constant_factor(suspect(numeric / 2, numeric, shapes={"x": (4,)}))
    assert found.message.endswith("0.5 times the right one (1/2, or 1/sqrt(4); 4 is the size of axis 0 of x)")


def test_a_usual_factor_is_no_size_without_doubt():
    numeric = RNG.standard_normal((3, 3))
    found = constant_factor(suspect(3 * numeric, numeric, shapes={"x": (3, 4)}))
    assert found.message.endswith("3 times the right one (3; 3 is the size of axis 0 of x, and a usual factor)")


def test_an_attribute_is_named_beside_a_size():
    numeric = RNG.standard_normal(7)
    plain = suspect(numeric / 7, numeric, shapes={"x": (7,)})
    application = Application(None, {}, {"width": 7}, {}, {})
    found = constant_factor(Suspect(plain.evidence, plain.shapes, application))
    assert found.message.endswith("(1/7; 7 is the size of axis 0 of x, or 1/width; width is 7)")


def test_the_mean_over_rows_is_no_story_for_a_size_of_the_gradient_itself():
    numeric = RNG.standard_normal((5, 6))
    own = constant_factor(suspect(numeric / 5, numeric, shapes={"w": (5, 6)}))
    rows = constant_factor(suspect(numeric / 7, numeric, shapes={"w": (5, 6), "x": (7, 5)}))
    assert "some courses" not in own.message
    assert "some courses take the mean here" in rows.message


@pytest.mark.parametrize(("factor", "words"), [(7.5, "15/2"), (1 / 7.5, "2/15")])
def test_the_factor_of_a_mean_of_squares_is_named(factor, words):
    numeric = RNG.standard_normal((3, 5))
    found = constant_factor(suspect(factor * numeric, numeric, shapes={"x": (3, 5)}))
    assert found.message.endswith(f"({words}; x has 15 elements)")


def test_under_an_even_cotangent_a_missing_term_is_no_sum():
    x = RNG.standard_normal((5, 4))
    g = np.repeat(RNG.standard_normal((1, 4)), 5, axis=0)
    out = np.tanh(x)
    found = missing_term(around(g * (1 - out), g * (1 - out * out), g, {"x": x}, out=out))
    assert found.message == "the gradient of x lacks the term g * out * (1 - out)"
    off = missing_term(around(g * np.cos(x) - 0.7 * g * x * x, g * np.cos(x), g, {"x": x}, out=np.sin(x)))
    assert "x**2 times something constant along axis 0, as the cotangent is" in off.message
    assert "sum" not in off.message
    even = missing_term(around(g * np.cos(x) - 2.5 * g, g * np.cos(x), g, {"x": x}, out=np.sin(x)))
    assert "constant along axis 0, as the cotangent is" in even.message
    linear = missing_term(around(g * np.cos(x) - g * (3 - 2 * x), g * np.cos(x), g, {"x": x}, out=np.sin(x)))
    assert linear is None or "spread" not in linear.message


def test_under_an_uneven_cotangent_it_is():
    x, g = RNG.standard_normal((2, 5, 4))
    centre = g.mean(axis=0, keepdims=True)
    found = missing_term(around(g, g - centre, g, {"x": x}, out=x - x.mean(axis=0)))
    assert found.message.endswith("constant along axis 0: a mean or a sum over it is missing or wrong")


def test_the_term_of_softmax_has_its_output_and_no_exponential():
    @op(x=arr("n k"))
    def softmax_of(x):
        e = np.exp(x)
        return e / e.sum(axis=1, keepdims=True)

    @softmax_of.backward
    def _(g, out):
        return g * out

    (found,) = told(softmax_of, RNG.standard_normal((3, 5)))
    assert "the term out * sum(...) over it is missing" in found.message


def test_where_the_right_gradient_is_zero_no_term_is_missing():
    @op(x=arr("n k"))
    def direction(x):
        return x / np.sqrt((x * x).sum(axis=1, keepdims=True))

    @direction.backward
    def _(g, x):
        return g / np.abs(x)

    (found,) = told(direction, RNG.uniform(0.5, 2.0, (5, 1)))
    assert found.name == "unexplained"
    assert found.message.endswith("where the right one is zero")


def test_an_operator_that_is_wrong_twice_tells_its_mistake_once():
    suspects = [each for _ in range(3) for each in alone(tanh_of.operator, [RNG.standard_normal(5)])]
    assert [finding.name for finding in find_causes(suspects)] == ["missing-term"]


def test_what_a_wrong_number_does_to_a_parameter_is_no_cause():
    """A wrong operator on one number multiplies every gradient before it, whatever its mistake is."""
    numeric = RNG.standard_normal(6)
    operator = alone(tanh_of.operator, [np.array(0.7)])
    found = find_causes([*operator, suspect(1.37 * numeric, numeric, name="w")])
    assert [finding.name for finding in found] == ["unexplained"]
    assert found[0].location is not None
    assert [finding.name for finding in find_causes([suspect(1.37 * numeric, numeric)])] == ["constant-factor"]


def test_of_swapped_inputs_nothing_else_is_said():
    @op(x=arr("n n"), w=arr("n n"))
    def product(x, w):
        return x @ w

    @product.backward
    def _(g, x, w):
        return x.T @ g, g @ w.T

    assert [each.name for each in told(product, *RNG.standard_normal((2, 3, 3)))] == ["swapped-inputs"]
    assert [each.name for each in told(product, np.eye(3), 2 * np.eye(3))] == ["swapped-inputs"]


@pytest.mark.parametrize("elements", [1, 2, 3])
@pytest.mark.parametrize("story", ["sign-flipped", "swapped-inputs", "contribution-overwritten"])
def test_of_few_elements_a_story_that_is_nearly_true_is_told_by_chance(elements, story):
    numeric = 1 + RNG.uniform(0, 1, elements)
    other = 5 * numeric**2
    g = -3 * numeric**2
    analytic = {"sign-flipped": -numeric, "swapped-inputs": other, "contribution-overwritten": numeric - g}[story]
    x = RNG.standard_normal(elements)

    def names(spoilt):
        beside = {"y": evidence(numeric, other, name="y")}
        it = around(analytic * spoilt, numeric, g, {"x": x})
        return [found.name for found in find_causes([Suspect(it.evidence, it.shapes, it.application, beside)])]

    if story != "contribution-overwritten" or elements > 1:  # one number that is left out is a factor as well
        assert names(1.0)[0] == story
    assert names(1 + 0.03 * np.arange(1, elements + 1)) == ["unexplained"]


def test_of_many_elements_a_story_need_not_be_exact():
    numeric = RNG.standard_normal(30)
    found = find_causes([suspect(-numeric * (1 + 0.01 * np.sin(np.arange(30))), numeric)])
    assert found[0].name == "sign-flipped"


def test_what_is_next_to_nothing_near_zero_is_no_threshold():
    @op
    def bent(x):
        return np.tanh(x)

    @bent.backward
    def _(g, out):
        return g * (1 - 0.77 * out * np.tanh(3 * out))

    x = RNG.standard_normal(200)
    x[[17, 80, 131]] = 1e-9, -2e-9, 3e-9
    assert [each.name for each in told(bent, x)] == ["unexplained"]


def test_of_equal_contributions_none_is_called_the_last():
    @op(x=arr("n d"), b=arr("d"))
    def add_bias(x, b):
        return x + b

    @add_bias.backward
    def _(g):
        return g, g.mean(axis=0)

    def of_bias(g):
        analytic, numeric = g.mean(axis=0), g.sum(axis=0)
        x, b = np.ones((5, 3)), np.ones(3)
        application = Application(add_bias.operator, {"x": x, "b": b}, {}, {"out": x + b}, {"out": g}, {})
        return find_causes([Suspect(evidence(analytic, numeric, name="b"), {"x": (5, 3), "b": (3,)}, application)])

    even = of_bias(np.repeat(RNG.standard_normal((1, 3)), 5, axis=0))
    assert even[0].message == "the gradient of b is one of 5 equal contributions: it has to be their sum"
    assert "mean-instead-of-sum" in [each.name for each in even]
    assert [each.name for each in of_bias(RNG.standard_normal((5, 3)))] == ["mean-instead-of-sum"]


def test_a_gradient_that_should_be_zero_is_no_sum_of_a_mean():
    @op(x=arr("n k"))
    def softmax_of(x):
        e = np.exp(x)
        return e / e.sum(axis=1, keepdims=True)

    @softmax_of.backward
    def _(g, out):
        return g * out

    x, out, g = np.full((3, 4), 2.0), np.full((3, 4), 0.25), np.full((3, 4), 0.5)
    numeric = 1e-15 * RNG.standard_normal((3, 4))
    application = Application(softmax_of.operator, {"x": x}, {}, {"out": out}, {"out": g}, {})
    found = find_causes([Suspect(evidence(g * out, numeric, name="x"), {"x": (3, 4)}, application)])
    assert [each.name for each in found] == ["unexplained"]


def test_of_equal_contributions_to_what_was_picked_by_index_none_was_broadcast():
    @op(x=arr("n"), i=ints("k", below="n"))
    def picked(x, i):
        return x[i]

    @picked.backward
    def _(g, x, i):
        dx = np.zeros_like(x)
        dx[i] = g
        return dx

    x, i, g = RNG.standard_normal(5), np.array([0, 2, 2, 1, 4, 3]), np.ones(6)
    analytic, numeric = np.ones(5), np.array([1.0, 1, 2, 1, 1])
    application = Application(picked.operator, {"x": x, "i": i}, {}, {"out": x[i]}, {"out": g}, {})
    found = find_causes([Suspect(evidence(analytic, numeric, name="x"), {"x": (5,)}, application)])
    assert found[0].name == "contribution-overwritten"
    assert "one of 2 equal contributions, where there are several" in found[0].message
