"""What the errors over the steps of a sweep say, in a few words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradcheck_cli.records import SweepPoint, Verdict
from gradcheck_cli.report.numbers import scientific

_FLAT = 1.1
"""Errors within ten percent of one another count as equal."""
_OUTLIER = 10
"""An error this many times smaller than the rest makes a sweep anything but flat."""
_LARGE = 1e-3
"""An error that stays above this is no matter of the step."""


def closing_word(points: Sequence[SweepPoint], verdict: Verdict, resolution: float | None) -> str:
    """Say in words how the error depends on the step; empty where two points are too few to tell.

    A right gradient's error falls with the step until rounding takes over; a wrong one's stays.
    """
    if len(points) < 2:
        return ""
    ordered = sorted(points, key=lambda point: -point.eps)
    bad = [point for point in ordered if not math.isfinite(point.rel_err)]
    if bad:
        return f"not finite at eps={scientific(bad[0].eps)}"
    errors = [point.rel_err for point in ordered]
    low, high = min(errors), max(errors)
    if verdict is Verdict.FAIL and (_is_flat(errors) or low > _LARGE):
        # More than half of the steps suffice for flat: at the ends truncation and rounding may take over.
        return "flat: the gradient is wrong" if _is_flat(errors) else "large at every step: the gradient is wrong"
    if verdict is Verdict.PASS and resolution is not None and high <= resolution:
        return "agrees at every step"
    if high <= low * _FLAT:
        return "flat"
    if errors[-1] == low:
        return "falls with eps: truncation"
    if errors[0] == low:
        return "grows as eps shrinks: rounding"
    best = scientific(ordered[errors.index(low)].eps)
    return f"smallest at eps={best}: truncation above, rounding below"


def _is_flat(errors: Sequence[float]) -> bool:
    middle = sorted(errors)[len(errors) // 2]
    level = [error for error in errors if middle / _FLAT <= error <= middle * _FLAT]
    return 2 * len(level) > len(errors) and 0 < middle <= _OUTLIER * min(errors)
