"""What is ours is called on the arrays themselves, so it must leave them as they are; all other code gets views."""

from dataclasses import replace

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, op
from gradcheck_cli.core.draw import sample_arguments


def test_what_our_operators_return_cannot_be_written_through_to_their_operands():
    x = Variable(np.arange(6.0).reshape(2, 3))
    for out in (F.reshape(x, (3, 2)), F.transpose(x), x[0]):
        with pytest.raises(ValueError, match="read-only"):
            out.data[0] = 1.0
    x.data[0, 0] = 7.0  # a person's own array stays writable
    assert x.data[0, 0] == 7.0


@pytest.mark.parametrize("name", F.__all__)
@pytest.mark.parametrize("seed", [5])
def test_every_operator_of_ours_leaves_its_operands_as_they_are(name, seed):
    operator = getattr(F, name).operator
    assert operator.trusted
    assert all(rule.trusted for rule in operator.rules)
    arguments, attributes = sample_arguments(operator, np.random.default_rng(seed))
    if not operator.inputs[-1].variadic:
        arguments += [None] * (len(operator.inputs) - len(arguments))  # optional ones that are left out
    given = [value if value is None else np.asarray(value) for value in arguments]
    before = [value if value is None else value.copy() for value in given]
    operands = [value if value is None or value.dtype.kind != "f" else Variable(value) for value in given]
    outputs = operator.apply(operands, attributes)
    several = outputs if isinstance(outputs, tuple) else (outputs,)
    for out in (out for out in several if isinstance(out, Variable) and out.requires_grad):
        g = np.ones(out.shape)
        g.setflags(write=False)
        value = out.data.copy()
        out.backward(g)
        np.testing.assert_array_equal(out.data, value)
    for old, new in zip(before, given, strict=True):
        np.testing.assert_array_equal(old, new)


def test_code_that_is_not_ours_is_not_trusted():
    @op
    def mine(x):
        """x."""
        return x + 1

    @mine.backward
    def _(g):
        return g

    assert not mine.operator.trusted
    assert not mine.operator.rules[0].trusted
    replaced = replace(F.tanh.operator, forward=np.tanh)
    assert not replaced.trusted
