"""Variables: what they hold, gradients on leaves, copies, and what the graph keeps alive."""

import copy
import pickle
import weakref

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, no_grad, op
from gradcheck_cli.core.recording import is_recording

A = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
B = np.array([[2.0, 0.5, -1.0], [3.0, 1.5, 2.5]])


# What a Variable holds


def test_a_variable_shares_the_array_it_is_given():
    array = np.zeros(3)
    variable = Variable(array, name="w")
    array[0] = 5.0
    assert variable.data is array
    assert variable.name == "w"
    assert variable.grad is None
    assert variable.creator is None
    assert variable.requires_grad


def test_numbers_and_integers_become_floats_where_a_gradient_is_wanted():
    assert Variable(3).dtype == np.float64
    assert Variable([1, 2]).dtype == np.float64
    assert Variable(np.ones(2, dtype=np.float32)).dtype == np.float32
    assert Variable([1, 2], requires_grad=False).dtype.kind == "i"
    assert Variable([True], requires_grad=False).dtype == bool


@pytest.mark.parametrize("data", [1j, "text", [None], np.array([object()])], ids=["complex", "text", "none", "object"])
def test_a_variable_holds_real_numbers_only(data):
    with pytest.raises(TypeError, match="real numbers"):
        Variable(data)


def test_shape_properties_are_those_of_the_array():
    variable = Variable(A)
    assert (variable.shape, variable.ndim, variable.size, len(variable)) == ((2, 3), 2, 6, 2)
    assert variable.T.shape == (3, 2)


def test_item_and_conversions_take_one_number():
    variable = Variable([[2.5]])
    assert variable.item() == float(variable) == 2.5
    assert int(variable) == 2
    assert f"{variable:.2f}" == "2.50"
    for convert in (Variable.item, float, int, "{:.1f}".format):
        with pytest.raises(ValueError, match="size 1"):
            convert(Variable(A))


def test_repr_shows_values_name_and_flag():
    assert repr(Variable([1.0, 2.0], name="w")) == "Variable([1., 2.], name='w')"
    assert "requires_grad=False" in repr(Variable(1.0, requires_grad=False))
    assert f"{Variable([1.0])}" == str(Variable([1.0]))


def test_a_variable_is_hashable_by_identity():
    first, second = Variable(1.0), Variable(1.0)
    assert len({first, second, first}) == 2
    assert {first: "a"}[first] == "a"


def test_setting_an_unknown_attribute_is_refused():
    with pytest.raises(AttributeError):
        Variable(1.0).gard = None


def test_an_unknown_method_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute or operator 'cumulate'"):
        Variable(1.0).cumulate()
    assert not hasattr(Variable(1.0), "activations"), "submodules of the operators are none"
    assert not hasattr(Variable(1.0), "_private")


# Gradients on leaves


def test_branches_sum():
    x = Variable(3.0)
    y = x + x * x
    y.backward()
    assert y.item() == 12.0
    assert x.grad == 7.0


def test_the_worked_example():
    x, w, b = Variable(0.5), Variable(1.2), Variable(-0.3)
    loss = (F.sigmoid(x * w + b) - 0.8) ** 2
    loss.backward()
    found = [loss.item(), w.grad.item(), x.grad.item(), b.grad.item()]
    assert found == pytest.approx([0.050876, -0.055139, -0.132335, -0.110279], abs=1e-6)


def test_backward_twice_adds_and_zero_grad_forgets():
    x = Variable(A)
    loss = (x * x).sum()
    loss.backward()
    loss.backward()
    assert np.array_equal(x.grad, 4 * A)
    x.zero_grad()
    assert x.grad is None
    loss.backward()
    assert np.array_equal(x.grad, 2 * A)


def test_a_gradient_obtained_earlier_never_changes():
    x = Variable(A)
    loss = (x * x).sum()
    loss.backward()
    first = x.grad
    kept = first.copy()
    loss.backward()
    assert np.array_equal(first, kept)
    assert x.grad is not first


def test_two_leaves_never_share_a_gradient_array():
    x, y = Variable(A), Variable(B)
    g = np.ones_like(A)
    (x + y).backward(g)
    x.grad += 1.0
    assert np.array_equal(y.grad, g)
    assert np.array_equal(g, np.ones_like(A))


def test_gradients_of_scalars_are_arrays():
    x = Variable(2.0)
    for _ in range(2):
        (x * x + x * 3.0).backward()
        assert isinstance(x.grad, np.ndarray)
    assert x.grad == 14.0


