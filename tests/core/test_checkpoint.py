"""Recomputation: the same gradients, fewer bytes kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, assert_gradients, check, checkpoint, no_grad
from gradcheck_cli.core.node import Node

RNG = np.random.default_rng(0)
X, W, V = RNG.normal(size=(40, 5)), RNG.normal(size=(5, 60)), RNG.normal(size=(60, 3))


def network(x: Any, w: Any, v: Any) -> Any:
    return F.tanh(F.tanh(x @ w) @ v)


def gone_back(function: Any, *arrays: Any) -> tuple[Variable, list[Variable]]:
    leaves = [Variable(array) for array in arrays]
    out = function(*leaves)
    out.backward(np.cos(np.arange(out.data.size)).reshape(out.shape))
    return out, leaves


def kept(out: Variable) -> int:
    """Count the bytes of all arrays that the graph of a value keeps, each once, without its leaves."""
    seen: dict[int, Any] = {}
    todo, leaves = [out.creator], set()
    while todo:
        node = todo.pop()
        if not isinstance(node, Node):
            continue
        seen |= {id(value): value for value in node.values if isinstance(value, np.ndarray)}
        for parent in node.parents:
            if isinstance(parent, Variable):
                leaves.add(id(parent.data))
            elif parent is not None:
                todo.append(parent[0])
    return sum(value.nbytes for key, value in seen.items() if key not in leaves)


def test_gradients_are_those_without_recomputation_to_the_bit() -> None:
    plain, saved = gone_back(network, X, W, V), gone_back(lambda *xs: checkpoint(network, *xs), X, W, V)
    np.testing.assert_array_equal(plain[0].data, saved[0].data)
    for ours, theirs in zip(plain[1], saved[1], strict=True):
        np.testing.assert_array_equal(ours.grad, theirs.grad)


def test_nothing_but_the_arguments_is_kept() -> None:
    plain, _ = gone_back(network, X, W, V)
    saved, _ = gone_back(lambda *xs: checkpoint(network, *xs), X, W, V)
    assert kept(plain) == 8 * (40 * 60 + 40 * 3)
    assert kept(saved) == 0


def test_a_chain_of_checkpoints_keeps_what_stands_between_them() -> None:
    def chain(x: Any, *, saving: bool) -> Any:
        for _ in range(6):
            x = checkpoint(lambda y: F.sin(F.exp(F.tanh(y))), x) if saving else F.sin(F.exp(F.tanh(x)))
        return x

    plain, leaves = gone_back(lambda x: chain(x, saving=False), X)
    saved, others = gone_back(lambda x: chain(x, saving=True), X)
    np.testing.assert_array_equal(leaves[0].grad, others[0].grad)
    assert kept(saved) < kept(plain) / 2


def test_the_function_is_evaluated_again_in_the_backward_and_only_there() -> None:
    calls = []

    def noted(x: Any) -> Any:
        calls.append(1)
        return F.tanh(x)

    leaf = Variable(X)
    out = checkpoint(noted, leaf)
    assert len(calls) == 1
    out.backward(np.ones(X.shape))
    assert len(calls) == 2
    with no_grad():
        assert checkpoint(noted, leaf).creator is None


def test_constants_and_integers_have_no_gradient() -> None:
    labels = np.arange(40) % 3
    leaf = Variable(X[:, :3])
    checkpoint(lambda x, target, scale: F.cross_entropy(x * scale, target), leaf, labels, np.array(2.0)).backward()
    known = Variable(X[:, :3])
    F.cross_entropy(known * np.array(2.0), labels).backward()
    assert leaf.grad is not None
    np.testing.assert_array_equal(leaf.grad, known.grad)


def test_a_checked_function_may_recompute() -> None:
    assert_gradients(lambda x, w, v: F.sum(checkpoint(network, x, w, v)), {"x": X[:4], "w": W, "v": V})


def test_a_wrong_backward_inside_is_caught() -> None:
    from gradcheck_cli import op

    @op
    def wrong(x):
        """2 x."""
        return 2 * x

    @wrong.backward
    def _(g):
        return -2 * g

    result = check(lambda x: F.sum(checkpoint(lambda y: wrong(F.tanh(y)), x)), {"x": X[:2]})
    assert str(result.verdict) == "fail"
    assert [finding.name for finding in result.parameters[0].findings] == ["sign-flipped"]


@pytest.mark.parametrize("function", [lambda x: (x, x), lambda x: [x]])
def test_several_values_are_refused(function: Any) -> None:
    with pytest.raises(Exception, match="returns one value, not several"):
        checkpoint(function, Variable(X))
    with pytest.raises(TypeError, match="one at least"):
        checkpoint(function)


def test_an_argument_that_goes_unused_has_zeros_of_its_own_type() -> None:
    used, unused = Variable(np.ones(2, np.float32)), Variable(np.ones(3, np.float32))
    checkpoint(lambda x, _: F.sum(x * x), used, unused).backward()
    assert unused.grad is not None
    assert unused.grad.dtype == np.float32
    np.testing.assert_array_equal(unused.grad, np.zeros(3))
