"""GC206 broadcast-not-summed: an argument was used for many outputs, and the gradient knows of some."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.picked import find_picked
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding


def broadcast_not_summed(suspect: Suspect) -> Finding | None:
    """The argument was broadcast, and its gradient is a slice of what has to be summed.

    **Why it happens.** NumPy repeats a bias over rows without being asked, and the backward has to undo that by a
    sum. Without one the shape is wrong, which the contract reports as `gradient-shape`; a slice makes the shape right
    and the numbers wrong: `g[0]`, or a sum over the batch and not over the pixels.

    **How to see it.** The gradient equals the contribution of the first row alone. With one row, or with rows that
    are all alike, it happens to be right.

    **Repair.** `unbroadcast(g, b.shape)` sums over what was broadcast, whatever the shapes. By hand: sum over every
    axis that the argument doesn't have, and over those where its size is 1 (with `keepdims=True`).

    **Example.**

    ```python ops.py
    from gradcheck_cli import arr, op


    @op(x=arr("n d"), b=arr("d"))
    def add_bias(x, b):
        return x + b


    @add_bias.backward
    def _(g):
        return g, g[0]  # wrong: should be return g, g.sum(axis=0)
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
    outputs = [np.shape(out) for out in suspect.application.outputs.values()]
    if all(np.prod(shape) <= np.prod(mismatch.shape) for shape in outputs):
        return None
    picked = find_picked(mismatch, suspect)
    # A loop that overwrites leaves the last one.
    if picked is None or picked.where == "last" or picked.counts[0] != picked.counts[1]:
        return None
    if picked.is_any and not any(_is_broadcast(mismatch.shape, shape) for shape in outputs):
        return None  # any of them is the last one, too
    along = f", along axis {', '.join(map(str, picked.axes))} of the output" if picked.axes else ""
    message = f"the gradient of {mismatch.name} is {picked.words}{along}: it has to be their sum"
    return Finding("broadcast-not-summed", message)


def _is_broadcast(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False
