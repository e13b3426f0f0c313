"""Second look at a suspicious element: how its slopes behave from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from gradcheck_cli.numeric.differences import Slopes
from gradcheck_cli.verdict.decide import Compared

Behaviour = Literal["smooth", "kink", "jump"]


def behaviour(ladder: Sequence[Slopes]) -> Behaviour:
    """Tell smooth, kink and jump apart by the gap between the one-sided slopes as the step shrinks.

    The gap of a smooth function shrinks like the step, at a kink it stays, at a jump it grows like
    1/step at constant size. Only gaps that stand out of rounding count, and three are needed.
    """
    clear = [slopes for slopes in ladder if slopes.gap > 10 * slopes.error_bar and np.isfinite(slopes.gap)]
    smallest = sorted(clear, key=lambda slopes: slopes.h)[:3]
    if len(smallest) < 3 or any(_would_show(slopes, smallest[0]) for slopes in ladder if slopes.h < smallest[0].h):
        return "smooth"
    gaps = np.array([slopes.gap for slopes in smallest])
    sizes = gaps * np.array([slopes.h for slopes in smallest])
    if np.ptp(gaps) <= 0.1 * gaps.max():
        return "kink"
    return "jump" if np.ptp(sizes) <= 0.1 * sizes.max() else "smooth"


def _would_show(finer: Slopes, clear: Slopes) -> bool:
    """Tell whether a finer step is sharp enough to have shown the gap, so that the kink lies beside the point."""
    return 10 * finer.error_bar < 0.5 * clear.gap


def valid_subgradient(analytic: float, ladder: Sequence[Slopes], rtol: float) -> bool:
    """Tell whether `analytic` lies between the one-sided slopes at the smallest step that shows the kink."""
    clear = [slopes for slopes in ladder if slopes.gap > 10 * slopes.error_bar]
    sharpest = min(clear, key=lambda slopes: slopes.h)
    low, high = sorted((sharpest.forward, sharpest.backward))
    # The one-sided slopes still curve by about their change between two steps.
    slack = sharpest.error_bar + rtol * max(abs(low), abs(high)) + 0.01 * sharpest.gap
    return low - slack <= analytic <= high + slack


def agreeing_step(element: Compared, ladder: Sequence[Slopes], rtol: float) -> Slopes | None:
    """Return the sharpest step of the ladder at which the element agrees, None if it never does."""
    agreeing = [s for s in ladder if Compared(element.index, element.scale, element.analytic, s).agrees(rtol)]
    meaningful = [s for s in agreeing if s.error_bar <= 1e-3 * max(abs(element.analytic), abs(s.central))]
    return min(meaningful, key=lambda slopes: slopes.error_bar, default=None)
