"""One mistake in the backward, batch or sample function of a declaration each: the message names it, at its place."""

import pytest

from gradcheck_cli import ints, mask, op
from tests.core.declaring import operator, say, stands_inside


def mistakes():
    def batch_twice():
        def f(x):
            """Some function."""

        made = operator(f, batch="elementwise")
        made.batch(lambda moved, x: x)
        return made

    def batch_function_without_moved():
        def f(x, *, p=1):
            """Some function."""

        made = operator(f)
        made.batch(lambda x, *, p=1: x)
        return made

    def no_backward():
        def f(x):
            """Some function."""

        return operator(f, None)

    def no_backward_for_one():
        @op
        def f(x, y):
            """Some function."""

        f.backward("x")(lambda g: g)
        return f

    def unknown_target():
        @op(labels=ints("n", below=2))
        def f(weight, labels):
            """Some function."""

        f.backward("weights")(lambda g: g)
        return f

    def target_without_a_gradient():
        @op(labels=ints("n", below=2))
        def f(x, labels):
            """Some function."""

        f.backward("labels")(lambda g: g)
        return f

    def two_general_rules():
        @op
        def f(x):
            """Some function."""

        f.backward(lambda g: g)
        f.backward(lambda g: g)
        return f

    def general_and_special_rule():
        @op
        def f(x, y):
            """Some function."""

        f.backward(lambda g: (g, g))
        f.backward("x")(lambda g: g)
        return f

    def one_target_twice():
        @op
        def f(x):
            """Some function."""

        f.backward("x", "x")(lambda g: (g, g))
        return f

    def asks_for_what_is_not_there():
        def f(x, *, slope=0.5):
            """Some function."""

        return operator(f, lambda g, slop: g)

    def asks_for_the_plain_g_of_several():
        def f(x):
            """Some function."""

        return operator(f, lambda g: g, outputs="loss probs")

    def asks_for_no_cotangent():
        def f(x):
            """Some function."""

        return operator(f, lambda x: x)

    def takes_anything():
        def f(x):
            """Some function."""

        return operator(f, lambda g, **rest: g)

    def spreads_a_plain_input():
        def f(x):
            """Some function."""

        return operator(f, lambda g, *x: g)

    def backward_without_an_input():
        def f(labels):
            """Some function."""

        return operator(f, lambda g: g, labels=mask())

    def sampler_without_rng():
        def f(x):
            """Some function."""

        made = operator(f)
        made.sample(lambda: 1)
        return made

    return {
        batch_twice: "says twice how it takes many perturbations|keep one of them",
        batch_function_without_moved: "its batch function takes other arguments|def _(moved, x, *, p)",
        no_backward: "has no backward|write one: @f.backward",
        no_backward_for_one: "has no backward for 'y'|@f.backward(\"y\")",
        unknown_target: "backward('weights') names no differentiable input|did you mean 'weight'?",
        target_without_a_gradient: "backward('labels') names no differentiable input|these are: x",
        two_general_rules: "has two backward rules for one input",
        general_and_special_rule: "has two backward rules for one input",
        one_target_twice: "has two backward rules for one input",
        asks_for_what_is_not_there: "its backward asks for 'slop', which isn't there|did you mean 'slope'?",
        asks_for_the_plain_g_of_several: "its backward asks for 'g', which isn't there",
        asks_for_no_cotangent: "its backward doesn't take the cotangent g",
        takes_anything: "its backward takes **rest: it asks for values by name",
        spreads_a_plain_input: "its backward takes *x: it asks for values by name",
        backward_without_an_input: "has a backward, but no input with a gradient",
        sampler_without_rng: "its sample function takes one argument, a NumPy Generator",
    }


MISTAKES = mistakes()


@pytest.mark.parametrize(("make", "said"), MISTAKES.items(), ids=[make.__name__ for make in MISTAKES])
def test_a_mistake_in_a_rule_is_said_at_its_place(make, said):
    text = say(make())
    for part in said.split("|"):
        assert part in text
    assert stands_inside(make, text)
