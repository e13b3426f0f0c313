"""GC209 contribution-overwritten: of several contributions to a gradient some are lost."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.findings.constant_factor import factor_between
from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.picked import find_picked
from gradcheck_cli.findings.surroundings import epsilon_of
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

_MOST = 10
"""Contributions of which every part is tried."""


def contribution_overwritten(suspect: Suspect) -> Finding | None:
    """What is used in several places gets a contribution from each; here a later one replaced an earlier one.

    **Why it happens.** `dx = ...` stands where `dx += ...` belongs: in a loop over rows or windows, at the join of a
    residual connection, in a layer that is applied twice and keeps one `self.dW`. With an array of indices,
    `dx[index] += g` counts a repeated index once; only `np.add.at(dx, index, g)` adds up.

    **How to see it.** The gradient equals one contribution, mostly the last. Elements that are used once are right,
    so with indices that don't repeat, or windows that don't overlap, nothing shows.

    **Repair.** Start from zeros and add. In a residual block `y = x + f(x)` the cotangent itself is one of the
    contributions: `dx = g + df`.

    **Example.**

    ```python ops.py
    import numpy as np
    from gradcheck_cli import arr, ints, op


    @op(table=arr("k d"), index=ints("n", below="k"))
    def rows_of(table, index):
        return table[index]


    @rows_of.backward
    def _(g, table, index):
        dtable = np.zeros_like(table)
        dtable[index] = g  # wrong: should be np.add.at(dtable, index, g)
        return dtable
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(rows_of(table, index) ** 2 * c)
    params: {table: 4 3}
    inputs:
      index: [0, 2, 2, 3, 2, 0]
      c: 6 3
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or suspect.application is None:
        return None
    if skipped := _straight_through(mismatch, suspect):
        return skipped
    picked = find_picked(mismatch, suspect)
    if picked is None:
        return None
    several = "" if mismatch.wrong.all() else ", where there are several"
    message = f"the gradient of {mismatch.name} is {picked.words}{several}: they have to be added"
    return Finding("contribution-overwritten", message)


def _straight_through(mismatch: Mismatch, suspect: Suspect) -> Finding | None:
    """Look for the contribution of a residual connection, which is the cotangent itself."""
    assert suspect.application is not None
    if not mismatch.analytic.any() or factor_between(mismatch) is not None:
        return None  # one of two equal contributions is a factor as well
    for cotangent in suspect.application.cotangents.values():
        if cotangent.shape != mismatch.shape:
            continue
        g = mismatch.taken(cotangent)
        slack = np.maximum(mismatch.blur, 1e3 * epsilon_of(suspect.application) * np.abs(g))
        if mismatch.explained(mismatch.difference + g, slack):
            message = (
                f"the gradient of {mismatch.name} lacks the cotangent itself: {mismatch.name} reaches the output "
                "directly, too (a residual connection), and that contribution was overwritten or left out"
            )
            return Finding("contribution-overwritten", message)
    return None
