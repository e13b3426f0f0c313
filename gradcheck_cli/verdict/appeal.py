"""A second look at elements that were called wrong: rounding alone may account for it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gradcheck_cli.numeric.point import Point
from gradcheck_cli.verdict.compare import Basis
from gradcheck_cli.verdict.gradient import Gradient
from gradcheck_cli.verdict.outcome import Outcome, Status
from gradcheck_cli.verdict.zeros import Zeros

if TYPE_CHECKING:
    from gradcheck_cli.verdict.summary import Elements
    from gradcheck_cli.verdict.vanishing import Vanishing


class Appeal:
    """Hears elements of the parameter that moves at `point`; what it needs is loaded for those few that come."""

    def __init__(self, basis: Basis, gradient: Gradient, point: Point) -> None:
        self._basis = basis
        self._gradient = gradient
        self._point = point
        self._zeros = Zeros(basis, gradient, point.base)

    def excused(self, outcome: Outcome) -> Outcome:
        """Return the outcome of an element, as a pass if rounding accounts for both of its gradients."""
        if outcome.status not in (Status.FAIL, Status.UNCLEAR) or outcome.difference <= outcome.bar:
            return outcome
        excused = self._zeros.excused(outcome)
        return excused if excused.status is Status.PASS else self._vanishing.excused(outcome)

    def vanished(self, elements: Elements) -> Elements:
        """Return the elements as passes, if their gradient is nothing but what roundings of the point make of zero."""
        return self._vanishing.settled(elements)

    @cached_property
    def _vanishing(self) -> Vanishing:
        from gradcheck_cli.verdict.vanishing import Vanishing

        return Vanishing(self._basis, self._gradient, self._point)
