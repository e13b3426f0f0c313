"""GC212 some-elements: the gradient is wrong in some places, which have something in common."""

from __future__ import annotations

from math import comb

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.places import Pattern, patterns
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

_CHANCE = 0.02
"""A pattern that so many random choices of as many elements would have, or more, says nothing."""

_UNITS = 5
"""Rows, or places along an axis, that it takes to see an order in them."""

_LISTED = 4
"""Elements that are named one by one."""


def some_elements(suspect: Suspect) -> Finding | None:
    """The gradient is right in some elements and wrong in others: a border, a row, x < 0, ties.

    **Why it happens.** A case is forgotten: the branch below zero, the first and last step of a stencil, the odd
    element of a stride, the lower half of a symmetric matrix, what two windows share, the second of two equal maxima.

    **How to see it.** Elements with a gradient that isn't zero are right, and those that are wrong have something in
    common, which is named where it can be no coincidence.

    **Repair.** Look at the branch of the backward that serves the elements named. Check inputs that have enough of
    them: both signs, borders that aren't most of the array, repeated values.

    **Example.**

    ```python ops.py
    import numpy as np
    from gradcheck_cli import arr, op


    @op(x=arr(avoid=0))
    def elu(x):
        return np.where(x > 0, x, np.expm1(x))


    @elu.backward
    def _(g, x):
        return np.where(x > 0, g, g * np.exp(2 * x))  # wrong: should be return np.where(x > 0, g, g * np.exp(x))
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: elu(x)
    params: {x: {shape: 12}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or not mismatch.shape:
        return None
    wrong = mismatch.wrong
    # An element whose gradient is zero is right whatever the backward does.
    told = wrong | mismatch.moved
    right = told & ~wrong
    if not right.any():
        return None
    arguments = suspect.application.arguments if suspect.application else {}
    total, count = int(told.sum()), int(wrong.sum())
    for pattern in patterns(mismatch, arguments):
        if _is_telling(pattern, wrong, told):
            message = (
                f"the gradient of {mismatch.name} is wrong {pattern.text} ({count} of {total}) and right elsewhere"
            )
            return Finding("some-elements", message)
    if 2 * count > total:
        return None
    rows = np.flatnonzero(wrong)
    names = ", ".join(mismatch.label(row) for row in rows[:_LISTED]) + (", ..." if count > _LISTED else "")
    message = (
        f"the gradient of {mismatch.name} is wrong in {count} of {total} elements and right in the others: {names}"
    )
    return Finding("some-elements", message)


def _is_telling(pattern: Pattern, wrong: Array, told: Array) -> bool:
    """Tell whether a pattern has all wrong elements and no right one, and that is no coincidence."""
    held = pattern.held & told
    if (held != wrong).any():
        return False
    if pattern.units is not None and np.unique(pattern.units[told]).size < _UNITS:
        return False
    # A pattern that an array has many of (any row, any threshold) fits by chance so much sooner.
    return pattern.ways / comb(int(told.sum()), int(wrong.sum())) <= _CHANCE
