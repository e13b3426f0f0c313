"""The plan of a function: what has to run again when a parameter moves, for many perturbations at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.builtin import builtin
from gradcheck_cli.numeric.moved import Bases, Moved
from gradcheck_cli.numeric.recorder import Record, Step
from gradcheck_cli.numeric.rules.applied import Applied
from gradcheck_cli.numeric.rules.choice import Rule, choose
from gradcheck_cli.numeric.rules.losses import unreduced


class _Stage(NamedTuple):
    """An application with its rule, and the slots that nothing reads after it."""

    applied: Applied
    rule: Rule
    done: tuple[int, ...]


class Plan:
    """A recorded function that replays downstream of what moves.

    `replay` runs the operators as the function does, and gives the same bits. `push` takes many perturbations of one
    parameter at once, and agrees with it to rounding; `looped` names operators that it calls once for each.
    `largest_alone` holds what was learned of the bytes of the largest array where one element of a parameter moves.
    """

    def __init__(self, record: Record, looped: Collection[str] = ()) -> None:
        self.record = record
        self.looped = frozenset(looped)
        self.steps: list[Step] = []
        values = list(record.values)
        for step in record.steps:
            self.steps.extend(self._unfolded(step, values))
        self.bases = Bases(values)
        self.largest_alone: dict[str, int] = {}
        self._largest: dict[str, int] = {}
        self._programs: dict[tuple[str, tuple[int, ...]], list[_Stage]] = {}
        self._replays: dict[tuple[frozenset[str], tuple[int, ...]], list[Step]] = {}
        self._applied: dict[Step, tuple[Applied, Rule]] = {}

    def _unfolded(self, step: Step, values: list[Any]) -> Iterable[Step]:
        """Split a loss into the losses one by one, and their sum or mean."""
        applied = Applied(step.operator, step.operands, step.attributes, step.outputs, Bases(values))
        found = None if step.operator.name in self.looped else unreduced(applied)
        if found is None:
            return [step]
        reduction, losses = found
        values.append(losses)
        slot = len(values) - 1
        return [
            Step(step.operator, step.operands, {**step.attributes, "reduction": "none"}, (slot,)),
            Step(builtin[reduction], (slot,), {}, step.outputs),
        ]

    @cached_property
    def dependent(self) -> set[int]:
        """The slots that depend on a parameter, those of losses one by one included."""
        reached = set(self.record.leaves.values())
        for step in self.steps:
            if not reached.isdisjoint(step.operands):
                reached.update(step.outputs)
        return reached

    def replay(self, values: Mapping[str, Array], slots: tuple[int, ...] | None = None) -> tuple[Array, ...]:
        """Return the outputs (or what stands in `slots`) when some parameters have other values.

        Raises what the operators raise.
        """
        wanted = self.record.outputs if slots is None else slots
        registers = list(self.bases.values)
        for name, array in values.items():
            registers[self.record.leaves[name]] = array
        current = execution.current()
        for step in self.downstream(frozenset(values), wanted):
            outputs, _ = current.forward(step.operator, [registers[slot] for slot in step.operands], step.attributes)
            for slot, out in zip(step.outputs, outputs, strict=True):
                registers[slot] = out
        return tuple([np.asarray(registers[slot]) for slot in wanted])

    def downstream(self, names: frozenset[str], wanted: tuple[int, ...]) -> list[Step]:
        """Return the steps that `wanted` need when the named parameters move."""
        key = names, wanted
        if key not in self._replays:
            # Losses one by one are only in the unfolded steps.
            unfolded = any(slot >= len(self.record.values) for slot in wanted)
            steps = self.steps if unfolded else self.record.steps
            self._replays[key] = needed(steps, [self.record.leaves[name] for name in names], wanted)
        return self._replays[key]

    def push(self, name: str, start: Moved, slots: tuple[int, ...]) -> tuple[dict[int, Moved], int]:
        """Return what moves of `slots` when the parameter does, and the bytes of the largest array of one perturbation.

        Raises what a forward raises outside of its domain, MisfitError where one answers a batch otherwise.
        """
        moved = {self.record.leaves[name]: start}
        largest = start.values.nbytes
        self.bases.widest = 0
        for applied, rule, done in self._program(name, slots):
            operands = [moved.get(slot) for slot in applied.operands]
            for slot, made in zip(applied.outputs, rule(applied, operands), strict=True):
                moved[slot] = made
                largest = max(largest, made.values.nbytes)
            for slot in done:
                del moved[slot]
        largest = max(largest, self.bases.widest)
        return {slot: moved[slot] for slot in slots if slot in moved}, largest // start.count

    def largest(self, name: str) -> int:
        """Return the bytes of the largest array at the point that depends on a parameter, this included; at least 1."""
        if name in self._largest:
            return self._largest[name]
        leaf = self.record.leaves[name]
        reached, largest = {leaf}, max(1, self.bases[leaf].nbytes)
        for step in self.steps:
            if not reached.isdisjoint(step.operands):
                reached.update(step.outputs)
                largest = max(largest, *[self.bases[slot].nbytes for slot in step.outputs])
        self._largest[name] = int(largest)
        return self._largest[name]

    def _program(self, name: str, slots: tuple[int, ...]) -> list[_Stage]:
        """Return the steps downstream of a parameter that `slots` need, and what can be let go after each."""
        key = name, slots
        if key not in self._programs:
            leaf = self.record.leaves[name]
            steps = needed(self.steps, [leaf], slots)
            moves = {leaf, *(slot for step in steps for slot in step.outputs)}
            last = {}
            for number, step in enumerate(steps):
                last.update({slot: number for slot in (*step.outputs, *step.operands) if slot in moves})
            done: list[list[int]] = [[] for _ in steps]
            for slot, number in last.items():
                if slot not in slots:
                    done[number].append(slot)
            self._programs[key] = [
                _Stage(*self.applied(step), tuple(let_go)) for step, let_go in zip(steps, done, strict=True)
            ]
        return self._programs[key]

    def applied(self, step: Step) -> tuple[Applied, Rule]:
        """Return a step as rules see it, and its rule: one for all parameters, so that what it works out is shared."""
        if step not in self._applied:
            made = Applied(step.operator, step.operands, step.attributes, step.outputs, self.bases)
            self._applied[step] = made, choose(made, step.operator.name in self.looped)
        return self._applied[step]


def needed(steps: Iterable[Step], leaves: Iterable[int], wanted: Iterable[int]) -> list[Step]:
    """Return the steps that depend on `leaves` and that `wanted` depend on, in order."""
    moved, down = set(leaves), []
    for step in steps:
        if not moved.isdisjoint(step.operands):
            moved.update(step.outputs)
            down.append(step)
    used, kept = set(wanted), []
    for step in reversed(down):
        if not used.isdisjoint(step.outputs):
            used.update(step.operands)
            kept.append(step)
    return kept[::-1]
