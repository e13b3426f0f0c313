"""What is finished of a parameter while its elements are compared, so that a stop in the middle loses nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.verdict.outcome import CONVICTED, Outcome
from gradcheck_cli.verdict.passes import Passes

_ENOUGH = 32
"""Wrong elements that leave no doubt, and give a report enough to choose from."""


class Finished:
    """Collects plain passes in columns, and the outcomes of all other elements.

    `exhaustive` says that all elements count, however many are wrong. `excuse` has a last word on each outcome.
    """

    def __init__(self, exhaustive: bool = False, excuse: Callable[[Outcome], Outcome] | None = None) -> None:
        self._exhaustive = exhaustive
        self._excuse = excuse or (lambda outcome: outcome)
        self._convicted = 0
        self._passes: list[Passes] = []
        self._outcomes: list[Outcome] = []
        self._left: list[Passes] = []

    def add(self, passes: Passes, outcomes: list[Outcome] | None = None) -> None:
        """Add elements that are through, under every cotangent."""
        self._passes.append(passes)
        excused = [self._excuse(outcome) for outcome in outcomes or []]
        self._outcomes += excused
        self._convicted += any(outcome.status in CONVICTED for outcome in excused)

    @property
    def decided(self) -> bool:
        """Whether so many elements are wrong that the others needn't be examined one by one, which takes long."""
        return self._convicted >= _ENOUGH and not self._exhaustive

    def leave(self, measured: Passes) -> None:
        """Add elements that were measured only, others being wrong already."""
        self._left.append(measured)

    @property
    def left(self) -> Passes:
        """The figures of elements of which nothing is said."""
        return Passes.joined(self._left)

    @property
    def passes(self) -> Passes:
        """All plain passes so far."""
        if len(self._passes) > 1:  # joined once, however often they are asked for
            self._passes = [Passes.joined(self._passes)]
        return self._passes[0] if self._passes else Passes.none()

    @property
    def outcomes(self) -> list[Outcome]:
        """All other outcomes so far, in the order of the elements."""
        return sorted(self._outcomes, key=lambda outcome: (outcome.element, outcome.cotangent))

    @property
    def elements(self) -> Array:
        """The elements that are through, each once."""
        others = np.array([outcome.element for outcome in self._outcomes], dtype=int)
        return np.unique(np.concatenate([self.passes.element, self.left.element, others]))
