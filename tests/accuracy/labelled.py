"""Check a labelled operator, and hold what the checker said against the label."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcheck_cli.records import Verdict
from tests.accuracy.checker import Outcome, check
from tests.accuracy.corpus import OPERATORS, LabelledOperator
from tests.accuracy.rules import verdicts

STATUSES = ("as labelled", "also ok", "undecided", "other reason", "false pass", "false failure", "error")
"""What the checker made of a label, best first; only the first two are right."""

RIGHT = STATUSES[:2]


@dataclass(frozen=True)
class LabelledCheck:
    """One check of a labelled operator at the arguments and cotangents of one seed.

    `rules` tells which other rules pass it, where they were asked.
    """

    name: str
    seed: int
    label: str
    status: str
    outcome: Outcome
    rules: Mapping[str, bool] = field(default_factory=dict)

    def describe(self) -> str:
        """Say what was wrong, and what is needed to see it again."""
        expected = self.label + (f" ({OPERATORS[self.name].finding})" if OPERATORS[self.name].finding else "")
        return f"{self.status}: --show {self.name} --seed {self.seed}: {expected}, said {self.outcome.describe()}"


def arguments_of(operator: LabelledOperator, seed: int) -> tuple[Any, ...]:
    """Draw the arguments of a labelled operator; they don't depend on its neighbours."""
    return operator.inputs(np.random.default_rng([seed, zlib.crc32(operator.name.encode())]))


def check_labelled(name: str, seed: int, compare: bool = False) -> LabelledCheck:
    """Check one labelled operator with fresh functions; with `compare` also by the other rules."""
    operator = OPERATORS[name]
    arguments = arguments_of(operator, seed)
    outcome = check(*operator.make(), arguments, seed, name)
    rules = verdicts(*operator.make(), arguments, seed) if compare else {}
    return LabelledCheck(name, seed, operator.label, status_of(operator, outcome), outcome, rules)


def status_of(operator: LabelledOperator, outcome: Outcome) -> str:
    """Compare an outcome with the label: one of `STATUSES`.

    A right gradient that fails is a false failure, and so is a kink with a valid gradient. A pass
    of anything else is a false pass, whatever `also_ok` says.
    """
    if outcome.kind == "error":
        return "error"
    right = operator.label == "correct" or operator.finding == "kink-at-point"
    if outcome.verdict is Verdict.FAIL and right:
        return "false failure"
    if outcome.verdict is Verdict.PASS and not right:
        return "false pass"
    if outcome.kind == operator.label and (not operator.finding or operator.finding in outcome.names):
        return "as labelled"
    if outcome.kind in operator.also_ok:
        return "also ok"
    return "undecided" if outcome.verdict is Verdict.INCONCLUSIVE else "other reason"
