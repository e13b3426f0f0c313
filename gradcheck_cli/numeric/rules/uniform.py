"""Linear operators in which every element weighs the same: known from the forward, never from a backward."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.rules.applied import Applied

_TRIALS = 2
_ROUNDING = 64.0
"""Epsilons of the sum of magnitudes by which two ways to sum may differ, beside the logarithm of their number."""

_LOST = 1e-13
"""The share of a weight that may be lost to rounding of a constant."""


def uniform_factor(applied: Applied, position: int) -> Array | None:
    """Return w where the sum of all outputs is w times the sum of the operand, plus a constant; None if it isn't.

    Found with an operand of ones and one of zeros, and held to random ones, on which different weights show. The
    other operands stay at the point.
    """
    x = applied.arrays[position]
    if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or not x.size:
        return None
    rng = np.random.default_rng(x.size)

    arrays = _without_constants(applied, position)

    def total(values: Array) -> tuple[float, float]:
        outputs = applied.forward([*arrays[:position], values, *arrays[position + 1 :]])
        wide = np.concatenate([np.asarray(out, dtype=np.float64).reshape(-1) for out in outputs])
        return float(np.sum(wide)), float(np.abs(wide).sum())

    epsilon = float(np.finfo(x.dtype).eps)
    try:
        constant, offset = total(np.zeros_like(x))
        factor = (total(np.ones_like(x))[0] - constant) / x.size
        if offset and not epsilon * offset <= _LOST * abs(factor) * x.size:
            return None  # the constant would hide what the element weighs
        for _ in range(_TRIALS):
            values = np.asarray(rng.standard_normal(x.shape), dtype=x.dtype)
            expected = constant + factor * float(np.sum(values, dtype=np.float64))
            size = offset + abs(factor) * float(np.abs(values).sum(dtype=np.float64))
            if not abs(total(values)[0] - expected) <= _ROUNDING * epsilon * (1 + math.log2(x.size)) * size:
                return None
    except Exception:  # a person's forward may raise anything
        return None
    return np.asarray(factor)


def _without_constants(applied: Applied, position: int) -> list[Any]:
    """Return the operands, with zeros for those in which the operator is linear together with the one at `position`."""
    linear, arrays = applied.operator.linear, applied.arrays
    if linear is not None and linear.jointly:
        for other, array in enumerate(arrays):
            named = applied.operator.input_at(other).name in linear.names
            if named and other != position and isinstance(array, np.ndarray):
                arrays[other] = np.zeros_like(array)
    return arrays
