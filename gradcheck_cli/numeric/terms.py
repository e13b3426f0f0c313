"""A function of one number as a sum of terms: what its last, linear steps add up.

The terms are compared in place of their sum, each with its weight as cotangent. So a small change isn't lost in a large
sum, and a term that stays costs nothing. The weights come from the forward alone (see `uniform_factor`); the gradient
under test stays the one of the whole function, through every backward.
"""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.numeric.call import Values
from gradcheck_cli.numeric.function import TracedRecording
from gradcheck_cli.numeric.plan import Plan
from gradcheck_cli.numeric.recorder import Step
from gradcheck_cli.numeric.rules.uniform import uniform_factor


class Terms:
    """The function that returns the terms: several arrays, the values of `slots`, weighing `weights` each.

    The value of the whole function is the weighted sum of all their elements, plus a constant.
    """

    def __init__(self, plan: Plan, slots: tuple[int, ...], weights: tuple[float, ...]) -> None:
        self.plan = plan
        self.slots = slots
        self.weights = weights

    @property
    def like(self) -> tuple[Array, ...]:
        """The terms at the point."""
        return tuple(np.asarray(self.plan.bases[slot]) for slot in self.slots)

    @property
    def cotangent(self) -> Array:
        """The weight of every element, as one vector."""
        return np.concatenate([np.full(out.size, w) for out, w in zip(self.like, self.weights, strict=True)])

    def outputs(self, values: Values) -> tuple[Array, ...]:
        """Evaluate the terms."""
        return self.plan.replay(values, self.slots)

    def record(self, values: Values) -> TracedRecording:
        """Evaluate the terms so that one can go back from some of them."""
        leaves = {name: Variable(array, name=name) for name, array in values.items()}
        registers = list(self.plan.bases.values)
        for name, leaf in leaves.items():
            registers[self.plan.record.leaves[name]] = leaf
        for step in self.plan.downstream(frozenset(values), self.slots):
            made = step.operator.apply([registers[slot] for slot in step.operands], step.attributes)
            for slot, out in zip(step.outputs, made if isinstance(made, tuple) else (made,), strict=True):
                registers[slot] = out
        return TracedRecording(leaves, tuple(registers[slot] for slot in self.slots))


def find_terms(plan: Plan) -> Terms | None:
    """Follow the value of a function back through its last linear steps; None where there is none to be found."""
    if len(plan.record.outputs) != 1 or plan.bases[plan.record.outputs[0]].dtype.kind != "f":
        return None
    (root,) = plan.record.outputs
    if plan.bases[root].size != 1:
        return None
    weights = {root: 1.0}
    for step in reversed(plan.steps):
        if len(step.outputs) != 1 or step.outputs[0] not in weights:
            continue
        factors = _factors(plan, step)
        if factors is None:
            continue
        weight = weights.pop(step.outputs[0])
        for slot, factor in factors:
            weights[slot] = weights.get(slot, 0.0) + weight * factor
    if set(weights) == {root} or not weights:
        return None
    terms = Terms(plan, tuple(weights), tuple(weights.values()))
    return terms if np.isfinite(terms.cotangent).all() else None


def _factors(plan: Plan, step: Step) -> list[tuple[int, float]] | None:
    """Return how much each operand that can move weighs in the sum of a step's output; None if it isn't linear."""
    applied, _ = plan.applied(step)
    positions = [position for position, slot in enumerate(step.operands) if slot in plan.dependent]
    if not applied.is_linear(positions) or step.operator.name in plan.looped:
        return None
    found = []
    for position in positions:
        factor = uniform_factor(applied, position)
        if factor is None or not np.isfinite(plan.bases[step.operands[position]]).all():
            return None
        found.append((step.operands[position], float(factor)))
    return found
