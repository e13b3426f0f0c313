"""Calling operators: read-only arrays, the second call on copies, and who is named when something is wrong."""

import numpy as np
import pytest

from gradcheck_cli import Variable, keep, op
from gradcheck_cli.core import execution
from gradcheck_cli.core.execution import Execution, using
from gradcheck_cli.errors import ContractViolation, OperatorError

A = np.array([1.0, -2.0, 3.0])


def identity(forward=None, backward=None, **options):
    """An operator `twice` with the given forward or backward, else right ones."""

    def twice(x):
        """2 * x."""
        return forward(x) if forward else 2 * x

    made = op(**options)(twice)
    made.backward(backward or (lambda g: 2 * g))
    return made


def run(made, array=A):
    x = Variable(array.copy())
    out = made(x)
    out.backward(np.ones(out.shape))
    return x


# Forward


def test_a_forward_gets_read_only_views_and_the_users_array_stays_writable():
    seen = []

    def forward(x):
        seen.append(x)
        return 2 * x

    x = run(identity(forward))
    assert not seen[0].flags.writeable
    assert np.shares_memory(seen[0], x.data)
    assert x.data.flags.writeable


def test_a_forward_that_writes_to_its_input_is_named():
    def forward(x):
        x *= 2
        return x

    with pytest.raises(
        ContractViolation, match=r"test_execution\.py:\d+: error: twice: its forward writes to x"
    ) as error:
        run(identity(forward))
    assert error.value.finding == "input-modified"
    assert "x = x.copy()" in str(error.value)


def test_a_variadic_input_that_is_written_to_is_named_by_its_place():
    @op
    def total(*xs):
        """The sum of all."""
        xs[1][0] = 0.0
        return sum(xs)

    total.backward(lambda g, xs: [g for _ in xs])
    with pytest.raises(ContractViolation, match=r"its forward writes to xs\[1\]"):
        total(Variable(A), A.copy(), A)


def test_a_forward_that_needs_a_writable_buffer_is_right():
    calls = []

    def forward(x):
        calls.append(x.flags.writeable)
        if not x.flags.writeable:
            raise ValueError("buffer source array is read-only")
        return 2 * x

    assert run(identity(forward)).grad.tolist() == [2, 2, 2]
    assert calls == [False, True]


def test_a_forward_that_writes_and_then_fails_is_told_about_the_writing():
    def forward(x):
        x[0] = 0.0
        raise KeyError("other")

    with pytest.raises(ContractViolation, match="writes to x"):
        run(identity(forward))


def test_a_forward_that_raises_is_an_error_at_its_own_line():
    def forward(x):
        return np.reshape(x, (7, 7))

    with pytest.raises(OperatorError) as error:
        run(identity(forward))
    text = str(error.value)
    assert "error: forward of twice raised ValueError: cannot reshape array of size 3 into shape (7,7)" in text
    assert "[operator-raised]" in text
    assert "return np.reshape(x, (7, 7))" in text
    assert isinstance(error.value.__cause__, ValueError)


def test_an_exception_without_a_text_and_one_over_several_lines_take_one_line():
    def silent(x):
        raise RuntimeError

    def chatty(x):
        raise RuntimeError("one\ntwo")

    with pytest.raises(OperatorError, match="RuntimeError: no message"):
        run(identity(silent))
    with pytest.raises(OperatorError) as error:
        run(identity(chatty))
    assert r"one\ntwo" in str(error.value)


def test_an_operator_can_not_end_the_program():
    def forward(x):
        raise SystemExit(3)

    with pytest.raises(OperatorError, match="raised SystemExit: 3"):
        run(identity(forward))


def test_a_wrong_call_of_another_operator_inside_a_forward_keeps_its_own_words():
    inner = identity(lambda x: x[10])

    with pytest.raises(OperatorError, match="forward of twice raised IndexError") as error:
        run(identity(lambda x: inner(Variable(x)).data))
    assert "OperatorError" not in str(error.value)


