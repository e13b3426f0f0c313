"""Calls of operators that are refused, dtypes of numbers beside arrays, and what a call costs."""

import numpy as np
import pytest

from gradcheck_cli import Variable, ints, op
from gradcheck_cli.core.operator import Input, Operator, Rule
from gradcheck_cli.errors import OperatorError
from tests.core import operators
from tests.core.operators import A, affine, concatenate, matmul, scored

# What is refused


def test_a_variable_as_an_attribute_is_refused():
    with pytest.raises(OperatorError, match="scored got a Variable as 'scale', which is an attribute"):
        scored(A, scale=Variable(2.0))
    with pytest.raises(OperatorError, match="scored got a Variable as 'scale'"):
        scored(Variable(A), Variable(2.0))
    with pytest.raises(OperatorError, match="concatenate got a Variable as 'axis'"):
        concatenate(A, A, axis=(Variable(1.0),))


def test_wrong_calls_are_operator_errors():
    x = Variable(A)
    for call, message in [
        (lambda: matmul(x), "matmul needs 'b'"),
        (lambda: matmul(x, None), "matmul needs 'b'"),
        (lambda: matmul(x, "text"), "arrays of real numbers: b is <U4"),
        (lambda: matmul(x, 1j), "arrays of real numbers: b is complex128"),
        (lambda: matmul(x, [[1.0], [1.0, 2.0]]), "matmul takes arrays"),
        (lambda: matmul(x, A, A), "matmul takes 2 arguments, got 3"),
        (lambda: scored(x, scales=1.0), "did you mean 'scale'"),
    ]:
        with pytest.raises(OperatorError, match=message):
            call()


def test_a_record_without_a_rule_for_a_needed_input_says_so():
    rule = Rule(lambda g: g, ("x",), ("g",), "somewhere.py", 3)
    operator = Operator("half", lambda x, y: x + y, (Input("x"), Input("y")), rules=(rule,), file="f.py", line=7)
    assert operator(Variable(A), A).requires_grad
    with pytest.raises(OperatorError, match=r"f\.py:7: error: half has no backward for 'y'"):
        operator(Variable(A), Variable(A))


def test_signature_and_location():
    assert scored.operator.signature == "scored(x, *, scale=1.0)"
    assert str(scored.operator.location).startswith(operators.__file__)
    assert matmul.operator.rules[1].location.line > matmul.operator.location.line


# Dtypes


def test_python_numbers_take_the_floating_type_of_the_arrays_beside_them():
    out = affine(Variable(np.ones(2, dtype=np.float32)), 2, 1.5)
    assert out.dtype == np.float32
    assert affine(Variable(np.ones(2)), np.float32(2)).dtype == np.float64
    seen = []

    @op(index=ints("", below=3))
    def row(x, index):
        """One row."""
        seen.append(index.dtype)
        return x[index]

    row.backward(lambda g, x, index: np.eye(len(x))[index][:, None] * g)
    row(Variable(A), 1)
    assert seen[0].kind == "i"
