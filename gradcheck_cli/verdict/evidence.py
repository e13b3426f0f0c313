"""Evidence: the two gradients of a parameter side by side, from which findings tell what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.verdict.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was measured of one parameter of `shape`.

    `elements` are the flat positions that were compared; `analytic`, `numeric` and `bar` (how far
    `numeric` may be off) have one entry for each.
    """

    parameter: str
    shape: tuple[int, ...]
    elements: Array
    analytic: Array
    numeric: Array
    bar: Array


def gather(parameter: str, shape: tuple[int, ...], outcomes: Sequence[Outcome]) -> Evidence:
    """Return the evidence that the outcomes under the plain cotangent hold."""
    plain = [outcome for outcome in outcomes if outcome.cotangent == 0]
    columns = [(outcome.element, outcome.analytic, outcome.numeric, outcome.bar) for outcome in plain]
    elements, analytic, numeric, bar = np.array(columns, dtype=np.float64).reshape(-1, 4).T
    return Evidence(parameter, shape, elements.astype(int), analytic, numeric, bar)