def test_an_interrupt_passes_through():
    def forward(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(identity(forward))


# Backward


def test_a_backward_gets_read_only_views():
    seen = {}

    @op
    def square(x, *, scale=1.0):
        """scale * x**2."""
        return keep(scale * x * x, parts=[x + 0.0], both=(x, x), table={"a": x + 0.0})

    @square.backward
    def _(g, x, out, parts, both, table, scale):
        seen.update(g=g, x=x, out=out, parts=parts[0], both=both[0], table=table["a"])
        return 2 * scale * g * x

    run(square)
    assert {name: array.flags.writeable for name, array in seen.items()} == dict.fromkeys(seen, False)


@pytest.mark.parametrize("name", ["g", "x", "out", "parts"])
def test_a_backward_that_writes_to_what_it_was_given_is_named(name):
    @op
    def square(x):
        """x**2."""
        return keep(x * x, parts=[x + 0.0])

    @square.backward
    def _(g, x, out, parts):
        given = {"g": g, "x": x, "out": out, "parts": parts[0]}
        given[name] *= 2
        return 2 * g * x

    with pytest.raises(ContractViolation, match=f"square: its backward writes to {name}") as error:
        run(square)
    assert error.value.finding == "input-modified"
    # The right twin, which works on copies.
    assert run(identity(backward=lambda g: np.multiply(g.copy(), 2))).grad.tolist() == [2, 2, 2]


def test_a_backward_that_needs_a_writable_buffer_is_right():
    def backward(g):
        if not g.flags.writeable:
            raise ValueError("buffer source array is read-only")
        return 2 * g

    assert run(identity(backward=backward)).grad.tolist() == [2, 2, 2]


def test_a_backward_that_raises_is_an_error_at_its_own_line():
    with pytest.raises(
        OperatorError, match=r"test_execution\.py:\d+: error: backward of twice raised ZeroDivisionError"
    ):
        run(identity(backward=lambda g: 1 // 0))


def test_nan_in_an_array_is_no_writing():
    x = Variable(np.array([np.nan, 1.0]))
    calls = []

    @op
    def same(x):
        """x."""
        calls.append(x)
        if len(calls) == 1:
            raise ValueError("first time only")
        return x * 1.0

    same.backward(lambda g: g)
    assert np.isnan(same(x).data[0])


def test_an_output_that_is_a_view_of_the_input_keeps_the_users_array_writable():
    @op
    def flat(x):
        """x as it is."""
        return x

    flat.backward(lambda g: g)
    x = Variable(A.copy())
    y = flat(x)
    assert np.shares_memory(y.data, x.data)
    assert x.data.flags.writeable
    y.backward(A)
    assert x.grad.tolist() == A.tolist()
    assert not np.shares_memory(x.grad, A)


# Which execution runs


def test_another_execution_runs_inside_using_only():
    class Counting(Execution):
        calls = 0

        def forward(self, operator, arrays, attributes):
            self.calls += 1
            return super().forward(operator, arrays, attributes)

        def rule(self, node, rule, values):
            self.calls += 10
            return super().rule(node, rule, values)

    counting, plain = Counting(), execution.current()
    with using(counting):
        run(identity())
        assert execution.current() is counting
    run(identity())
    assert counting.calls == 11
    with pytest.raises(ZeroDivisionError), using(counting):
        raise ZeroDivisionError
    assert execution.current() is plain


@pytest.mark.parametrize("attentive", [False, True])
def test_only_an_attentive_execution_hears_of_every_node(attentive):
    heard = []

    class Listening(Execution):
        def recorded(self, node, arrays, attributes, outputs, kept):
            heard.append((node.operator.name, len(arrays), outputs[0].shape))

    listening = Listening()
    listening.attentive = attentive
    with using(listening):
        run(identity())
        identity()(Variable(A, requires_grad=False))
    assert heard == ([("twice", 1, (3,))] if attentive else [])
