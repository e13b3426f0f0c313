"""`@op` only marks: what a marked function is, and when it is read."""

import copy
import pickle

import numpy as np
import pytest

from gradcheck_cli import Variable, keep, op
from gradcheck_cli.core.definition import Definition, marks_of
from gradcheck_cli.errors import OperatorError


@op
def halve(x):
    """x / 2."""
    return x / 2


@halve.backward
def halve_backward(g):
    return g / 2


def test_a_marked_function_keeps_its_name_text_and_signature():
    import inspect

    assert halve.__name__ == "halve"
    assert halve.__doc__ == "x / 2."
    assert str(inspect.signature(halve)) == "(x)"
    assert repr(halve) == "<operator halve>"
    assert halve.place[0] == __file__
    assert halve.home == __name__


def test_backward_gives_the_function_back():
    assert halve_backward(4.0) == 2.0


def test_the_same_definition_gives_the_same_record():
    assert halve.operator is halve.operator


def test_an_operator_can_be_tried_on_arrays_before_its_backward_is_written():
    @op
    def growing(x, *, factor=2.0):
        """factor * x."""
        return keep(factor * x, unused=1)

    assert growing(3.0) == 6.0
    with pytest.raises(OperatorError, match="growing: has no backward"):
        growing(Variable(3.0))
    with pytest.raises(OperatorError, match="has no backward"):
        growing(np.ones(2), factor=Variable(1.0))
    growing.backward(lambda g, factor: factor * g)
    x = Variable(3.0)
    growing(x).backward()
    assert x.grad == 2.0


def test_a_sample_function_added_late_counts():
    @op
    def sampled(x):
        """x."""
        return x

    sampled.backward(lambda g: g)
    assert sampled.operator.sampler is None
    sampler = sampled.sample(lambda rng: rng.random(3))
    assert sampled.operator.sampler is sampler


@pytest.mark.parametrize("thing", [np.tanh, len, 3, "text", int], ids=repr)
def test_only_functions_written_in_python_are_marked(thing):
    with pytest.raises(TypeError, match="marks a function written in Python"):
        op()(thing)
    with pytest.raises(TypeError, match=r"@halve\.backward marks a function|takes 1 positional|names no"):
        halve.backward("x")(thing)
    with pytest.raises(TypeError, match=r"@halve\.sample marks a function"):
        halve.sample(thing)
    assert len(halve.rules) == 1


def test_a_module_remembers_what_a_later_definition_hides():
    space = {"op": op, "__name__": "somewhere"}
    exec(compile("@op\ndef f(x):\n    return x\n\n@op()\ndef f(y):\n    return y\n", "somewhere.py", "exec"), space)

    class Module:
        pass

    module = Module()
    module.__dict__.update(space)
    marks = marks_of(module)
    assert len(marks) == 2
    assert marks[1] is space["f"]
    assert [mark.home for mark in marks] == ["somewhere", "somewhere"]


def test_an_operator_made_inside_a_function_is_not_noted_in_the_module():
    import sys

    before = len(marks_of(sys.modules[__name__]))

    @op
    def local(x):
        """x."""

    assert isinstance(local, Definition)
    assert len(marks_of(sys.modules[__name__])) == before


def test_a_definition_is_copied_and_pickled_by_name():
    assert copy.deepcopy(halve) is halve
    assert copy.copy(halve) is halve
    import gradcheck_cli.ops as F

    assert pickle.loads(pickle.dumps(F.tanh)) is F.tanh
