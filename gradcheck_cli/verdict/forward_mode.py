"""Forward mode against reverse mode: for every t and g, <g, jvp(t)> is <vjp(g), t>. No difference is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import current, using
from gradcheck_cli.core.jvp import Application
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import ContractViolation, GradcheckError, Location
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.steps import typical_magnitude
from gradcheck_cli.verdict.dot_product import Probe, Products, Rounding, array_at, differences, products
from gradcheck_cli.verdict.linearity import Sizes, Words, find_defect, gate_of, signed_like

FINDING = "forward-reverse-mismatch"

_WORDS = Words("jvp", "t", "tangent")

_GROUPS = 16
"""Parts of an input that move one after another, of elements with like gradients: a large one hides no small one."""

_LOOKS = 200
"""Calls of the jvp that the search for the element may take."""

_NUDGES, _NOISE = 6, 10.0
"""A mismatch counts above so many times what the numbers change by when the inputs move in their last digits."""

_DIGITS = 4.0, 64.0
"""By how many roundings they move: enough to change those of sums of their squares."""

_REACH = 1e-3
"""Share of the typical magnitude by which the inputs are moved at most."""

_CLEARLY_WRONG = 1e-4
"""A jvp that isn't linear is so by more than this; less is rounding, and the comparison with the backward says more."""


def find_mismatch(
    application: Application, execution: SeededExecution, sizes: Sizes, accuracy: float, rng: np.random.Generator
) -> ContractViolation | None:
    """Hold the jvp of one application to being a linear map, and to its backward; None if nothing is wrong.

    `execution` says how operators are called, `sizes` and `accuracy` are those of `find_defect`. Raises
    OperatorError and ContractViolation for a jvp that can't be used.
    """
    like = [
        array if parent is not None and array is not None and array.size and array.dtype.kind == "f" else None
        for array, parent in zip(application.arrays, application.node.parents, strict=True)
    ]
    moving = [slot for slot, array in enumerate(like) if array is not None]
    if not moving or application.push({}) is None:
        return None
    defect = _not_linear(application, like, sizes, accuracy, rng)
    if defect is not None:
        return defect
    plain = _Plain(execution.users, execution.allowed)
    with using(plain):
        return _Comparison(application, plain, moving, sizes, accuracy, rng).mismatch()


def _not_linear(
    application: Application, like: Sequence[Array | None], sizes: Sizes, accuracy: float, rng: np.random.Generator
) -> ContractViolation | None:
    """Look whether the jvp repeats, and is a linear map of the tangents."""

    def push(tangents: Sequence[Array | None]) -> Sequence[Array | None]:
        return application.push({slot: t for slot, t in enumerate(tangents) if t is not None}) or ()

    smallest = min((size for size in sizes.inputs if size), default=1.0)
    turned = Sizes(sizes.outputs, (smallest,) * len(application.outputs), sizes.epsilon)
    defect = find_defect(push, like, turned, max(accuracy, _CLEARLY_WRONG), rng, _WORDS)
    if defect is None:
        return None
    # Only a map that is linear in t can be the transpose of one that is linear in g.
    finding = FINDING if defect.finding == "not-linear-in-g" else defect.finding
    message = f"in its jvp, for {application.operator.outputs[defect.slot]}, {defect.message}"
    return ContractViolation(finding, message, application.operator.name, _place(application), defect.hint)


def _place(application: Application) -> Location:
    rule = application.operator.jvp
    assert rule is not None, application.operator.name
    return rule.location


class _Plain(SeededExecution):
    """Calls operators without looking at them, and keeps the last application."""

    application: Application | None = None

    def recorded(
        self,
        node: Node,
        arrays: Sequence[Array | None],
        attributes: dict[str, Any],
        outputs: tuple[Array, ...],
        kept: dict[str, Any],
    ) -> None:
        """Keep what the jvp of a node may ask for."""
        self.application = Application(node, arrays, attributes, outputs, kept)


