"""GC210 gradient-zero: nothing comes back."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

_NOTHING = 1e-14
"""What is so small beside the right gradient is rounding."""


def gradient_zero(suspect: Suspect) -> Finding | None:
    """The gradient is zero everywhere, and should not be.

    **Why it happens.** The backward returns zeros for an input that it was not thought to need; a result is written
    to a local name and never returned; the value passes through something that gradients don't follow (`.data`,
    `detach`, a cast to integers and back, `round`, a copy into a fresh array).

    **How to see it.** Every analytic element is exactly 0 while the value moves when the parameter does. Where the
    value doesn't move either, nothing is wrong with the backward: see `disconnected` and `vacuous`.

    **Repair.** Return the product of the cotangent and the slope. If the operator is meant to stop the gradient,
    declare it (`x=arr(nondiff=True)`), so that nobody waits for one. In training a gradient that is zero shows as a
    parameter that never moves: overfit a single batch first, it comes to light within a few steps.

    **Example.**

    ```python ops.py
    import numpy as np
    from gradcheck_cli import op


    @op
    def shift(x, b):
        return x + b


    @shift.backward
    def _(g, x, b):
        return g, np.zeros(b.shape)  # wrong: should be return g, g
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(shift(x, b) ** 2)
    params: {x: {shape: 5}, b: {shape: 5}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None:
        return None
    largest = float(np.max(np.abs(mismatch.numeric)))
    if float(np.max(np.abs(mismatch.analytic))) > _NOTHING * largest:
        return None
    message = f"the gradient of {mismatch.name} is zero everywhere; the right one reaches {largest:.3g}"
    return Finding("gradient-zero", message)
