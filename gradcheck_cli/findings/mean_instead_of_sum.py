"""GC207 mean-instead-of-sum: contributions are averaged that have to be added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.constant_factor import factor_between
from gradcheck_cli.findings.contributions import contributions, wrong_rows
from gradcheck_cli.findings.measure import SAME, Mismatch
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

_SHARP = 0.1
"""How well the ratio has to be known, relative to its size, for the contributions to be counted."""


def mean_instead_of_sum(suspect: Suspect) -> Finding | None:
    """The gradient of what was used many times is the mean of its contributions instead of their sum.

    **Why it happens.** A bias is added to every row, a weight meets every sample, so their gradients add up over the
    rows. `g.mean(axis=0)` stands where `g.sum(axis=0)` belongs, often because the loss is a mean and one feels that
    the gradient should be one, too. The mean of the loss is in the cotangent already.

    **How to see it.** The gradient is 1/N of the right one, and N is the number of outputs that an element of the
    argument reaches, along one axis or all. Other arguments of the operator are right.

    **Repair.** Add up: `g.sum(axis=0)`, or `unbroadcast(g, b.shape)`. If each layer divides by the batch on purpose
    and the loss is a sum, only the network as a whole is right: check that.

    **Example.**

    ```python ops.py
    from gradcheck_cli import arr, op


    @op(x=arr("n d"), b=arr("d"))
    def add_bias(x, b):
        return x + b


    @add_bias.backward
    def _(g):
        return g, g.mean(axis=0)  # wrong: should be return g, g.sum(axis=0)
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(add_bias(x, b) ** 2)
    params: {x: 5 3, b: {shape: 3}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or suspect.application is None:
        return None
    factor = factor_between(mismatch)
    if factor is not None and not 0 < factor < 1:
        return None
    rows = wrong_rows(mismatch)
    parts = contributions(suspect.application, mismatch.name, mismatch.elements[rows])
    if parts is None:
        return None
    counts = []
    for row, part in zip(rows, parts, strict=True):
        if not mismatch.analytic[row]:
            return None
        ratio = mismatch.numeric[row] / mismatch.analytic[row]
        slack = SAME + mismatch.noise[row] / abs(mismatch.numeric[row] or np.inf)
        if slack > _SHARP:  # any number of contributions fits a gradient that may be zero
            return None
        fitting = [count for count in _counts(part) if abs(ratio - count) <= slack * count]
        if not fitting:
            return None
        counts.append(fitting[0])
    low, high = min(counts), max(counts)
    number = f"{low}" if low == high else f"{low} to {high}"
    message = f"the gradient of {mismatch.name} is the mean of {number} contributions, it has to be their sum"
    return Finding("mean-instead-of-sum", message)


def _counts(part: Mapping[str, Array]) -> Iterator[int]:
    """Yield how many outputs an element reaches: all that it does, then along some of the axes only."""
    for slopes in part.values():
        reached = np.nonzero(np.atleast_1d(slopes))
        if reached[0].size < 2:
            continue
        seen = {reached[0].size}
        yield reached[0].size
        extents = [len(set(axis.tolist())) for axis in reached]
        for some in range(len(extents), 0, -1):
            for chosen in combinations(extents, some):
                count = int(np.prod(chosen))
                if count > 1 and count not in seen:
                    seen.add(count)
                    yield count
