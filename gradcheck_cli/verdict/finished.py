"""What is finished of a parameter while its elements are compared, so that a stop in the middle loses nothing."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.verdict.outcome import Outcome
from gradcheck_cli.verdict.passes import Passes


class Finished:
    """Collects plain passes in columns, and the outcomes of all other elements."""

    def __init__(self) -> None:
        self._passes: list[Passes] = []
        self._outcomes: list[Outcome] = []

    def add(self, passes: Passes, outcomes: list[Outcome] | None = None) -> None:
        """Add elements that are through, under every cotangent."""
        self._passes.append(passes)
        self._outcomes += outcomes or []

    @property
    def passes(self) -> Passes:
        """All plain passes so far."""
        return Passes.joined(self._passes)

    @property
    def outcomes(self) -> list[Outcome]:
        """All other outcomes so far, in the order of the elements."""
        return sorted(self._outcomes, key=lambda outcome: (outcome.element, outcome.cotangent))

    @property
    def elements(self) -> Array:
        """The elements that are through, each once."""
        others = np.array([outcome.element for outcome in self._outcomes], dtype=int)
        return np.unique(np.concatenate([self.passes.element, others]))
