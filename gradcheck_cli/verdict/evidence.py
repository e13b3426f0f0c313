"""Evidence: the two gradients of a parameter side by side, from which findings tell what is wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Status
from gradcheck_cli.verdict.passes import Passes


class Evidence(NamedTuple):
    """What was measured of one parameter of `shape`.

    `elements` are the flat positions where there is a gradient to compare with; `analytic`, `numeric` and
    `bar` (how far `numeric` may be off) have one entry for each.
    """

    parameter: str
    shape: tuple[int, ...]
    elements: Array
    analytic: Array
    numeric: Array
    bar: Array


def gather(parameter: str, shape: tuple[int, ...], finished: Finished) -> Evidence:
    """Return what was measured under the plain cotangent, in the order of the elements.

    Elements at kinks and jumps, and those that can't be decided, have no gradient to compare with.
    """
    passes, decided = Passes.joined([finished.passes, finished.left]), (Status.PASS, Status.FAIL)
    plain = [outcome for outcome in finished.outcomes if outcome.cotangent == 0 and outcome.status in decided]
    if not plain and _in_order(passes):
        return Evidence(parameter, shape, passes.element, passes.analytic, passes.numeric, passes.bar)
    rows = [(outcome.element, outcome.analytic, outcome.numeric, outcome.bar) for outcome in plain]
    others = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    first = passes.cotangent == 0
    elements = np.concatenate([passes.element[first], others[0].astype(int)])
    order = np.argsort(elements, kind="stable")
    columns = (passes.analytic, passes.numeric, passes.bar)
    figures = (np.concatenate([column[first], other])[order] for column, other in zip(columns, others[1:], strict=True))
    return Evidence(parameter, shape, elements[order], *figures)


def _in_order(passes: Passes) -> bool:
    """Tell whether passes are those of ascending elements under one cotangent."""
    return bool((passes.element[1:] > passes.element[:-1]).all()) and not passes.cotangent.any()
