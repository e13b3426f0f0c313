"""Use code at another point first, so that what it remembers from there shows in its gradient."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.errors import GradcheckError, Skipped
from gradcheck_cli.knobs import ALLOWED
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.seeding import SeededExecution

_NEAR = 1 + 2.0**-10
"""So near that the other point lies in the domain, so far that a gradient from there is wrong by more than rounding."""


def visit_elsewhere(function: TracedFunction, points: Mapping[str, Array]) -> None:
    """Evaluate forward and backward near the point that is checked, and forget what comes of it.

    A cache that is filled once and never emptied would hold the point itself otherwise, where its gradient
    is right. What is raised here is raised again at the point, if it matters there. Raises Skipped.
    """
    there = {name: value * value.dtype.type(_NEAR) for name, value in points.items()}
    with restored(), np.errstate(all="ignore"), using(SeededExecution(allowed=ALLOWED)):
        try:
            recording = function.record(there)
            recording.vjp([np.ones_like(out) for out in recording.outputs])
        except Skipped:
            raise
        except (GradcheckError, TypeError):
            return
