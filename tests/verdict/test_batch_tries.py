"""Declarations are tried with operands that move together, by slabs, in other types, and beside large constants."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import arr, check, op
from gradcheck_cli.numeric.rules.applied import moving
from gradcheck_cli.verdict.batch_tries import tries
from tests.results import findings

SEEDS = range(4)
X = np.array([0.4, -0.7, 1.3, 0.2])


def product(wrong: bool = False, forgets: bool = True):
    """tanh(x) * y, whose batch forgets y where both move; its backward is right or lacks the gradient of y."""

    @op(x=arr("n"), y=arr("n"))
    def f(x, y):
        """tanh(x) * y."""
        return np.tanh(x) * y

    @f.batch
    def _(moved, x, y):
        if moved == {"x", "y"} and forgets:
            return np.tanh(x) * y[0]
        return np.tanh(x) * y

    f.backward(lambda g, x, y: (g * y * (1 - np.tanh(x) ** 2), 0.0 * g if wrong else g * np.tanh(x)))
    return f


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_is_tried_with_operands_that_move_together(seed):
    def check_it(f):
        return check(lambda x: F.sum(f(x, F.exp(x))), {"x": X}, seed=seed)

    result = check_it(product())
    assert findings(result) == ["wrong-batch-declaration"]
    assert [str(each.verdict) for each in result.parameters] == ["pass"]
    assert str(check_it(product(wrong=True)).parameters[0].verdict) == "fail"
    assert str(check_it(product(forgets=False)).verdict) == "pass"


@pytest.mark.parametrize("seed", SEEDS)
def test_each_word_of_a_declaration_is_tried(seed):
    @op(x=arr("n c h"), batch="n c")
    def f(x):
        """x - mean(x), over c."""
        return x - x.mean(axis=1, keepdims=True)

    f.backward(lambda g: g - g.mean(axis=1, keepdims=True))
    z = np.random.default_rng(seed).normal(size=(3, 4, 2))
    result = check(lambda b: f(z + b), {"b": np.ones((4, 1))}, seed=seed)
    assert findings(result) == ["wrong-batch-declaration"]
    assert [str(each.verdict) for each in result.parameters] == ["pass"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: F.sum(F.tanh(x) + F.sin(y)),
        lambda x, y: F.concatenate([x, F.tanh(x), y]),
        lambda x, y: F.where(np.array([True, False, True, True]), x, y),
        lambda x, y: F.stack([x, y]) - x,
    ],
)
def test_single_precision_of_several_operands_is_no_wrong_declaration(function):
    assert check(function, {"x": X, "y": X[::-1].copy()}, dtype="float32").ok


@pytest.mark.parametrize("size", [5, 64, 100])
def test_a_large_constant_of_an_affine_operator_hides_no_slope(size):
    @op(x=arr("n"), linear=True)
    def days(x):
        """Seconds as days, from a date on."""
        return (x - 1.7e9) / 86400.0

    days.backward(lambda g: g / 86400.0)
    z = np.random.default_rng(size).normal(size=size)
    for function in (lambda z: F.sum(F.sin(days(1.7e9 + 1e5 * z))), lambda z: F.sin(days(1.7e9 + 1e5 * z))):
        result = check(function, {"z": z})
        assert (str(result.verdict), findings(result)) == ("pass", [])


def test_a_large_constant_hides_no_element_that_is_reached():
    @op(x=arr("n m"), linear=True)
    def shifted(x):
        """x moved by a constant that unit changes are lost in."""
        return x - 1e20

    shifted.backward(lambda g: g)
    z = np.random.default_rng(0).normal(size=(6, 7))
    assert check(lambda z: F.sum(F.sin(shifted(1e20 + 1e19 * z) / 1e19)), {"z": z}).ok


@pytest.mark.parametrize("seed", SEEDS)
def test_rounding_at_the_point_says_nothing_of_what_is_beside_it(seed):
    def both(x):
        z = x - F.mean(x)
        return F.exp(F.einsum("i,j->", z, z)) * F.sum(x * x)

    assert check(both, {"x": np.random.default_rng(seed).normal(size=7)}, seed=seed).ok


def test_two_numbers_have_a_cosine():
    assert check(lambda x, y: F.cosine_similarity(x, y, axis=-1) + x * y, {"x": 0.7, "y": 0.4}).ok


def test_what_is_infinite_tells_nothing_of_changes():
    def f(x):
        F.tile(F.power(0 * x, x), reps=(2, 2))  # infinite, and not used
        return F.sum(F.cos(x))

    assert check(f, {"x": np.array([-1.5, 2.0, -0.5])}).ok


@pytest.mark.parametrize("shape", [(3, 3), (2, 1, 3), (4, 4, 4)])
def test_what_leaves_its_domain_as_it_moves_tells_nothing_of_what_stays(shape):
    """0 log(-1) is 0, and log(-1) is not a number."""
    p = np.ones((3, 3) if shape[-1] == 3 else shape)
    assert findings(check(lambda p: F.sum(F.xlogy(0 * p, -np.ones(shape))), {"p": p})) == []


def test_operands_move_alone_and_together_in_every_form():
    arrays = [np.ones((2, 3)), None, np.ones((2, 3)), np.ones(3)]
    seen = [
        tuple((position, operands[position].axes) for position in moving(operands))
        for operands in tries(arrays, [0, 2, 3], np.random.default_rng(0))
    ]
    assert {((0, axes),) for axes in [(0, 1), (), (0,), (1,)]} < set(seen)
    assert {((0, ()), (2, ())), ((0, (0, 1)), (2, (0, 1))), ((0, (0, 1)), (2, ())), ((0, ()), (2, (0, 1)))} < set(seen)
    assert ((0, ()), (2, ()), (3, ())) in seen
    both = [each for each in tries(arrays, [0, 2], np.random.default_rng(0)) if len(moving(each)) == 2]
    shared = [each for each in both if each[0].axes == each[2].axes]
    assert all(first is second for o in shared for first, second in zip(o[0].at, o[2].at, strict=True))
