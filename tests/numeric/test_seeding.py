"""The global generators: given back, and the same before every forward, others before every backward."""

import random
import subprocess
import sys

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, check, keep, op
from gradcheck_cli.core.execution import using
from gradcheck_cli.core.operator import Input, Operator
from gradcheck_cli.numeric.seeding import GlobalState, SeededExecution, restored


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


@pytest.mark.parametrize("draw", [random.random, np.random.random_sample, np.random.standard_normal])
def test_a_state_tells_whether_a_generator_was_used(draw):
    with restored():
        draw()  # in the middle of a block of numbers only the position changes
        before = GlobalState()
        assert not before.moved()
        draw()
        assert before.moved()
        before.restore()
        assert not before.moved()


def test_a_seeded_state_leaves_the_generators_alone_until_it_is_restored():
    before = state()
    seeded = GlobalState.seeded(5)
    assert state() == before
    with restored():
        seeded.restore()
        from_seed = np.random.random_sample()
        np.random.seed(5)
        assert np.random.random_sample() == from_seed


def test_generators_of_pytorch_are_seeded_noted_and_given_back():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.manual_seed(11)
    before = torch.get_rng_state()
    state = GlobalState.seeded(5)
    assert state.complete
    assert torch.equal(torch.get_rng_state(), before)
    with restored():
        state.restore()
        first = torch.rand(3)
        assert state.moved()
        state.restore()
        assert not state.moved()
        assert torch.equal(torch.rand(3), first)
    assert torch.equal(torch.get_rng_state(), before)


def test_pytorch_that_is_imported_later_is_seeded_from_then_on(monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    import torch

    def from_torch(x):
        return x * torch.rand(x.shape, dtype=torch.float64).numpy()

    with monkeypatch.context() as patched:
        patched.delitem(sys.modules, "torch")
        execution = SeededExecution()
    operator = Operator("from_torch", from_torch, (Input("x"),))
    first, again = (execution.forward(operator, [np.ones(4)], {})[0][0] for _ in range(2))
    assert np.array_equal(first, again)
    assert execution.users == {"from_torch"}


def test_seeding_never_imports_pytorch():
    program = "import sys; from gradcheck_cli.numeric.seeding import GlobalState; GlobalState.seeded(1).restore()"
    command = [sys.executable, "-c", f"{program}; print('torch' in sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "False", done.stderr
