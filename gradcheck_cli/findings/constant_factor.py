"""GC202 constant-factor: the gradient is right but for a factor, the same for every element."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gradcheck_cli.records import Finding
from gradcheck_cli.verdict.evidence import Evidence

_EXPLAINED = 0.99
"""Share of the squared mismatch that a cause has to explain."""

_EXACT = 1e-6
"""How near a factor has to be to a whole number, or to one divided by it, to be called that."""


def constant_factor(evidence: Evidence, shapes: Mapping[str, tuple[int, ...]]) -> Finding | None:
    """Say by which factor the gradient is off; None if no factor explains the mismatch.

    `shapes` are those of the case's arrays: a factor that is the size of an axis, or one over it, is
    said to be that. One element has a factor whatever is wrong with it, so it needs a telling one.
    """
    largest = max(np.abs(evidence.analytic).max(initial=0.0), np.abs(evidence.numeric).max(initial=0.0))
    if not (np.isfinite(largest) and largest > 0):
        return None
    a, n = evidence.analytic / largest, evidence.numeric / largest
    mismatch, size = float(np.sum((a - n) ** 2)), float(np.sum(n * n))
    if not (mismatch > 0 and size > 0):
        return None
    factor = float(np.sum(a * n)) / size
    left = float(np.sum((a - factor * n) ** 2))
    if left > (1 - _EXPLAINED) * mismatch or abs(factor) < _EXACT or abs(factor + 1) < _EXACT:
        return None
    name, is_size = _name(factor, shapes)
    moved = np.count_nonzero(np.abs(evidence.numeric) > 3 * evidence.bar)
    if moved < 2 and not name:
        return None
    message = f"the gradient of {evidence.parameter} is {factor:.6g} times the right one{name}"
    if is_size and 0 < factor < 1:
        message += ": some courses take the mean here and not in the loss; check the whole network"
    return Finding("constant-factor", message)


def _name(factor: float, shapes: Mapping[str, tuple[int, ...]]) -> tuple[str, bool]:
    """Say where a factor may come from, and whether it is a size: of an axis, or of an array."""
    inverse = abs(factor) < 1
    value = 1 / abs(factor) if inverse else abs(factor)
    whole = round(value)
    if whole < 2 or abs(value - whole) > _EXACT * value:
        return "", False
    over = f"{'-' * (factor < 0)}{'1/' * inverse}{whole}"
    for name, shape in shapes.items():
        if whole in shape:
            return f" ({over}; {whole} is the size of axis {shape.index(whole)} of {name})", True
    for name, shape in shapes.items():
        if whole == int(np.prod(shape)):
            return f" ({over}; {name} has {whole} elements)", True
    return f" ({over})", False
