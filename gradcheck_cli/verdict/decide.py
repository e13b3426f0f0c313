"""The deciding number, and the verdict of one parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradcheck_cli.numeric.differences import Slopes

BLUNT = 1e-3
"""An error bar above this share of the largest gradient leaves the parameter undecided."""


@dataclass(frozen=True)
class Compared:
    """One element: the analytic gradient beside the slopes at the chosen step."""

    index: tuple[int, ...]
    scale: float
    analytic: float
    slopes: Slopes

    @property
    def difference(self) -> float:
        """How far analytic and numeric gradient are apart."""
        return abs(self.analytic - self.slopes.central)

    @property
    def size(self) -> float:
        """|analytic| + |numeric|, to which the difference is relative."""
        return abs(self.analytic) + abs(self.slopes.central)

    def rel_err(self, rtol: float) -> float:
        """Return the number that decides: right if it is at most `rtol`.

        The sources' relative error, with the error bar as the floor of its denominator, so that
        rounding beside a gradient of zero doesn't count and a missing small gradient does.
        """
        floor = max(self.size, self.slopes.error_bar / rtol)
        return 0.0 if self.difference == 0 else self.difference / floor if floor else float("inf")

    def agrees(self, rtol: float) -> bool:
        """Tell whether the analytic gradient is within the bar, or within `rtol`."""
        return self.rel_err(rtol) <= rtol

    def suspects_kink(self) -> bool:
        """Tell whether the one-sided slopes differ by more than one percent and more than rounding explains."""
        slope = max(abs(self.slopes.forward), abs(self.slopes.backward))
        return self.slopes.gap > 0.01 * slope and self.slopes.gap > 10 * self.slopes.error_bar


def largest_gradient(elements: Sequence[Compared]) -> float:
    """Return the largest magnitude among analytic and numeric gradients."""
    return max((max(abs(e.analytic), abs(e.slopes.central)) for e in elements), default=0.0)


def resolution(elements: Sequence[Compared], rtol: float) -> float | None:
    """Return the smallest relative error that the check could have seen; None if both sides are zero."""
    largest = largest_gradient(elements)
    bar = max((e.slopes.error_bar for e in elements), default=0.0)
    return None if vacuous(elements) or not largest else max(rtol, 2 * bar / largest)


def vacuous(elements: Sequence[Compared]) -> bool:
    """Tell whether both sides are zero within their bars everywhere, so that nothing was compared."""
    return all(max(abs(e.analytic), abs(e.slopes.central)) <= e.slopes.error_bar for e in elements)


def too_blunt(elements: Sequence[Compared]) -> bool:
    """Tell whether an error bar is so wide that agreement means little."""
    largest = largest_gradient(elements)
    return any(e.slopes.error_bar > BLUNT * largest for e in elements)


def worst(elements: Sequence[Compared], rtol: float) -> Compared:
    """Return the element with the largest deciding number; a non-finite one comes first."""
    return max(elements, key=lambda e: np.nan_to_num(e.rel_err(rtol), nan=np.inf, posinf=np.inf))
