"""The global generators: given back, and the same before every forward, others before every backward."""

import random

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, check, keep, op
from gradcheck_cli.core.execution import using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.numeric.seeding import SeededExecution


@op
def dropout_by_numpy(x):
    """x with a random half of its elements, from NumPy's global generator."""
    mask = np.random.random_sample(x.shape) < 0.5
    return keep(x * mask, mask=mask)


@dropout_by_numpy.backward
def _(g, mask):
    return g * mask


@op
def dropout_drawn_again(x):
    """x with a random half of its elements, whose backward draws the mask a second time."""
    return x * (np.random.random_sample(x.shape) < 0.5)


@dropout_drawn_again.backward
def _(g):
    return g * (np.random.random_sample(g.shape) < 0.5)


@op
def dropout_by_python(x):
    """x with a random half of its elements, from Python's global generator."""
    mask = np.array([random.random() < 0.5 for _ in range(x.size)]).reshape(x.shape)
    return keep(x * mask, mask=mask)


@dropout_by_python.backward
def _(g, mask):
    return g * mask


@op
def draws(x):
    """Two numbers from each of the global generators."""
    return np.array([*np.random.random_sample(2), random.random(), random.random()]) + 0 * x


@draws.backward
def _(g):
    seen_by_backward.append([*np.random.random_sample(2), random.random(), random.random()])
    return 0 * g


seen_by_backward = []
X = np.linspace(1.0, 2.0, 20)


def state():
    """The next numbers of both generators, which are left as they are."""
    with restored():
        return np.random.random_sample(3).tolist(), [random.random() for _ in range(3)]


@pytest.mark.parametrize("dropout", [dropout_by_numpy, dropout_by_python])
def test_an_operator_that_draws_from_a_global_generator_repeats_and_passes(dropout):
    assert check(dropout, X).verdict == "pass"


def test_a_backward_that_draws_its_mask_again_fails():
    result = check(dropout_drawn_again, X)
    assert result.verdict == "fail"
    assert not result.findings, "the forward is repeatable: the numbers are what fails"


def test_operators_that_draw_stay_repeatable_inside_a_network():
    def network(x):
        return F.mean(dropout_by_numpy(F.tanh(dropout_by_python(x))) ** 2)

    assert check(network, X).verdict == "pass"


def test_two_dropouts_in_one_network_start_from_the_same_state():
    result = check(lambda x: F.sum(dropout_by_numpy(x) * dropout_by_numpy(x)), X)
    assert result.verdict == "pass"


def test_every_forward_starts_from_one_state_and_every_backward_from_another():
    seen_by_backward.clear()
    x = Variable(np.zeros(4))
    with using(SeededExecution()):
        first, second = draws(x), draws(x)
        first.backward(np.ones(4))
        second.backward(np.ones(4))
    np.testing.assert_array_equal(first.data, second.data)
    assert seen_by_backward[0] == seen_by_backward[1]
    assert not set(seen_by_backward[0]) & set(first.data.tolist())


def test_operators_that_were_seen_to_draw_are_remembered():
    watching = SeededExecution()
    x = Variable(np.zeros(4))
    with using(watching):
        watched = draws(x)
        F.tanh(x)
    assert watching.users == {"draws"}
    with restored(), using(SeededExecution(watching.users)):
        np.testing.assert_array_equal(draws(x).data, watched.data)


def test_operators_that_are_not_among_the_users_draw_freely():
    x = Variable(np.zeros(4))
    for users in (set(), {"tanh"}):
        execution = SeededExecution(users)
        with restored(), using(execution):
            assert not np.array_equal(draws(x).data, draws(x).data)
        assert execution.users == users, "given users are all there are"


def test_the_users_that_are_given_stay_as_they_are():
    users = {"tanh"}
    SeededExecution(users).users.add("draws")
    assert users == {"tanh"}


def test_drawing_between_operators_does_not_become_repeatable():
    x = Variable(np.zeros(4))
    with restored(), using(SeededExecution()):
        draws(x)
        first = np.random.random_sample()
        draws(x)
        assert np.random.random_sample() != first


@pytest.mark.parametrize(
    "function",
    [dropout_by_numpy, dropout_drawn_again, draws, lambda x: F.sum(x) * np.random.random_sample(), F.tanh],
    ids=["dropout", "drawn again", "draws", "random function", "none"],
)
def test_a_check_leaves_the_global_generators_as_they_were(function):
    np.random.seed(11)
    random.seed(11)
    before = state()
    check(function, np.ones(4), sample=2)
    assert state() == before


def test_a_check_that_raises_leaves_the_global_generators_as_they_were():
    def broken(x):
        np.random.random_sample()
        raise ZeroDivisionError

    before = state()
    with pytest.raises(ZeroDivisionError):
        check(broken, 1.0)
    assert state() == before


def test_the_state_of_the_users_generators_decides_nothing():
    np.random.seed(1)
    first = check(dropout_by_numpy, X)
    np.random.seed(2)
    second = check(dropout_by_numpy, X)
    assert first.parameters == second.parameters


@op
def one_normal(x):
    """x plus one normal number, which is drawn together with the next one."""
    return x + np.random.standard_normal()


@one_normal.backward
def _(g):
    return g


@pytest.mark.parametrize("before", [0, 1, 2, 3])
def test_a_normal_number_that_waits_is_not_taken_unnoticed(before):
    execution = SeededExecution()
    with restored(), using(execution):
        np.random.standard_normal(before)
        first = one_normal(Variable(1.0)).data
        np.random.standard_normal(before)
        assert one_normal(Variable(1.0)).data == first
    assert execution.users == {"one_normal"}


def test_what_draws_is_called_from_the_state_and_code_between_goes_on():
    np.random.seed(3)
    expected = np.random.random_sample(2).tolist()
    with using(SeededExecution()):
        np.random.seed(3)
        first = np.random.random_sample()
        watched = draws(Variable(np.zeros(4))).data
        F.tanh(Variable(1.0))
        assert [first, np.random.random_sample()] == expected
        np.testing.assert_array_equal(draws(Variable(np.zeros(4))).data, watched)


def test_an_operator_that_raises_after_drawing_leaves_the_generators_as_they_were():
    @op
    def draws_and_raises(x):
        """Nothing."""
        np.random.random_sample()
        raise ZeroDivisionError

    @draws_and_raises.backward
    def _(g):
        return g

    before = state()
    with using(SeededExecution()), pytest.raises(OperatorError):
        draws_and_raises(Variable(1.0))
    assert state() == before
