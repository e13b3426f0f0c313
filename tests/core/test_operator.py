"""Applying operators: plain calls, recording, and doing only what the needed gradients ask for."""

import numpy as np
import pytest

from gradcheck_cli import Variable, arr, ints, keep, mask, no_grad, op
from gradcheck_cli.errors import OperatorError
from tests.core.operators import A, affine, concatenate, matmul, ran, scored

# The plain function


def test_called_with_arrays_an_operator_is_the_plain_function():
    assert isinstance(matmul(A, A.T), np.ndarray)
    assert affine(2.0, 3.0) == 6.0
    loss, probs = scored(A)
    assert loss == (A * A).sum()
    assert np.array_equal(probs, A * A)
    assert np.array_equal(concatenate(A, A, axis=1), np.concatenate([A, A], axis=1))


def test_one_kept_output_comes_alone():
    @op
    def doubled(x):
        """2 * x."""
        return keep(2 * x, x2=2)

    assert doubled(3.0) == 6.0


def test_a_plain_call_takes_what_a_recorded_one_takes():
    for a in (A, Variable(A)):
        value = concatenate([a, a], axis=1)
        assert np.array_equal(value.data if isinstance(value, Variable) else value, np.concatenate([A, A], axis=1))
        value = concatenate((a, a), 1)
        assert value.shape == (2, 6)
        assert scored(a, 2.0)[0] == 2 * (A * A).sum()


# Recording


def test_a_mixed_call_takes_arrays_and_numbers_as_constants():
    x = Variable(A)
    out = affine(x, A, 1)
    assert out.creator.parents == [x, None, None]
    out.backward(A)
    assert np.array_equal(x.grad, A * A)


def test_only_the_needed_rules_run_and_save():
    a, b = Variable(A), Variable(A.T.copy())
    out = matmul(a, A.T)
    assert set(out.creator.saved) == {"b"}
    ran.clear()
    out.backward(np.ones((2, 2)))
    assert ran == ["a"]
    out = matmul(A, b)
    assert set(out.creator.saved) == {"a"}
    ran.clear()
    out.backward(np.ones((2, 2)))
    assert ran == ["b"]
    ran.clear()
    out = matmul(a, b)
    out.backward(np.ones((2, 2)))
    assert sorted(ran) == ["a", "b"]


def test_nothing_is_recorded_where_no_gradient_is_needed():
    constant = Variable(A, requires_grad=False)
    out = matmul(constant, A.T)
    assert (out.creator, out.requires_grad) == (None, False)
    with no_grad():
        assert matmul(Variable(A), A.T).creator is None


def test_a_constant_subgraph_beside_a_recorded_one_is_not_visited():
    ran.clear()
    constant = matmul(Variable(A, requires_grad=False), A.T)
    x = Variable(np.ones((2, 2)))
    affine(x, constant).backward(np.ones((2, 2)))
    assert ran == []
    assert np.array_equal(x.grad, A @ A.T)


@pytest.mark.parametrize("domain", [arr(nondiff=True), ints("n", below=2), mask("n")], ids=["nondiff", "ints", "mask"])
def test_inputs_that_are_declared_so_have_no_slot(domain):
    @op(index=domain)
    def picked(x, index):
        """x, whatever index is."""
        return x * 1.0

    picked.backward(lambda g: g)
    x, index = Variable(A), Variable(np.array([0.0, 1.0]))
    out = picked(x, index)
    assert out.creator.parents == [x, None]
    out.backward(A)
    assert np.array_equal(x.grad, A)
    assert index.grad is None
    assert picked(A, index).creator is None


def test_an_optional_input_keeps_its_slot():
    x, w, b = Variable(A), Variable(2 * A), Variable(np.zeros_like(A))
    affine(x, w).backward(np.ones_like(A))
    assert np.array_equal(w.grad, A)
    affine(x, w, b).backward(A)
    assert np.array_equal(b.grad, A)
    affine(x, w, b=b).backward(A)
    assert np.array_equal(b.grad, 2 * A)


def test_several_outputs_and_kept_values():
    x = Variable(A)
    loss, probs = scored(x, scale=3.0)
    loss.backward()
    assert np.array_equal(x.grad, 6 * A)
    x.zero_grad()
    probs.backward(np.ones_like(A))
    assert np.array_equal(x.grad, 2 * A)


def test_integer_outputs_are_constants():
    @op(outputs="best where")
    def top(x):
        """The largest element and its place."""
        return x.max(), x.argmax()

    @top.backward
    def _(g_best, x):
        return np.where(x == x.max(), g_best, 0.0)

    x = Variable(A)
    best, where = top(x)
    assert best.requires_grad
    assert (where.requires_grad, where.creator) == (False, None)
    best.backward()
    assert x.grad.sum() == x.grad[1, 1] == 1.0


def test_an_operator_whose_outputs_are_all_integers_records_nothing():
    @op
    def signs(x):
        """Where x is positive."""
        return x > 0

    signs.backward(lambda g: g)
    assert signs(Variable(A)).creator is None


def test_a_variadic_operator_has_a_slot_for_each_array():
    x, y = Variable(A), Variable(2 * A)
    out = concatenate(x, A, y, axis=1)
    assert out.creator.parents == [x, None, y]
    out.backward(np.arange(18.0).reshape(2, 9))
    assert np.array_equal(x.grad, [[0, 1, 2], [9, 10, 11]])
    assert np.array_equal(y.grad, [[6, 7, 8], [15, 16, 17]])
    operator = concatenate.operator
    assert [operator.slot_name(slot) for slot in (0, 2)] == ["xs[0]", "xs[2]"]
    assert operator.input_at(5).name == "xs"


def test_a_rule_for_several_inputs_returns_them_in_the_order_it_names():
    @op
    def blend(x, y, z):
        """x + 2 * y + 3 * z."""
        return x + 2 * y + 3 * z

    @blend.backward("z", "x")
    def _(g):
        return 3 * g, g

    @blend.backward("y")
    def _(g):
        return 2 * g

    x, y, z = (Variable(A) for _ in range(3))
    blend(x, y, z).backward(np.ones_like(A))
    assert [leaf.grad[0, 0] for leaf in (x, y, z)] == [1.0, 2.0, 3.0]


def test_the_cotangent_of_one_named_output_goes_by_both_names():
    @op(outputs="loss")
    def total(x):
        """The sum."""
        return x.sum()

    @total.backward
    def _(g_loss, x):
        return np.full_like(x, g_loss)

    x = Variable(A)
    total(x).backward()
    assert np.array_equal(x.grad, np.ones_like(A))


def test_a_value_kept_on_one_path_only_is_an_error_on_the_other():
    @op
    def moody(x):
        """2 * x."""
        return keep(2 * x, factor=2) if x[0] > 0 else 2 * x

    @moody.backward
    def _(g, factor):
        return factor * g

    x = Variable([1.0])
    moody(x).backward()
    assert x.grad == 2.0
    with pytest.raises(OperatorError, match=r"the forward of moody kept no 'factor'.*\n.*\n?.*on every path"):
        moody(Variable([-1.0]))
