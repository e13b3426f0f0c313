"""Two results of identical calls, held to each other; and results that aren't finite."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

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


def all_agree(first: Sequence[Array], second: Sequence[Array], repeat: float | None = None) -> bool:
    """Tell whether the outputs of identical calls agree, as `agree` does."""
    alike = [a.shape for a in first] == [b.shape for b in second]
    return alike and all(agree(a, b, repeat) for a, b in zip(first, second, strict=True))


def unlike_values(when: str) -> ContractViolation:
    """Say that a function has another value when it is called again; `when` goes after the sentence."""
    hint = "turn randomness off, or give it a seed; state kept between calls does it too"
    return ContractViolation("not-repeatable", f"two evaluations at the same point differ{when}", "value", None, hint)


def unlike_gradients() -> ContractViolation:
    """Say that a function has another gradient when it is called again."""
    hint = "turn randomness off, or give it a seed"
    return ContractViolation("not-repeatable", "two calls give different gradients", "gradient", None, hint)


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


def require_finite_value(outputs: Sequence[Array], origin: str) -> None:
    """Hold the outputs of a function to finiteness. Raises ContractViolation, which says where it comes from."""
    for out in outputs:
        if not np.isfinite(out).all():
            raise ContractViolation("non-finite", f"the value is {bad_values(out)}", "value", None, origin)


def require_finite_gradients(gradients: Mapping[str, Array]) -> None:
    """Hold gradients that came from a person's own function to finiteness; operators are held to it one by one.

    Raises ContractViolation.
    """
    for name, gradient in gradients.items():
        if not np.isfinite(gradient).all():
            message = f"the gradient of {name} is {bad_values(gradient)}"
            raise ContractViolation("non-finite", message, "gradient", None)


def notes_on(jitter: Array, users: Collection[str]) -> list[str]:
    """Say what was taken into account without being a finding: noise between calls, operators that draw numbers."""
    notes = []
    if jitter.any():
        notes.append(f"identical calls differ by up to {np.max(jitter):.1e}: taken as noise")
    if users:
        names = ", ".join(sorted(users))
        notes.append(f"{names} draws from the global random generators, which are put into one state before each call")
    return notes
