"""GC211 swapped-inputs: two arguments have each other's gradient."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding
from gradcheck_cli.verdict.evidence import Evidence


def swapped_inputs(suspect: Suspect) -> Finding | None:
    """The gradient is that of another argument of the same shape.

    **Why it happens.** The backward returns its gradients in another order than the forward takes its arguments, or a
    product rule gives each factor itself in place of the other. Shapes agree, so nothing else complains.

    **How to see it.** The analytic gradient of `x` equals the numeric one of `y`, and the other way round.

    **Repair.** Return one gradient for each differentiable argument, in the order of the forward's parameters. Rules
    of their own, `@name.backward("x")`, can't be mixed up.

    **Example.**

    ```python ops.py
    from gradcheck_cli import op


    @op
    def times(x, y):
        return x * y


    @times.backward
    def _(g, x, y):
        return g * x, g * y  # wrong: should be return g * y, g * x
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(times(x, y))
    params: {x: {shape: 5}, y: {shape: 5}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or not mismatch.is_complete:
        return None
    copied = ""
    for name, other in suspect.others.items():
        if name == mismatch.name or other.shape != mismatch.shape or other.elements.size != mismatch.elements.size:
            continue
        if not _is(mismatch, other) or _alike(mismatch.numeric, other.numeric):
            continue
        counterpart = Mismatch.of(other)
        if counterpart is not None and _is(counterpart, suspect.evidence):
            message = f"{mismatch.name} and {name} have each other's gradient"
            return Finding("swapped-inputs", message)
        copied = copied or name
    if copied and mismatch.elements.size > 1:
        message = f"the gradient of {mismatch.name} is that of {copied}, which has its own as well"
        return Finding("swapped-inputs", message)
    return None


def _is(mismatch: Mismatch, other: Evidence) -> bool:
    """Tell whether the analytic gradient is the right one of another argument."""
    return mismatch.explained(mismatch.analytic - other.numeric, np.maximum(mismatch.blur, 3 * other.bar))


def _alike(one: Array, other: Array) -> bool:
    return bool(np.allclose(one, other, rtol=1e-6, atol=0))
