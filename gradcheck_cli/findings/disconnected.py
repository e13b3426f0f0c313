"""GC405 disconnected: a parameter that the expression mentions and the value doesn't depend on."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import same_bytes, using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.knobs import ALLOWED
from gradcheck_cli.numeric.function import Function, Values
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.steps import typical_magnitude
from gradcheck_cli.records import Finding

_MOVES = (1.0, -3.0, 30.0, 1e3, -1e3)
"""How far a parameter is moved, in units of its magnitude: beyond what a dead relu or a saturated sigmoid hides."""

_ELSEWHERE = (0.0, 1.0, -1.0, 1e3, -1e3)
"""How far the other parameters are moved before: one of them may switch off what this one does."""


def disconnected(function: Function, values: Values, outputs: tuple[Array, ...], name: str) -> Finding | None:
    """The expression mentions a parameter, and the value doesn't depend on it.

    **Why it happens.** Its branch is multiplied by zero or masked out, the operator takes it as an input without a
    gradient and ignores it, a later line overwrites what was made of it, a mode switches it off.

    **How to see it.** The parameter is moved by its own size and far beyond, here and where the other parameters have
    other values, and not a bit of the value changes. A
    ReLU that is off, which would change with a larger step, is not that: it is `vacuous`. The note changes no
    verdict.

    **Repair.** Leave the parameter out, or connect it. In a network a layer without influence keeps its initial
    weights for ever: look at the path from it to the loss with `gradcheck graph`, and overfit one batch first.

    **Example.**

    ```yaml case.grad.yaml
    expr: sum(x * x) + 0 * sum(w)
    params: {x: {shape: 3}, w: {shape: 3}}
    ```
    """
    x = np.asarray(values[name])
    if not x.size:
        return None
    rng = np.random.default_rng(x.size)
    signs = {other: rng.choice([-1.0, 1.0], np.shape(array)) for other, array in values.items()}
    calls = SeededExecution(allowed=ALLOWED)
    with restored(), np.errstate(all="ignore"), using(calls):
        for elsewhere in _ELSEWHERE:
            point = {other: _moved(array, elsewhere, signs[other]) for other, array in values.items()}
            try:
                still = function.outputs({**point, name: x}) if elsewhere else outputs
                made = [function.outputs({**point, name: _moved(x, move, signs[name])}) for move in _MOVES]
            except (GradcheckError, ArithmeticError, ValueError):
                return None  # it matters enough to be refused
            if not all(len(each) == len(still) and all(map(same_bytes, each, still)) for each in made):
                return None
    farthest = max(_MOVES)
    message = f"the value doesn't depend on {name}: moved by up to {farthest:g} times its size, it stays the same"
    return Finding("disconnected", message)


def _moved(x: Array, move: float, signs: Array) -> Array:
    """Return an array whose elements are moved, up or down, by so many times its magnitude."""
    return np.asarray(x + move * typical_magnitude(x) * signs, dtype=x.dtype)
