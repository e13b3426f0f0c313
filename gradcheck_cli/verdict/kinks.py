"""Kinks and jumps at the point, told from smooth functions by how the one-sided slopes part."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from gradcheck_cli.numeric.ladder import Slopes
from gradcheck_cli.numeric.step_choice import SAFETY, best_step

CLEAR = 10.0
"""A gap between one-sided slopes counts from so many times its noise."""

RUN = 3
"""So many steps in a row must show the gap."""


class Corner(NamedTuple):
    """A kink or a jump at x, or a kink beside it. `low` and `high` bound the subgradients at x, up to `slack`."""

    kind: Literal["kink", "jump", "nearby"]
    start: int
    low: float = 0.0
    high: float = 0.0
    slack: float = np.inf

    def contains(self, analytic: float) -> bool:
        """Tell whether `analytic` is a subgradient."""
        return self.low - self.slack <= analytic <= self.high + self.slack


def find_corner(slopes: Slopes, rtol: float, table_noise: float) -> Corner | None:
    """Return the kink or jump at x, or a kink nearby; None for a function that is smooth all around.

    The gap |F-B| of a smooth function shrinks like h, at a kink it stays, at a jump it grows like
    1/h at constant size. A gap that a smaller step should have shown and doesn't lies beside x.
    `table_noise` is the noise that a jump has to exceed.
    """
    if not slopes.two_sided:
        return None
    if _leaps(slopes, table_noise):
        return Corner("jump", 0)
    gap, noise = slopes.gap, slopes.gap_noise
    clear = gap > CLEAR * noise
    runs = [q for q in range(len(gap) - RUN + 1) if clear[q : q + RUN].all()]
    if not runs:
        return None
    start = runs[0]
    trend = np.log(gap[start + RUN - 1] / gap[start]) / np.log(slopes.h[start + RUN - 1] / slopes.h[start])
    steepest = max(abs(slopes.forward[start]), abs(slopes.backward[start]))
    hidden_below = np.any(CLEAR * noise[:start] < 0.3 * gap[start])
    if trend >= 0.5 or gap[start] <= rtol * steepest:
        return None
    if hidden_below:
        return Corner("nearby", start) if trend >= -0.5 else None
    if trend < -0.5:
        return Corner("jump", start) if _constant_size(slopes, start, table_noise) else None
    return _kink(slopes, start, rtol)


def _leaps(slopes: Slopes, table_noise: float) -> bool:
    """Tell whether the value leaps across x by a constant amount, as large above as below (a sign function at 0)."""
    leap = np.abs(slopes.rise - slopes.fall)[: RUN + 1]
    noise = max(10 * table_noise, CLEAR * float(slopes.sigma[0]))
    return len(leap) > RUN and float(np.ptp(leap)) <= 0.1 * leap.max() and leap.min() > noise


def _constant_size(slopes: Slopes, start: int, table_noise: float) -> bool:
    """Tell a jump from noise: its size is the same, to 10 %, at four steps, and stands out of the noise."""
    size = np.abs(slopes.rise + slopes.fall)[start : start + RUN + 1]
    return len(size) > RUN and float(np.ptp(size)) <= 0.1 * size.max() and size.max() >= 10 * table_noise


def _kink(slopes: Slopes, start: int, rtol: float) -> Corner | None:
    """Measure the one-sided slopes, each at its best step; per output, since each has its own corner."""
    ahead, error_ahead = best_step(slopes.h, slopes.forward, slopes.sigma)
    behind, error_behind = best_step(slopes.h, slopes.backward, slopes.sigma)
    if abs(slopes.forward[ahead] - slopes.backward[behind]) < 0.5 * slopes.gap[start]:
        return None
    forward, backward = slopes.terms_forward[ahead], slopes.terms_backward[behind]
    low, high = float(np.minimum(forward, backward).sum()), float(np.maximum(forward, backward).sum())
    slack = SAFETY * (error_ahead + error_behind) + rtol * (abs(low) + abs(high))
    return Corner("kink", start, low, high, slack)
