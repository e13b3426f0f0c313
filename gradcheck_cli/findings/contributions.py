"""What each output of an operator contributes to the gradient of one element, measured by differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import using
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.surroundings import epsilon_of
from gradcheck_cli.findings.suspect import Application
from gradcheck_cli.knobs import ALLOWED
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.steps import typical_magnitude

MOST = 48
"""Elements that are looked at: two evaluations of the operator each."""

_PRECISION = 1e-5
"""How well contributions are known at best, relative to the largest: they come from one step, without an error bar."""

_ROUNDED = 200.0
"""How well they are known in a coarse type, in units of the error of a central difference."""


def precision(application: Application) -> float:
    """Return how well contributions are known, relative to the largest."""
    return max(_PRECISION, _ROUNDED * float(epsilon_of(application) ** (2 / 3)))


def wrong_rows(mismatch: Mismatch) -> Array:
    """Return the rows of wrong elements to look at: all, or those that are most wrong and others spread evenly."""
    rows = np.flatnonzero(mismatch.wrong)
    if rows.size <= MOST:
        return rows
    order = np.argsort(-np.abs(mismatch.difference[rows]), kind="stable")
    spread = rows[np.linspace(0, rows.size - 1, MOST // 2).astype(int)]
    return np.unique(np.concatenate([rows[order[: MOST // 2]], spread]))


def contributions(application: Application, argument: str, elements: Array) -> list[Mapping[str, Array]] | None:
    """Return, for each flat element of an argument, cotangent times slope of every output, by the output's name.

    The elements of an array sum to the right gradient. None where the operator can't be evaluated like this.
    """
    names = list(application.arguments)
    if argument not in names:
        return None
    given = application.arguments[argument]
    if not isinstance(given, np.ndarray) or given.dtype.kind != "f":
        return None
    arrays = [application.arguments[name] for name in names]
    position, epsilon = names.index(argument), float(np.finfo(given.dtype).eps)
    typical, calls = typical_magnitude(given), SeededExecution(allowed=ALLOWED)

    def outputs(flat: int, value: float) -> list[Array]:
        moved = given.copy()
        moved.reshape(-1)[flat] = value
        changed = [*arrays[:position], moved, *arrays[position + 1 :]]
        made, _ = calls.forward(application.operator, changed, dict(application.attributes))
        return [np.asarray(out, dtype=np.float64) for out in made]

    found: list[Mapping[str, Array]] = []
    with np.errstate(all="ignore"), using(calls):
        for element in map(int, elements):
            x = float(given.reshape(-1)[element])
            step = epsilon ** (1 / 3) * max(abs(x), 0.1 * typical)
            above, below = given.dtype.type(x + step), given.dtype.type(x - step)
            try:
                high, low = outputs(element, above), outputs(element, below)
            except GradcheckError:
                return None
            slopes = [(up - down) / float(above - below) for up, down in zip(high, low, strict=True)]
            named = zip(application.operator.outputs, slopes, strict=False)
            found.append(_weighted(application, dict(named)))
    if not all(np.isfinite(part).all() for each in found for part in each.values()):
        return None
    return found


def _weighted(application: Application, slopes: Mapping[str, Any]) -> dict[str, Array]:
    """Multiply the slopes with the cotangents; outputs without one contribute nothing."""
    return {
        name: slope * application.cotangents[name] for name, slope in slopes.items() if name in application.cotangents
    }
