"""Guards: signs that a measurement can neither convict nor acquit, though the numbers look clear."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.ladder import Slopes
from gradcheck_cli.numeric.stairs import HIGHEST
from gradcheck_cli.numeric.step_choice import SAFETY

_STRETCH = 3
"""So many steps make a stretch."""

_MOSTLY = 1e-3
"""Noise above this share of the value is mostly what there is to see."""


def abrupt_onset(slopes: Slopes, best: int, numeric: float, error: float) -> int | None:
    """Return the first larger step at which the slope leaves `numeric` abruptly; None if it never does.

    Truncation grows like h^2, tenfold between half-decades. A kink nearby sets in abruptly, and so do the
    stairs of rounding inside the function.
    """
    away = np.abs(slopes.central - numeric)
    return next((r for r in range(best + 1, len(away)) if away[r] > 100 * error and away[r] > 30 * away[r - 1]), None)


def agrees_after_onset(slopes: Slopes, best: int, numeric: float, error: float, analytic: float) -> bool:
    """Tell whether an abrupt change at larger steps leads to a flat stretch that agrees with `analytic`.

    Then the small steps saw one stair of a staircase (rounding inside the function).
    """
    onset = abrupt_onset(slopes, best, numeric, error)
    return onset is not None and flat_stretch_at(slopes, analytic, abs(analytic - numeric), onset)


def flat_stretch_at(slopes: Slopes, analytic: float, difference: float, start: int) -> bool:
    """Tell whether three steps in a row from `start` on lie within a fifth of `difference` of `analytic`, unkinked."""
    near = np.abs(slopes.central - analytic) <= 0.2 * difference
    return _holds_stretch(near & (slopes.gap <= difference), range(start, len(near) - _STRETCH + 1))


def agrees_below(slopes: Slopes, best: int, analytic: float, difference: float) -> bool:
    """Tell whether a flat stretch at smaller steps agrees with `analytic`, though noise seems to drown it.

    Then what looks like noise may be structure finer than the table of noise.
    """
    near = (np.abs(slopes.central - analytic) <= 0.2 * difference) & (slopes.central != 0)
    return _holds_stretch(near & (slopes.gap <= difference), range(best - _STRETCH + 1))


def _holds_stretch(steps: Array, starts: range) -> bool:
    """Tell whether three steps in a row hold, from any of `starts` on."""
    return any(steps[start : start + _STRETCH].all() for start in starts)


def mostly_noise(slopes: Slopes, best: int, size: float) -> bool:
    """Tell whether the noise is more than a thousandth of the value's `size`: it may be an undersampled oscillation."""
    return bool(slopes.sigma[best] > _MOSTLY * size > 0)


def unsettled_side(slopes: Slopes, best: int) -> bool:
    """Tell whether the slopes of one side alone still change by more than 10 % from step to step."""
    if slopes.two_sided:
        return False
    stretch = slopes.central[max(best - _STRETCH + 1, 0) : best + 1]
    return len(stretch) < _STRETCH or float(np.ptp(stretch)) > 0.1 * abs(slopes.central[best])


def below_quantum(
    slopes: Slopes, best: int, analytic: float, size: float, own: float = np.inf, digit: float = 0.0
) -> bool:
    """Tell whether no output moved up to the best step, and `analytic` predicts less than the smallest change seen.

    `size` is the magnitude of the value: a quantum above a hundredth of it is a real staircase, not rounding.
    Where nothing ever moves, `own` is the largest step for which the prediction counts: the function may have levelled
    off beyond the element's magnitude, however large its neighbours are; and `digit` is what the last digit of the
    value counts, which may have been rounded to it.
    """
    if slopes.central[: best + 1].any():
        return False
    # Far steps may show the same on both sides, where the function has levelled off: no slope, and yet a stair.
    moved = np.flatnonzero((slopes.rise != 0) | (slopes.fall != 0))
    changes = np.abs(np.concatenate([slopes.rise, slopes.fall]))
    changes = changes[changes > 0]
    if not changes.size:
        counts = slopes.h[slopes.h <= own]
        farthest = float(counts[-1] if counts.size else slopes.h[0])
        return abs(analytic) * farthest <= SAFETY * max(slopes.rounding, float(slopes.sigma.min()), digit)
    if moved[0] == 0:
        return False
    return bool(abs(analytic) * slopes.h[moved[0] - 1] <= changes.min() <= HIGHEST * size)


def in_unmoved_outputs(
    slopes: Slopes, u: Array, base: Array, epsilon: Array, numeric: float, tolerance: Callable[[float], float],
    analytic: float, gradient_of: Callable[[Array], float],
) -> bool:  # fmt: skip
    """Tell whether the difference sits in outputs that rounding keeps from moving (one backward shows it)."""
    still = ~slopes.moved
    if not still.any():
        return False
    part = gradient_of(np.where(still, u, 0.0))
    limit = SAFETY * float(np.linalg.norm((epsilon * u * base)[still])) / slopes.h[-1]
    return 0 < abs(part) <= limit and abs(analytic - part - numeric) <= tolerance(analytic - part)


def other_stretch(slopes: Slopes, best: int, numeric: float, bar: float) -> int | None:
    """Return where a second flat stretch at larger steps disagrees with `numeric`; None if there is none.

    Two slopes, each over three steps to 2 %: a staircase, or a function computed in low precision.
    With 10 % one of them was missed, and saturation looked flat.
    """
    for r in range(best + 1, len(slopes.h) - _STRETCH + 1):
        stretch = slopes.central[r : r + _STRETCH]
        away = abs(stretch[0] - numeric)
        noise = 2 * SAFETY * slopes.sigma[r] / slopes.h[r]
        flat = float(np.ptp(stretch)) <= min(0.1 * away, 0.02 * float(np.abs(stretch).min()))
        if away > bar + noise and flat and (slopes.gap[r : r + _STRETCH] <= away).all():
            return r
    return None
