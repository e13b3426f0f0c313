"""A second look at elements that were called wrong: rounding alone, or kinks that no element shows by itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gradcheck_cli.numeric.point import Point
from gradcheck_cli.verdict.compare import Basis
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.gradient import Gradient
from gradcheck_cli.verdict.outcome import CONVICTED, Outcome, Status
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

    def at_hidden_kinks(self, finished: Finished) -> list[Outcome] | None:
        """Return the outcomes with what was called wrong at kinks, if the gradient is a subgradient; else None.

        Terms of a value are left to the value itself.
        """
        outcomes = finished.outcomes
        convicted = any(outcome.status in CONVICTED for outcome in outcomes)
        if not convicted or self._point.outputs.are_terms or len(finished.left):
            return None
        from gradcheck_cli.verdict.hidden_kinks import at_hidden_kinks

        return at_hidden_kinks(outcomes, self._point, self._basis)

    def vanished(self, elements: Elements) -> Elements:
        """Return the elements as passes, if their gradient is nothing but what roundings of the point make of zero."""
        return self._vanishing.settled(elements)

    @cached_property
    def _vanishing(self) -> Vanishing:
        from gradcheck_cli.verdict.vanishing import Vanishing

        return Vanishing(self._basis, self._gradient, self._point)
