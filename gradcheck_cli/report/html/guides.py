"""Where the lines of rounding and truncation lie: the errors of a right gradient over the steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from gradcheck_cli.records import CaseResult, ParameterResult, SweepPoint, WorstElement

ROUNDING, TRUNCATION = -1, 2
"""How the error of a central difference goes with the step: as eps^-1 where rounding rules, as eps^2 above that."""

_BANDS = {ROUNDING: (-2.2, -0.3), TRUNCATION: (1.6, 2.4)}
"""Slopes that count as such a line: rounding is random, truncation is not."""

_BARS_PER_ERROR = 3
"""An error bar is three times the estimated error of the numeric derivative."""

_LARGEST_STEP = 0.1

_EPSILON = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23}
_DOUBLE = 2.0**-52


@dataclass(frozen=True)
class Guide:
    """The line log10(error) = slope * log10(eps) + offset.

    `fitted` tells that it goes through points of the sweep; otherwise the error bar says where it lies.
    """

    slope: int
    offset: float
    fitted: bool

    def at(self, log_eps: float) -> float:
        """Return log10 of the error at a step."""
        return self.slope * log_eps + self.offset


def guides(case: CaseResult, parameter: ParameterResult) -> tuple[Guide, ...]:
    """Return the lines of rounding and truncation, as far as anything is known about them."""
    found = []
    for slope in (ROUNDING, TRUNCATION):
        guide = _fitted(parameter.sweep, slope) or _from_error_bar(parameter.worst, slope, _epsilon(case, parameter))
        found += [guide] if guide else []
    return tuple(found)


def _fitted(points: Sequence[SweepPoint], slope: int) -> Guide | None:
    """Lay a line through the neighbours whose errors go as it does; else through all on its side, if they do."""
    logs = sorted(
        (math.log10(point.eps), math.log10(point.rel_err))
        for point in points
        if 0 < point.rel_err < math.inf and 0 < point.eps < math.inf
    )
    through = [place for pair in pairwise(logs) if _goes_as(*pair, slope) for place in pair]
    if not through and logs:
        least = min(range(len(logs)), key=lambda at: logs[at][1])
        # Rounding is random: neighbours may go any way where the whole rises.
        side = logs[: least + 1] if slope == ROUNDING else logs[least:]
        through = [place for place in side if place != logs[least]] if _goes_as(side[0], side[-1], slope) else []
    return Guide(slope, median(y - slope * x for x, y in through), True) if through else None


def _goes_as(one: tuple[float, float], other: tuple[float, float], slope: int) -> bool:
    """Tell whether the error goes about as eps^slope from one point to the other, which lies at a larger step."""
    low, high = _BANDS[slope]
    return other[0] > one[0] and low <= (other[1] - one[1]) / (other[0] - one[0]) <= high


def _from_error_bar(worst: WorstElement | None, slope: int, epsilon: float) -> Guide | None:
    """Lay the line so that both together are least at the best step, and there the error that the bar stands for.

    At the least of c / eps + k eps^2 two thirds of the error are rounding, which is hardly less than epsilon / eps. So
    a bar that is too small for the usual step, the cube root of epsilon, was found at a larger one.
    """
    if worst is None:
        return None
    size = abs(worst.analytic) + abs(worst.numeric)
    error = worst.error_bar / _BARS_PER_ERROR
    # A bar as large as the gradient is no matter of steps: there is a jump, or nothing is known.
    if not (0 < error < size < math.inf and error / size > 0):
        return None
    rounding, truncation = 2 / 3 * error / size, 1 / 3 * error / size
    best = min(max(epsilon ** (1 / 3), epsilon / rounding), _LARGEST_STEP)
    height = rounding if slope == ROUNDING else truncation
    return Guide(slope, math.log10(height) - slope * math.log10(best), False)


def _epsilon(case: CaseResult, parameter: ParameterResult) -> float:
    """Return the machine epsilon of the numbers in which the case computes."""
    for dtype, epsilon in _EPSILON.items():
        if dtype == case.dtype or dtype in case.label:
            return epsilon
    single = any(finding.name == "float32-inside" for finding in (*case.findings, *parameter.findings))
    return _EPSILON["float32"] if single else _DOUBLE
