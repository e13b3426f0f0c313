"""Helpers of the operator tests: gradients by the graph, and by central differences of every element."""

from types import SimpleNamespace

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

_STEP = np.finfo(float).eps ** (1 / 3)


def signed(shape, seed):
    """A random cotangent with both signs."""
    return np.random.default_rng([seed, 99]).standard_normal(shape)


def joined(out):
    """The floating ones of several outputs as one flat value; one output as it is."""
    if not isinstance(out, tuple):
        return out
    floating = [part for part in out if part.dtype.kind == "f"]
    if any(isinstance(part, Variable) for part in floating):
        return F.concatenate(*floating, axis=None)
    return np.concatenate(floating, axis=None)


def value(operator, arrays, attributes):
    """The operator called as a plain function, its outputs joined."""
    return np.asarray(joined(operator(*arrays, **attributes)))


def gradients(operator, arrays, attributes=None, g=None):
    """Gradients of the differentiable arrays (None for the rest), for the cotangent g (default: ones)."""
    attributes = attributes or {}
    record = getattr(operator, "operator", operator)
    operands = [
        Variable(array) if array is not None and record.input_at(slot).domain.differentiable else array
        for slot, array in enumerate(arrays)
    ]
    out = joined(record(*operands, **attributes))
    out.backward(np.ones(out.shape, out.dtype) if g is None else np.asarray(g, out.dtype))
    return [operand.grad if isinstance(operand, Variable) else None for operand in operands]


def differences(operator, arrays, attributes, slot, g):
    """Central differences of sum(g * operator(...)) for every element of one array."""
    base = np.array(arrays[slot], dtype=float)
    result = np.zeros(base.shape)
    for index in np.ndindex(base.shape):
        h = _STEP * max(abs(base[index]), 0.1)
        above, below = base.copy(), base.copy()
        above[index] += h
        below[index] -= h
        moved = [
            value(operator, [*arrays[:slot], shifted, *arrays[slot + 1 :]], attributes) for shifted in (above, below)
        ]
        result[index] = np.sum(g * (moved[0] - moved[1])) / (above[index] - below[index])
    return result


def disagreement(operator, arrays, attributes=None, seed=0):
    """The largest difference between both gradients, relative to the largest gradient of each array.

    Raises ContractViolation where the backward breaks the contract.
    """
    attributes = attributes or {}
    g = signed(value(operator, arrays, attributes).shape, seed)
    worst = 0.0
    for slot, analytic in enumerate(gradients(operator, arrays, attributes, g)):
        if analytic is not None and analytic.size:
            numeric = differences(operator, arrays, attributes, slot, g)
            assert np.isfinite(analytic).all(), f"gradient {slot} isn't finite"
            scale = max(np.abs(analytic).max(), np.abs(numeric).max())
            worst = max(worst, np.abs(analytic - numeric).max() / scale if scale else 0.0)
    return worst


@pytest.fixture(scope="session")
def check():
    """The helpers above; `tolerance` is what a right gradient stays below."""
    helpers = {each.__name__: each for each in (signed, joined, value, gradients, disagreement)}
    return SimpleNamespace(**helpers, tolerance=1e-7)