class _Comparison:
    """The search for a t and a g that tell forward mode from reverse mode."""

    def __init__(
        self,
        application: Application,
        plain: _Plain,
        moving: Sequence[int],
        sizes: Sizes,
        accuracy: float,
        rng: np.random.Generator,
    ) -> None:
        self.application = application
        self.plain = plain
        self.moving = moving
        self.rng = rng
        floating = [*application.outputs, *(application.arrays[slot] for slot in moving)]
        dtypes = [array.dtype for array in floating if array is not None and array.dtype.kind == "f"]
        epsilon = max(sizes.epsilon, *(float(np.finfo(dtype).eps) for dtype in dtypes))
        self.rounding = Rounding(epsilon, gate_of(epsilon, accuracy))

    def mismatch(self) -> ContractViolation | None:
        """Compare two draws of t and g for every input that moves: the first in groups, the second at once."""
        for groups in (_GROUPS, 1):
            g = signed_like([out if out.dtype.kind == "f" else None for out in self.application.outputs], self.rng)
            gradients = current().backward(self.application.node, g)
            for slot in self.moving:
                (t,) = signed_like([array_at(self.application, slot)], self.rng)
                gradient = gradients[slot]
                assert t is not None
                assert gradient is not None
                found = self._search(Probe(slot, t, g, gradient), groups)
                if found is not None:
                    return found
        return None

    def _search(self, probe: Probe, groups: int) -> ContractViolation | None:
        """Look for one element about which the two disagree: alone, and by more than its numbers wander."""
        if not np.isfinite(probe.gradient).all():
            return None  # said where the gradient is used
        order = np.argsort(np.abs(probe.gradient).ravel(), kind="stable")
        stack = [part for part in np.array_split(order, min(groups, order.size)) if part.size]
        for _ in range(_LOOKS):
            if not stack:
                break
            elements = stack.pop()
            one = probe.at(elements)
            seen = products(self.application, one, self.rounding)
            if seen is None:
                return self._not_finite(probe.slot)
            if not seen.suspicious:
                continue
            if elements.size > 1:
                stack += [elements[elements.size // 2 :], elements[: elements.size // 2]]
            elif seen.off > _NOISE * self._wandering(one, seen):
                return self._disagreement(one, int(elements[0]), seen)
        return None

    def _wandering(self, probe: Probe, seen: Products) -> float:
        """Return how far either number goes when the inputs move in their last digits.

        That far rounding inside may take it; at a kink, where both may be right, as far as the slopes differ.
        """
        farthest = 0.0
        for _ in range(_NUDGES):
            try:
                application = self._nudged()
                if application is None:
                    continue
                gradient = current().backward(application.node, probe.g)[probe.slot]
                assert gradient is not None
                there = products(application, replace(probe, gradient=gradient), self.rounding)
            except GradcheckError:  # it left the domain
                continue
            if there is not None and np.isfinite(there.off):
                moved = max(abs(there.forward - seen.forward), abs(there.reverse - seen.reverse))
                farthest = max(farthest, moved)
        return farthest

    def _nudged(self) -> Application | None:
        """Apply the operator again where every input that moves is another in its last digits."""
        operands: list[Any] = list(self.application.arrays)
        for slot in self.moving:
            x = array_at(self.application, slot)
            # What is computed beside an element rounds like the others, and like the 1 of 1 + x, if that is in reach.
            typical = typical_magnitude(x)
            size = np.maximum(np.abs(x), max(typical, min(1.0, _REACH * typical / self.rounding.epsilon)))
            # By different amounts, so that equal elements become different ones.
            nudge = self.rng.choice([-1.0, 1.0], x.shape) * self.rng.uniform(*_DIGITS, x.shape)
            nudge *= self.rounding.epsilon * size
            operands[slot] = Variable(np.asarray(x + nudge, dtype=x.dtype))
        self.plain.application = None
        self.application.operator.apply(operands, dict(self.application.attributes))
        return self.plain.application

    def _disagreement(self, probe: Probe, element: int, seen: Products) -> ContractViolation:
        operator, name = self.application.operator, self.application.operator.slot_name(probe.slot)
        index = ",".join(map(str, np.unravel_index(element, probe.t.shape)))
        backward = next(rule.location for rule in operator.rules if operator.input_at(probe.slot).name in rule.inputs)
        where, other, what = _place(self.application), backward, "the backward"
        verdict = "one of the two is wrong"
        measured = list(differences(self.application, probe, element, self.rounding.epsilon))
        to_forward = min((abs(n - seen.forward) for n in measured), default=np.inf)
        to_reverse = min((abs(n - seen.reverse) for n in measured), default=np.inf)
        if to_reverse < to_forward / 10:
            verdict = "differences agree with the backward, so the jvp is wrong"
        elif to_forward < to_reverse / 10:
            verdict = "differences agree with the jvp, so the backward is wrong"
            where, other, what = backward, where, "the jvp"
        message = (
            f"its jvp and its backward disagree about {name}{f'[{index}]' if index else ''}: <g, jvp(t)> is "
            f"{seen.forward:.9g} and <vjp(g), t> is {seen.reverse:.9g} for the same t and g; {verdict}"
        )
        return ContractViolation(FINDING, message, operator.name, where, f"{what} is at {other}")

    def _not_finite(self, slot: int) -> ContractViolation:
        operator = self.application.operator
        message = f"its jvp is not finite for a tangent of {operator.slot_name(slot)}, and its backward is"
        return ContractViolation("non-finite", message, operator.name, _place(self.application))
