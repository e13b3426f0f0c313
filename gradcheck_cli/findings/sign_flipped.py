"""GC201 sign-flipped: the gradient points the other way."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding


def sign_flipped(suspect: Suspect) -> Finding | None:
    """The gradient has the right size and the wrong sign, in every element.

    **Why it happens.** A minus is lost or added: in the second argument of a difference, in the derivative of `cos`,
    of `1/x` or of `exp(-x)`, or in a loss where target and prediction are exchanged. Gradient ascent written by hand
    has it on purpose.

    **How to see it.** Analytic and numeric gradient add up to zero. Training climbs instead of falling, whatever the
    learning rate; that only one of two arguments is turned round shows in a loss that first falls and then drifts.

    **Repair.** Turn the sign round where it is made, not at the end: a second minus further up hides the first and
    leaves the other arguments wrong.

    **Example.**

    ```python ops.py
    from gradcheck_cli import op


    @op
    def gap(x, y):
        return x - y


    @gap.backward
    def _(g):
        return g, g  # wrong: should be return g, -g
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(gap(x, y) ** 2)
    params: {x: {shape: 5}, y: {shape: 5}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or not mismatch.explained(mismatch.analytic + mismatch.numeric):
        return None
    count = int(np.count_nonzero(mismatch.wrong))
    message = f"the gradient of {mismatch.name} is minus the right one"
    return Finding("sign-flipped", message + (f", in all of {count} elements" if count > 1 else ""))
