"""Check a random function, right or wrong, and sort what the checker said into a column of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcheck_cli.records import ParameterResult, Verdict
from tests.accuracy.checker import Outcome, check
from tests.accuracy.random_functions import RandomFunction, draw_function
from tests.accuracy.rules import verdicts

RIGHT_ANSWERS = ("pass", "valid kink", "jump", "inconclusive", "called wrong")
"""What may be said of a right gradient; only the last is an error of the checker."""

WRONG_ANSWERS = ("fail", "undecided", "passed")
"""What may be said of a wrong gradient."""


@dataclass(frozen=True)
class RandomCheck:
    """One check of a random function; `right` tells the truth about its backward.

    `planted` is the mistake as a share of the largest gradient, for the cotangent that decided.
    `hidden` tells whether it is at most the printed resolution, `behind_bar` whether the element's own
    bar hides it: None where the result doesn't show that element. `rules` tells which other rules
    pass it, where they were asked.
    """

    kind: str
    index: int
    seed: int
    right: bool
    answer: str
    planted: float
    hidden: bool
    behind_bar: bool | None
    outcome: Outcome
    rules: Mapping[str, bool] = field(default_factory=dict)

    @property
    def is_exception(self) -> bool:
        """Whether the checker broke its promise: a right one called wrong, or a visible mistake passed."""
        return self.answer in ("called wrong", "error") or (self.answer == "passed" and not self.hidden)

    def describe(self) -> str:
        """Say what was wrong, and what is needed to see it again."""
        truth = "right" if self.right else f"wrong (by {self.planted:.2g} of the largest gradient)"
        again = f"--show {self.kind}:{self.index} --seed {self.seed}"
        return f"{self.answer}: {again}: {truth}, said {self.outcome.describe()}"


def check_random(seed: int, kind: str, index: int, right: bool, compare: bool = False) -> RandomCheck:
    """Draw a function and check its right or its wrong backward; with `compare` also by the other rules."""
    drawn = draw_function(seed, kind, index)
    seen: list[Any] = []
    backward = drawn.backward(right)

    def watched(g: Any, out: Any, x: Any) -> Any:
        seen.append(np.array(g, dtype=np.float64))
        return backward(g, out, x)

    outcome = check(drawn.forward, watched, (drawn.point,), seed, f"{kind}_{index}")
    rules = verdicts(drawn.forward, backward, (drawn.point,), seed) if compare else {}
    if right:
        return RandomCheck(kind, index, seed, right, _answer(outcome, right), 0.0, True, True, outcome, rules)
    result = outcome.parameters[0] if outcome.parameters else None
    cotangent = _deciding_cotangent(drawn, seen, result)
    size = abs(cotangent[drawn.slip.output]) * drawn.planted
    largest = float(np.abs(cotangent @ drawn.wrong_jacobian(drawn.point)).max())
    hidden = result is None or result.resolution is None or size <= result.resolution * largest
    planted = size / largest if largest else float("inf")
    behind = _behind_bar(drawn, size, result)
    return RandomCheck(kind, index, seed, right, _answer(outcome, right), planted, hidden, behind, outcome, rules)


def _answer(outcome: Outcome, right: bool) -> str:
    if outcome.verdict is Verdict.ERROR:
        return "error"
    if not right:
        return {Verdict.FAIL: "fail", Verdict.PASS: "passed"}.get(outcome.verdict, "undecided")
    if outcome.verdict is Verdict.FAIL:
        return "called wrong"
    if outcome.verdict is Verdict.PASS:
        return "valid kink" if outcome.kind == "kink" else "pass"
    return "jump" if outcome.kind == "kink" else "inconclusive"


def _deciding_cotangent(drawn: RandomFunction, seen: list[Any], result: ParameterResult | None) -> Any:
    """Find the cotangent that gave the analytic value in the result, else the first."""
    if result is not None and result.worst is not None:
        column = drawn.wrong_jacobian(drawn.point)[:, result.worst.index[0]]
        for g in seen:
            if np.isclose(g @ column, result.worst.analytic, rtol=1e-12, atol=0):
                return g
    return seen[0] if seen else np.ones(drawn.height.size)


def _behind_bar(drawn: RandomFunction, size: float, result: ParameterResult | None) -> bool | None:
    """Tell whether the wrong element's mistake is at most twice its bar; None if another element is shown."""
    if result is None or result.worst is None or result.worst.index != (drawn.slip.element,):
        return None
    magnitude = max(abs(result.worst.analytic), abs(result.worst.numeric))
    return size <= max(2 * result.worst.error_bar, 1e-7 * 2 * magnitude)
