"""One mistake in the arguments or the options of a declaration each: the message names it, at its place."""

import pytest

from gradcheck_cli import arr, ints, keep
from tests.core.declaring import operator, say, stands_inside


def mistakes():
    def lambda_():
        return operator(lambda x: x)

    def no_array():
        def f(*, axis=0):
            """Some function."""

        return operator(f, None)

    def var_keyword():
        def f(x, **options):
            """Some function."""

        return operator(f)

    def attribute_before_the_star():
        def f(x, slope=0.5):
            """Some function."""

        return operator(f)

    def unknown_option():
        def f(x, *, slope=0.5):
            """Some function."""

        return operator(f, slop=[0.1])

    def output_misspelt():
        def f(x):
            """Some function."""

        return operator(f, output="a b")

    def domain_for_an_attribute():
        def f(x, *, slope=0.5):
            """Some function."""

        return operator(f, slope=arr())

    def values_without_a_list():
        def f(x, *, slope=0.5):
            """Some function."""

        return operator(f, slope=0.1)

    def list_for_an_array():
        def f(x):
            """Some function."""

        return operator(f, x=[0.1])

    def outputs_as_a_number():
        def f(x):
            """Some function."""

        return operator(f, outputs=2)

    def outputs_with_a_comma():
        def f(x):
            """Some function."""

        return operator(f, outputs="loss, probs")

    def outputs_twice():
        def f(x):
            """Some function."""

        return operator(f, outputs="loss loss")

    def batch_misspelt():
        def f(x):
            """Some function."""

        return operator(f, batch="elementwize")

    def batch_as_a_number():
        def f(x):
            """Some function."""

        return operator(f, batch=2)

    def batch_along_no_axis():
        def f(x):
            """Some function."""

        return operator(f, batch="axis")

    def batch_of_a_product_of_one():
        def f(x):
            """Some function."""

        return operator(f, batch="product")

    def batch_that_scales_two():
        def f(x, y):
            """Some function."""

        return operator(f, batch="scaled")

    def batch_with_nothing_leading():
        def f(x):
            """Some function."""

        return operator(f, batch="leading")

    def batch_of_no_word():
        def f(x):
            """Some function."""

        return operator(f, batch="rows", x=arr("row k"))

    def batch_of_one_word_twice():
        def f(x):
            """Some function."""

        return operator(f, batch="n n", x=arr("n k"))

    def linear_in_nothing():
        def f(x, y):
            """Some function."""

        return operator(f, linear="x z", y=arr(nondiff=True))

    def linear_as_a_number():
        def f(x):
            """Some function."""

        return operator(f, linear=1.5)

    def reserved_argument():
        def f(g):
            """Some function."""

        return operator(f, lambda g: g)

    def reserved_prefix():
        def f(g_x):
            """Some function."""

        return operator(f)

    def reserved_output():
        def f(x):
            """Some function."""

        return operator(f, lambda g_out: g_out, outputs="out mask")

    def reserved_kept():
        def f(x):
            """Some function."""
            return keep(x, linear=x)

        return operator(f)

    def output_named_like_an_input():
        def f(x):
            """Some function."""

        return operator(f, lambda g_y: g_y, outputs="x y")

    def kept_named_like_an_input():
        def f(x):
            """Some function."""
            return keep(x, x=2 * x)

        return operator(f)

    def below_of_no_shape():
        def f(x, labels):
            """Some function."""

        return operator(f, x=arr("n classes"), labels=ints("n", below="class_"))

    def outputs_that_do_not_fit():
        def f(x):
            """Some function."""
            return x, 2 * x

        return operator(f)

    def kept_outputs_that_do_not_fit():
        def f(x):
            """Some function."""
            return keep(x, a=1)

        return operator(f, lambda g_a: g_a, outputs="a b")

    return {
        lambda_: "an operator needs a name",
        no_array: "has no array argument",
        var_keyword: "takes **options: attributes are named one by one",
        attribute_before_the_star: "'slope=0.5' is an attribute, so it stands behind a *",
        unknown_option: "the decorator names 'slop', which is no parameter|did you mean 'slope'?",
        output_misspelt: "the decorator names 'output', which is no parameter|did you mean 'outputs'?",
        domain_for_an_attribute: "'slope' has a domain but is an attribute",
        values_without_a_list: "'slope' should list the values to try|slope=[0.1]",
        list_for_an_array: "'x' is an array: its domain is arr(...), ints(...) or mask(...)",
        outputs_as_a_number: "outputs=2 should be different names",
        outputs_with_a_comma: "outputs='loss, probs' should be different names",
        outputs_twice: "outputs='loss loss' should be different names",
        batch_misspelt: "batch='elementwize' is no way to take many perturbations|did you mean 'elementwise'?",
        batch_as_a_number: "batch=2 should be a word|one of elementwise, axis, leading, product, scaled, gather",
        batch_along_no_axis: "batch='axis' is for one array and an attribute named 'axis'",
        batch_of_a_product_of_one: "batch='product' is for two arrays, x @ y",
        batch_that_scales_two: "batch='scaled' is for one array",
        batch_with_nothing_leading: "batch='leading' needs an input whose shape begins with '...' or a word",
        batch_of_no_word: "batch='rows' is no way to take many perturbations|did you mean 'row'?",
        batch_of_one_word_twice: "batch='n n' should name different words of the inputs' shapes",
        linear_in_nothing: "linear='x z' names 'z', which is no differentiable input|these are: x",
        linear_as_a_number: "linear=1.5 should be True or names of arrays",
        reserved_argument: "'g' is a reserved name",
        reserved_prefix: "'g_x' is a reserved name",
        reserved_output: "'out' is a reserved name",
        reserved_kept: "'linear' is a reserved name",
        output_named_like_an_input: "'x' names two things that the backward could ask for",
        kept_named_like_an_input: "'x' names two things that the backward could ask for",
        below_of_no_shape: "the values of 'labels' are below 'class_', which is no word|did you mean 'classes'?",
        outputs_that_do_not_fit: "the number of outputs here is 2, declared are 1: out",
        kept_outputs_that_do_not_fit: "the number of outputs here is 1, declared are 2: a, b",
    }


MISTAKES = mistakes()


@pytest.mark.parametrize(("make", "said"), MISTAKES.items(), ids=[make.__name__ for make in MISTAKES])
def test_a_mistake_is_said_at_its_place(make, said):
    text = say(make())
    for part in said.split("|"):
        assert part in text
    assert stands_inside(make, text)
