"""GC214 unexplained: the gradient is wrong, and none of the known mistakes explains it."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.findings.constant_factor import factor_between
from gradcheck_cli.findings.measure import Mismatch, element_label
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding


def unexplained(suspect: Suspect) -> Finding | None:
    """The gradient is wrong, and no known mistake explains 99 % of the mismatch.

    **Why it happens.** Two mistakes at once, a mistake of a kind of its own, or a gradient that has little to do with
    the function: another function's, or that of another point.

    **How to see it.** The table shows the worst element, and the sweep that the step isn't to blame. Nothing is
    guessed beyond that.

    **Repair.** Make it smaller. Check the operator alone, with one element per axis, then two; with inputs of which
    you know the derivative by heart (zeros, ones); with parts of it as operators of their own. One term of a sum at a
    time shows which is wrong. Where several parts are wrong, mend one, and the next finding will say more.

    **Example.**

    ```python ops.py
    import numpy as np
    from gradcheck_cli import op


    @op
    def wave(x):
        return np.sin(x) + x * x / 3


    @wave.backward
    def _(g, x):
        return g * (np.cos(2 * x) - x / 7)  # wrong: should be return g * (np.cos(x) + 2 * x / 3)
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: wave(x)
    params: {x: {shape: 6}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None:
        return None
    count, total = int(mismatch.wrong.sum()), mismatch.wrong.size
    share = "it is the only element" if total == 1 else f"{count} of {total} elements are wrong"
    message = (
        f"no known mistake explains the gradient of {mismatch.name}: {share}, "
        f"{_one_element(suspect, mismatch)}{_beside(mismatch)}"
    )
    if suspect.is_even:
        message += f"\n{mismatch.name} has one value in all elements: give it different ones, and the cause may show"
    return Finding("unexplained", message)


def _one_element(suspect: Suspect, mismatch: Mismatch) -> str:
    """Say by how much one element is off: the one that is shown, so that no figure contradicts another."""
    if suspect.shown is not None:
        off = abs(suspect.shown.analytic - suspect.shown.numeric)
        return f"{element_label(mismatch.name, suspect.shown.index)} by {off:.3g}"
    worst = int(np.argmax(np.abs(mismatch.difference)))
    whose = f" of {suspect.application.operator.name}" if suspect.application else ""
    return f"{mismatch.label(worst)}{whose} by {abs(mismatch.difference[worst]):.3g}"


def _beside(mismatch: Mismatch) -> str:
    """Say what is plain to see and explains nothing: one number is always a multiple of another."""
    if not mismatch.moved.any():
        return ", where the right one is zero"
    factor = factor_between(mismatch)
    return "" if factor is None else f"; the gradient is {factor:.6g} times the right one"
