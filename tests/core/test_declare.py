"""Reading a declaration: what is right becomes a record, everything wrong is said with its place."""

import inspect
import linecache

import numpy as np
import pytest

from gradcheck_cli import arr, ints, keep, op
from gradcheck_cli.core.arguments import REQUIRED
from gradcheck_cli.errors import OperatorError
from tests.core.declaring import operator, say


def test_a_right_declaration_becomes_a_record():
    @op(logits=arr("n k"), labels=ints("n", below="k"), smoothing=[0.0, 0.1], outputs="loss probs")
    def softmax_xent(logits, labels, weight=None, *, smoothing=0.0, reduction):
        """-log softmax(logits)[labels].

        More about it.
        """
        return keep(logits, logits, target=1)

    @softmax_xent.backward
    def _(g_loss, g_probs, probs, target, weight):
        return probs, weight

    record = softmax_xent.operator
    assert record.name == "softmax_xent"
    assert [item.name for item in record.inputs] == ["logits", "labels", "weight"]
    assert [item.domain.differentiable for item in record.inputs] == [True, False, True]
    assert [item.optional for item in record.inputs] == [False, False, True]
    smoothing, reduction = record.attributes
    assert (smoothing.default, smoothing.values) == (0.0, (0.0, 0.1))
    assert (reduction.default, reduction.values) == (REQUIRED, ())
    assert record.outputs == ("loss", "probs")
    assert record.doc == "-log softmax(logits)[labels].\n\nMore about it."
    assert record.rules[0].asks == ("g_loss", "g_probs", "probs", "target", "weight")
    assert record.rules[0].inputs == ("logits", "weight")
    assert record.file == __file__
    assert record.line == inspect.getsourcelines(softmax_xent.forward)[1] + 1
    assert record.sampler is None


def test_a_default_is_the_value_to_try_where_no_list_is_given():
    def f(x, *, axis=None):
        """Some function."""

    assert operator(f).operator.attributes[0].values == (None,)


def test_an_operator_without_differentiable_inputs_needs_no_backward():
    def one_hot(labels, *, size=3):
        """Rows of the identity."""

    assert operator(one_hot, None, labels=ints("n", below=3)).operator.rules == ()


def test_a_backward_with_empty_parentheses_is_the_general_one():
    @op
    def f(x):
        """Some function."""

    @f.backward()
    def _(g):
        return g

    assert f.operator.rules[0].inputs == ("x",)


def test_the_caret_stands_under_the_name():
    @op
    def f(x, *, slope=0.5):
        """Some function."""

    @f.backward
    def _(g, x, slop):
        return g

    _, line, caret, hint = say(f).splitlines()
    assert line.endswith("def _(g, x, slop):")
    assert line[caret.index("^") :].startswith("slop)")
    assert hint == "  hint: did you mean 'slope'?"


def test_everything_wrong_is_said_at_once_in_the_order_of_lines():
    @op(slop=[0.1], y=arr(), outputs="g_loss")
    def f(x, axis=0, *, slope=0.5):
        """Some function."""
        return x, x

    @f.backward
    def _(g, z):
        return g

    with pytest.raises(OperatorError) as error:
        _ = f.operator
    problems = error.value.problems
    assert len(problems) == 6
    lines = [problem.location.line for problem in problems]
    assert lines == sorted(lines)
    assert all(problem.source == linecache.getline(__file__, problem.location.line).rstrip() for problem in problems)


def test_names_kept_in_a_helper_of_the_forward_are_hinted_at():
    def f(x):
        """Some function."""
        return x

    text = say(operator(f, lambda g, squares: g))
    assert "other values come from keep(..., squares=squares)" in text


def test_nothing_is_refused_on_a_guess_where_the_text_can_not_be_read():
    space = {"op": op, "keep": keep}
    exec(
        "@op\ndef f(x):\n    return keep(x * x, double=2 * x)\n@f.backward\ndef _(g, double):\n    return g * double",
        space,
    )
    record = space["f"].operator
    assert record.rules[0].asks == ("g", "double")
    assert record.line == 1


def test_a_built_in_operator_needs_a_docstring():
    def f(x):
        return x

    assert operator(f).operator.doc == ""
    f.__module__ = "gradcheck_cli.ops.activations"
    assert "f: has no docstring" in say(operator(f))


def test_an_operator_wrapped_by_another_decorator_is_read_through():
    import functools

    def logged(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return function(*args, **kwargs)

        return inner

    @op
    @logged
    def f(x, *, slope=0.5):
        """Some function."""
        return keep(slope * x, a=1.0)

    f.backward(lambda g, slope, a: g * slope * a)
    assert [attribute.name for attribute in f.operator.attributes] == ["slope"]
    assert f(np.ones(2)).tolist() == [0.5, 0.5]
