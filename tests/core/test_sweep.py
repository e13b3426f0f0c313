"""The backward sweep: order, accumulation, cost, and what it leaves alone."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli import Variable, op
from gradcheck_cli.core import execution
from gradcheck_cli.core.sweep import sweep

calls = []


@op
def add(x, y):
    """x + y."""
    return x + y


@add.backward
def _(g):
    calls.append("add")
    return g, g


@op
def multiply(x, y):
    """x * y."""
    return x * y


@multiply.backward
def _(g, x, y):
    calls.append("multiply")
    return g * y, g * x


@op
def step(x):
    """x + 1, whose gradient is the cotangent itself."""
    return x + 1.0


@step.backward
def _(g):
    return g


@op(outputs="low high")
def halves(x):
    """Both halves of x."""
    middle = len(x) // 2
    return x[:middle], x[middle:]


@halves.backward
def _(g_low, g_high):
    return np.concatenate([g_low, g_high])


def test_each_node_runs_once_after_all_of_its_consumers():
    x = Variable(1.0)
    calls.clear()
    shared = add(x, x)
    out = add(add(shared, shared), add(shared, 1.0))
    gradients = sweep([(out, np.array(1.0))])
    assert len(calls) == 4
    assert gradients[x] == 6.0


def test_a_diamond_of_depth_40_visits_each_node_once():
    """By paths there would be 2^40 visits."""
    visited = []

    class Counting(execution.Execution):
        def backward(self, node, cotangents):
            visited.append(node)
            return super().backward(node, cotangents)

    x = Variable(1.0)
    y = x
    for _ in range(40):
        y = add(y, y)
    with execution.using(Counting()):
        gradients = sweep([(y, np.array(1.0))])
    assert gradients[x] == 2.0**40
    assert len(visited) == len(set(visited)) == 40


def test_a_diamond_with_unequal_arms_is_right():
    x = Variable(3.0)
    short = multiply(x, x)
    long = step(step(step(multiply(short, x))))
    out = add(multiply(short, long), x)
    # x**2 * (x**3 + 3) + x
    assert sweep([(out, np.array(1.0))])[x] == 5 * 3.0**4 + 6 * 3.0 + 1


def test_a_chain_of_100000_nodes_runs_and_is_freed_without_recursion():
    program = """
import sys, numpy as np
from gradcheck_cli import Variable, op
@op
def step(x):
    "x + 1."
    return x + 1.0
@step.backward
def _(g):
    return g
x = Variable(0.0)
y = x
for _ in range(100_000):
    y = step(y)
assert y.item() == 100_000
y.backward()
assert x.grad == 1.0
limit = sys.getrecursionlimit()
del y
assert limit == sys.getrecursionlimit()
print("freed")
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, "freed\n"), ended.stderr


def test_contributions_are_summed_out_of_place():
    x = Variable(np.ones(3))
    g = np.array([1.0, 2.0, 3.0])
    out = add(step(x), step(x))
    gradient = sweep([(out, g)])[x]
    assert gradient.tolist() == [2.0, 4.0, 6.0]
    assert g.tolist() == [1.0, 2.0, 3.0]


def test_gradients_are_the_callers_own_arrays():
    x, y = Variable(np.ones(2)), Variable(np.ones(2))
    g = np.ones(2)
    gradients = sweep([(add(x, y), g)])
    gradients[x] += 5.0
    assert gradients[y].tolist() == g.tolist() == [1.0, 1.0]


def test_sums_of_numbers_stay_arrays():
    seen = []

    @op
    def watched(x):
        """x, looking at its cotangent."""
        return x * 1.0

    @watched.backward
    def _(g):
        seen.append(type(g))
        return g

    x = Variable(2.0)
    y = watched(x)
    gradients = sweep([(add(add(y, y), y), np.array(1.0))])
    assert seen == [np.ndarray]
    assert type(gradients[x]) is np.ndarray
    assert gradients[x] == 3.0


def test_several_roots_flow_in_one_sweep():
    x = Variable(2.0)
    middle = multiply(x, x)
    out = multiply(middle, x)
    calls.clear()
    gradients = sweep([(middle, np.array(10.0)), (out, np.array(1.0)), (x, np.array(100.0))])
    assert len(calls) == 2, "a root that another one needs waits for it"
    assert gradients[x] == 3 * 4.0 + 10 * 4.0 + 100.0


def test_one_root_given_twice_counts_twice():
    x = Variable(2.0)
    out = multiply(x, x)
    assert sweep([(out, np.array(1.0)), (out, np.array(2.0))])[x] == 12.0


def test_roots_without_a_gradient_flow_nowhere():
    assert sweep([(Variable(1.0, requires_grad=False), np.array(1.0))]) == {}
    assert sweep([]) == {}


@pytest.mark.parametrize(("used", "expected"), [(0, [1, 1, 0, 0]), (1, [0, 0, 1, 1])], ids=["first", "second"])
def test_an_unused_output_gets_zeros(used, expected):
    x = Variable(np.arange(4.0))
    out = halves(x)[used]
    assert sweep([(out, np.ones(2))])[x].tolist() == expected


def test_outputs_of_one_node_meet_again():
    x = Variable(np.arange(4.0))
    low, high = halves(x)
    assert sweep([(multiply(low, high), np.ones(2))])[x].tolist() == [2.0, 3.0, 0.0, 1.0]


def test_a_failing_backward_leaves_all_gradients_as_they_were():
    @op
    def broken(x):
        """x."""
        return x * 1.0

    @broken.backward
    def _(g):
        raise RuntimeError("no")

    x, y = Variable(1.0), Variable(2.0)
    x.grad = np.array(7.0)
    with pytest.raises(Exception, match="no"):
        add(multiply(x, y), broken(y)).backward()
    assert x.grad == 7.0
    assert y.grad is None


def test_a_long_sum_over_one_leaf_counts_every_term():
    x = Variable(np.ones(2))
    total = x
    for _ in range(8000):
        total = add(total, x)
    assert sweep([(total, np.ones(2))])[x].tolist() == [8001.0] * 2


@given(st.lists(st.tuples(st.sampled_from(["add", "multiply"]), st.integers(0, 99), st.integers(0, 99)), max_size=25))
def test_any_graph_agrees_with_derivatives_carried_forward(program):
    """Each value carries its derivative for each leaf along; the sweep must find the same sums of paths."""
    start = [0.5, -1.5, 2.0]
    leaves = [Variable(value) for value in start]
    values = list(leaves)
    derivatives = list(np.eye(3))
    for name, left, right in program:
        a, b = left % len(values), right % len(values)
        da, db = derivatives[a], derivatives[b]
        if name == "add":
            values.append(add(values[a], values[b]))
            derivatives.append(da + db)
        else:
            derivatives.append(da * values[b].data + db * values[a].data)
            values.append(multiply(values[a], values[b]))
        if abs(values[-1].data) > 1e6:
            break
    gradients = sweep([(values[-1], np.array(1.0))])
    found = [gradients.get(leaf, 0.0) for leaf in leaves]
    assert np.allclose(found, derivatives[-1], rtol=1e-9, atol=1e-12)
