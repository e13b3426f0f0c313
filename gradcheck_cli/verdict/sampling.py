"""How many elements of each parameter are checked: what a person chose, and fewer where all would take too long."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gradcheck_cli.knobs import Knobs
from gradcheck_cli.verdict.budget import SURVEY, estimate_costs, plan_text, share_out
from gradcheck_cli.verdict.watcher import Watcher


class Sampling:
    """The `numbers` of elements by parameter, where these aren't all, and the names of those that were `planned`.

    `chosen` are those that a person asked for, `seed` draws the elements. `watcher` hears of a plan before it starts,
    and `notes` gets it.
    """

    def __init__(
        self, chosen: Mapping[str, int], knobs: Knobs, seed: Sequence[int], watcher: Watcher, notes: list[str]
    ) -> None:
        self.numbers = dict(chosen)
        self.planned: set[str] = set()
        self._knobs = knobs
        self._seed = seed
        self._watcher = watcher
        self._notes = notes

    def plan(self, sizes: Mapping[str, int], seconds: float, measure: Callable[[str, float, float], float]) -> None:
        """Say what a check of parameters of these sizes takes, before it starts; the most expensive one comes first.

        Where that is more than the budget, fewer elements are checked, which is noted, too. One evaluation takes
        `seconds`; see `estimate_costs` for `measure`.
        """
        counts = {name: int(min(size, self.numbers.get(name, np.inf))) for name, size in sizes.items()}
        if self._knobs.directions:
            evaluations = len(counts) * (2 * self._knobs.directions + SURVEY)
            self._watcher.expect(evaluations, evaluations * seconds)
            return
        budget = self._knobs.budget
        estimate = estimate_costs(counts, seconds, budget, measure)
        fewer = share_out(estimate.costs, budget, settled=self.numbers)
        if not fewer:
            self._watcher.expect(estimate.evaluations, estimate.seconds)
            return
        text = plan_text(estimate.costs, fewer, budget, self._seed[0])
        self.numbers.update(fewer)
        self.planned.update(fewer)
        self._notes.append(text)
        self._watcher.plan(text)
