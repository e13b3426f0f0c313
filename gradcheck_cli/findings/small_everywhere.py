"""GC208 small-everywhere: the gradient is nearly right, and nowhere quite."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.findings.constant_factor import SMALL, factor_between
from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

_MOST = 0.9
"""Share of the elements that are off."""

_EVEN = 1e3
"""Between the larger relative errors and the smaller ones there lies no more than this."""

_FEW = 3
"""Elements that it takes to speak of everywhere, where the factor isn't one number."""


def small_everywhere(suspect: Suspect) -> Finding | None:
    """Every element is off by a small part of itself, less than a hundredth.

    **Why it happens.** The two passes don't compute the same function: an epsilon stands in the forward and not in
    the backward (or another one does), an iterative solver stops at its tolerance, a table or a fast approximation
    serves one of them, part of the backward runs in single precision, a running average takes the place of the
    batch's.

    **How to see it.** The relative error is about the same in all elements, from 1e-6 to 1e-2, and flat over the
    steps of the sweep. Rounding and truncation would change with the step.

    **Repair.** Use the same epsilon in the same place in both passes; differentiate the approximation that the
    forward computes; solve more tightly. If the inexactness is meant, say how large it may be: `check: {accuracy:
    1e-5}` lets it pass and prints it as the resolution.

    **Example.**

    ```python ops.py
    import numpy as np
    from gradcheck_cli import op


    @op
    def soft_abs(x):
        return np.sqrt(x * x + 1e-3)


    @soft_abs.backward
    def _(g, x):
        return g * x / np.sqrt(x * x + 2e-3)  # wrong: should be return g * x / np.sqrt(x * x + 1e-3)
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: soft_abs(x)
    params: {x: {shape: 6, low: 1, high: 2}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None:
        return None
    factor = factor_between(mismatch)
    if factor is not None and abs(factor - 1) < SMALL:
        message = f"the gradient of {mismatch.name} is off by {abs(factor - 1):.2g} of itself everywhere"
        return Finding("small-everywhere", f"{message}: {factor:.8g} times the right one")
    relevant = mismatch.moved | mismatch.wrong
    size = np.abs(mismatch.numeric[relevant])
    if size.size < _FEW:
        return None
    # An element that happens to be near zero is judged by what is usual beside it.
    errors = np.abs(mismatch.difference[relevant]) / np.maximum(size, np.median(size))
    off = mismatch.wrong[relevant]
    low, high = np.quantile(errors[off], [0.1, 0.9]) if off.any() else (0.0, 0.0)
    if off.mean() < _MOST or float(np.max(errors)) > SMALL or high > _EVEN * low:
        return None
    message = f"the gradient of {mismatch.name} is off by {np.median(errors):.1e} of itself in nearly all elements"
    return Finding("small-everywhere", f"{message}, by {float(np.max(errors)):.1e} at most")
