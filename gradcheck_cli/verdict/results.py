"""Two results of identical calls, held to each other; and results that aren't finite."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation

REPEAT = 1000
"""Largest difference between identical calls, in units of the machine epsilon."""


def agree(first: Array, second: Array, repeat: float | None = None) -> bool:
    """Tell whether two results of identical calls agree up to `repeat` of their size (None: `REPEAT` epsilons)."""
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    if first.dtype.kind != "f":
        return bool(np.array_equal(first, second))
    if (first == second).all():
        return True
    finite = np.isfinite(first)
    if not np.array_equal(finite, np.isfinite(second)):
        return False
    share = REPEAT * float(np.finfo(first.dtype).eps) if repeat is None else repeat
    tolerance = share * np.maximum(np.abs(first), np.abs(second))
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(first - second) <= tolerance) | ~finite))


def by_how_much(first: Array, second: Array) -> str:
    """Say how far two results differ: words that go after "differ"."""
    if first.shape != second.shape:
        return f" in shape: {first.shape} and {second.shape}"
    with np.errstate(invalid="ignore"):
        return f" by up to {np.nanmax(np.abs(first.astype(float) - second.astype(float))):.2g}"


def bad_values(array: Array) -> str:
    """Say how many elements of `array` are NaN or infinite."""
    kinds = [word for word, test in (("nan", np.isnan), ("infinite", np.isinf)) if test(array).any()]
    bad = int(np.sum(~np.isfinite(array)))
    return f"{' and '.join(kinds)} in {bad} of {array.size} elements"


def require_finite_gradients(gradients: Mapping[str, Array]) -> None:
    """Hold gradients that came from a person's own function to finiteness; operators are held to it one by one.

    Raises ContractViolation.
    """
    for name, gradient in gradients.items():
        if not np.isfinite(gradient).all():
            message = f"the gradient of {name} is {bad_values(gradient)}"
            raise ContractViolation("non-finite", message, "gradient", None)
