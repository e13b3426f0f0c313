"""The plan by which a case is evaluated, held to the contract first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.numeric.evaluator import MEMORY
from gradcheck_cli.numeric.function import Function, Recording, Values
from gradcheck_cli.numeric.plan import Plan
from gradcheck_cli.numeric.planning import find_plan
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.recorder import Recorder
from gradcheck_cli.numeric.replay import Replay
from gradcheck_cli.numeric.terms import find_terms
from gradcheck_cli.verdict.batch_contract import wrong_declarations

TERMS = True
"""Whether the terms of a sum are compared in its place: finer, and its noise is theirs."""


class View(NamedTuple):
    """What is compared: a function, its outputs, the cotangent that makes one number of them, and how to go back."""

    function: Function
    outputs: Outputs
    cotangent: Array
    vjp: Callable[[Array], Mapping[str, Array]]
    slots: tuple[int, ...] = ()


class Planned:
    """What evaluates the parameters of a case: its plan, where it has one that is the function.

    `violations` are declarations that aren't what their operator does, which then runs once for each perturbation.
    `users` names operators that draw random numbers, `accepted` are broken contracts that are allowed,
    `memory` bounds the bytes of what is evaluated together.
    """

    def __init__(
        self, users: Collection[str], accepted: Sequence[ContractViolation], seed: Sequence[int], memory: int = MEMORY
    ) -> None:
        self.plan: Plan | None = None
        self.violations: list[ContractViolation] = []
        self._looped = {*users, *(v.operator for v in accepted if v.finding == "input-modified")}
        self._repeatable = all(violation.finding != "not-repeatable" for violation in accepted)
        self._seed = seed
        self._memory = memory
        self._values: Values = {}

    def find(self, function: Function, values: Values, recorder: Recorder, recording: Recording) -> None:
        """Plan the function that `recorder` saw. Raises ContractViolation where evaluating it does."""
        self._values = values
        if not self._repeatable:
            return
        plan, _ = find_plan(function, values, recorder, recording, self._looped)
        if plan is None:
            return
        wrong = wrong_declarations(plan, np.random.default_rng([*self._seed, 109]))
        self.violations = list(wrong.values())
        self.plan = Plan(plan.record, {*self._looped, *wrong}) if wrong else plan

    def plain(self, function: Function, recording: Recording, outputs: Outputs, cotangent: Array) -> View:
        """Return the function with its outputs as they are."""
        slots = () if self.plan is None else self.plan.record.outputs
        return View(function, outputs, cotangent, lambda u: recording.vjp(outputs.split(u)), slots)

    def terms(self, outputs: Outputs, cotangent: Array) -> View | None:
        """Return the terms that the one number of the function sums up, if that is what it is."""
        terms = find_terms(self.plan) if TERMS and self.plan is not None and not outputs.jitter.any() else None
        if terms is None:
            return None
        many = Outputs(terms.like, are_terms=True)

        def vjp(u: Array) -> Mapping[str, Array]:
            return terms.record(self._values).vjp(many.split(u))

        return View(terms, many, terms.cotangent * cotangent.item(), vjp, terms.slots)

    def steps_of(self, name: str) -> int:
        """Return how many calls of operators one evaluation of a moved parameter takes; 0 without a plan."""
        return 0 if self.plan is None else len(self.plan.downstream(frozenset({name}), self.plan.record.outputs))

    def evaluator(self, view: View, name: str) -> Replay | None:
        """Return what evaluates one parameter, None for a plain loop."""
        if self.plan is None:
            return None
        return Replay(self.plan, name, self._values[name], view.outputs, view.slots, self._memory)