def test_only_leaves_keep_a_gradient():
    x = Variable(A)
    middle = x * 2.0
    (middle * middle).sum().backward()
    assert middle.grad is None
    assert np.array_equal(x.grad, 8 * A)


def test_backward_of_a_leaf_is_its_cotangent():
    x = Variable(A)
    x.backward(B)
    assert np.array_equal(x.grad, B)
    x.grad[0, 0] = 99.0
    assert B[0, 0] == 2.0


def test_a_cotangent_is_needed_for_several_numbers_and_has_their_shape():
    x = Variable(A)
    y = x * 2.0
    with pytest.raises(ValueError, match=r"shape \(2, 3\) needs a cotangent: backward\(g\)"):
        y.backward()
    with pytest.raises(ValueError, match=r"the cotangent has shape \(3,\), the value \(2, 3\)"):
        y.backward(np.ones(3))
    y.backward(Variable(B))
    assert np.array_equal(x.grad, 2 * B)


def test_one_number_in_any_shape_needs_no_cotangent():
    x = Variable([[3.0]])
    (x * x).backward()
    assert x.grad.tolist() == [[6.0]]


def test_a_value_that_was_not_recorded_has_no_backward():
    with pytest.raises(ValueError, match="nothing to differentiate"):
        Variable(1.0, requires_grad=False).backward()
    with pytest.raises(ValueError, match="nothing to differentiate"):
        (Variable(1.0, requires_grad=False) * 2.0).backward()


def test_no_grad_records_nothing_and_ends_after_an_exception():
    x = Variable(2.0)
    with no_grad():
        assert not is_recording()
        y = x * x
        with no_grad():
            pass
        assert not is_recording()
    assert y.creator is None
    assert not y.requires_grad
    with pytest.raises(ZeroDivisionError), no_grad():
        raise ZeroDivisionError
    assert is_recording()
    assert (x * x).requires_grad


def test_detach_stops_the_gradient():
    x = Variable(3.0)
    (x * x.detach()).backward()
    assert x.grad == 3.0


def test_a_constant_gets_no_gradient():
    x, c = Variable(A), Variable(B, requires_grad=False)
    (x * c).sum().backward()
    assert c.grad is None
    assert np.array_equal(x.grad, B)


def test_the_users_array_stays_writable_and_training_in_place_works():
    x = Variable(np.array([4.0]))
    for _ in range(60):
        x.zero_grad()
        (x * x).sum().backward()
        x.data -= 0.2 * x.grad
    assert x.data.flags.writeable
    assert abs(x.data[0]) < 1e-9


def test_data_replaced_by_a_bare_number_goes_on_working():
    w = Variable(np.array(4.0))
    for _ in range(60):
        w.zero_grad()
        (w * w).backward()
        w.data = w.data - 0.2 * w.grad
        assert isinstance(w.grad, np.ndarray)
    assert abs(w.data) < 1e-9


# Copies


def test_a_leaf_is_copied_and_pickled_with_its_gradient():
    x = Variable(A.copy(), name="w")
    (x * x).sum().backward()
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert (other.name, other.requires_grad) == ("w", True)
        assert np.array_equal(other.data, x.data)
        assert np.array_equal(other.grad, x.grad)
        other.data[0, 0] = 99.0
        assert x.data[0, 0] == 1.0
    assert copy.copy(x).data is x.data
    assert not copy.deepcopy(Variable([1], requires_grad=False)).requires_grad


def test_a_recorded_value_is_neither_copied_nor_pickled():
    y = Variable(A) * 2.0
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"use \.detach\(\)"):
            make(y)
    assert np.array_equal(copy.deepcopy(y.detach()).data, 2 * A)


def test_a_half_made_variable_does_not_recurse():
    with pytest.raises(AttributeError):
        Variable.__new__(Variable).data  # noqa: B018


# What the graph holds on to


def test_no_intermediate_variable_is_kept_alive():
    x = Variable(A)
    middle = F.tanh(x * 2.0)
    gone = weakref.ref(middle)
    out = (middle * middle).sum()
    del middle
    assert gone() is None
    out.backward()
    assert x.grad is not None


def test_the_graph_is_freed_with_its_last_value():
    x = Variable(A)
    out = F.tanh(x)
    gone = weakref.ref(out.data)
    del out
    assert gone() is None


def test_an_operator_of_the_users_works_beside_the_built_in_ones():
    @op
    def cube(x):
        """x**3."""
        return x**3

    @cube.backward
    def _(g, x):
        return 3 * x**2 * g

    x = Variable(A)
    (cube(x) * B).sum().backward()
    assert np.allclose(x.grad, 3 * A**2 * B)
