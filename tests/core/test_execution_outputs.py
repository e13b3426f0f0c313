"""Cotangents of outputs that nobody uses, and of those that have none."""

import numpy as np
import pytest

from gradcheck_cli import Variable, op
from gradcheck_cli.errors import OperatorError

A = np.array([1.0, -2.0, 3.0])


def test_a_cotangent_of_an_integer_output_is_an_error():
    @op(outputs="best where")
    def top(x):
        """The largest element and its place."""
        return x.max(), x.argmax()

    @top.backward
    def _(g_best, g_where, x):
        return np.where(x == x.max(), g_best, 0.0)

    best, where = top(Variable(A))
    assert not where.requires_grad
    with pytest.raises(OperatorError, match="asks for 'g_where', but that output is int64"):
        best.backward()


def test_unused_outputs_come_as_zeros_in_their_own_shape_and_dtype():
    seen = []

    @op(outputs="first second")
    def both(x):
        """x and its sum in two dtypes."""
        return x, x.sum().astype(np.float32)

    @both.backward
    def _(g_first, g_second):
        seen.append((g_second.shape, g_second.dtype, g_second.item()))
        return g_first

    first, _ = both(Variable(A))
    first.backward(A)
    assert seen == [((), np.float32, 0.0)]
