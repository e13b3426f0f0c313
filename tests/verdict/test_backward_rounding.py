"""Rounding inside a backward, told from violations of linearity by small changes of the cotangent."""

import numpy as np
import pytest

from gradcheck_cli.verdict.backward_rounding import BackwardRounding, Place, combined, copied, largest

EPSILON = float(np.finfo(np.float64).eps)
A = np.random.default_rng(1).normal(size=12)
B = A + 1e-7 * np.random.default_rng(2).normal(size=12)


def rounding_of(backward, seed=0, epsilon=EPSILON, dtype=np.float64):
    """The rounding of a backward of twelve numbers, with the violation of g + w, absolute and relative."""
    rng = np.random.default_rng(seed)

    def vjp(gs):
        return (np.asarray(backward(gs[0]), dtype=np.float64),)

    u, w = ([rng.uniform(0.5, 1.5, 12).astype(dtype) * rng.choice([-1, 1], 12).astype(dtype)] for _ in range(2))
    at_u, at_w, at_sum = vjp(u)[0], vjp(w)[0], vjp(combined(u, w))[0]
    off = largest(at_sum - at_u - at_w)
    rounding = BackwardRounding(vjp, Place(u, [at_u]), Place(w, [at_w]), epsilon, rng)
    return rounding, off, off / max(largest(at_sum), largest(at_u), largest(at_w))


def cancelling(g):
    return g * A - g * B


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_of_terms_that_cancel_is_explained(seed):
    rounding, off, share = rounding_of(cancelling, seed)
    assert share > 1e-12, "no violation to explain"
    assert rounding.explains(off, share, 0)
    assert not rounding.explains(100 * off, share, 0)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "wrong",
    [
        lambda g: g * A + 1e-9 * np.abs(g),
        lambda g: g * A + 1e-3 * g**2,
        lambda g: g * np.abs(g[0]) / np.linalg.norm(g),
        lambda g: np.median(g) * A,
        lambda g: np.where(np.abs(g) < 0.6 * np.abs(g).max(), 0, g),
        lambda g: cancelling(g) + 1e-13 * np.abs(g),
        np.ones_like,
    ],
    ids=["absolute value", "square", "norm", "median", "cut off at a share", "beside terms that cancel", "constant"],
)
def test_a_violation_is_not_explained(wrong, seed):
    rounding, off, share = rounding_of(wrong, seed)
    assert share > 1e-12
    assert not rounding.explains(off, share, 0)


@pytest.mark.parametrize("seed", range(5))
def test_single_precision_is_the_rounding_of_what_computes_in_it(seed):
    def singly(g):
        return g.astype(np.float32) * A.astype(np.float32)

    single = float(np.finfo(np.float32).eps)
    rounding, off, share = rounding_of(singly, seed)
    assert not rounding.explains(off, share, 0), "a double is rounded to single precision"
    assert rounding_of(singly, seed, epsilon=single)[0].explains(off, share, 0)
    assert rounding_of(singly, seed, dtype=np.float32)[0].explains(off, share, 0)


def test_what_is_not_finite_nearby_explains_nothing():
    calls = []

    def backward(g):
        calls.append(g)
        return g * A if len(calls) <= 4 else np.full(12, np.nan)

    rounding, _, share = rounding_of(backward)
    assert not rounding.explains(1e-300, share, 0)


def test_cotangents_are_combined_in_their_own_type():
    single = np.ones(2, dtype=np.float32)
    together, nothing = combined([single, None], [2 * np.ones(2), None], 0.25)
    assert nothing is None
    assert together.dtype == np.float32
    assert together.tolist() == [1.5, 1.5]


def test_copies_are_double_and_the_largest_of_nothing_is_zero():
    array = np.ones(2, dtype=np.float32)
    copy, nothing = copied([array, None])
    array[:] = 5
    assert nothing is None
    assert copy.dtype == np.float64
    assert copy.tolist() == [1, 1]
    assert largest(np.array([1.0, -3.0])) == 3
    assert largest(np.zeros(0)) == 0
