"""What may be wrong between applications that are right alone: how gradients are added up and amplified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import Execution, using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.findings.blame.alone import function_of, operands_of
from gradcheck_cli.findings.blame.ledger import Entry, Sweep
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.verdict.results import REPEAT, agree

_DRAWS = 3
"""Random errors of the applications' gradients that are followed through the graph."""


def kept_between_calls(path: Sequence[Entry], cotangent_repeat: float | None) -> list[tuple[Entry, str]]:
    """Return the applications whose backward gave another gradient in the graph than it gives alone, by argument.

    Such an operator keeps something from one call to the next: the last forward's values, a buffer.
    """
    found = []
    for entry in path:
        function, operands = function_of(entry), operands_of(entry)
        with restored(), np.errstate(all="ignore"), using(SeededExecution(allowed=("not-repeatable",))):
            try:
                alone = function.record(operands).vjp(entry.arrived())
            except GradcheckError:  # that it can't be called alone has been said
                continue
        for slot, (name, gradient) in zip(entry.tracked, alone.items(), strict=True):
            seen = entry.gradients[slot]
            if seen is not None and not agree(seen, gradient, cotangent_repeat):
                found.append((entry, name))
    return found


@dataclass(eq=False)
class Sum:
    """What arrived at a value from its uses: the contributions as they were returned, and what became of them."""

    name: str
    total: Array
    parts: list[tuple[Entry, Array]] = field(default_factory=list)

    def fault(self) -> tuple[bool, str]:
        """Say what became of the contributions instead of their sum, and whether one overwrote the others."""
        wanted = np.sum([part for _, part in self.parts], axis=0)
        size = np.sum([np.abs(part) for _, part in self.parts], axis=0)
        room = REPEAT * np.finfo(self.total.dtype).eps * size
        if not np.isfinite(wanted).all() or (np.abs(self.total - wanted) <= room).all():
            return False, ""
        uses = ", ".join(dict.fromkeys(entry.name for entry, _ in self.parts))
        for entry, part in self.parts if len(self.parts) > 1 else ():
            if (np.abs(self.total - part) <= room).all():
                text = f"the gradient of {self.name} is that of one of its {len(self.parts)} uses ({entry.name}) alone"
                return True, f"{text}, where the sum over all of them belongs: {uses}"
        text = f"the gradient of {self.name} isn't the sum of what its uses returned ({uses})"
        return False, f"{text}: an array was changed after it was returned"


def sums(sweep: Sweep, path: Sequence[Entry], names: Sequence[str]) -> list[Sum]:
    """Return, for the named parameters and every value on the path, what its uses contributed."""
    made: dict[Any, Sum] = {sweep.recording.leaves[name]: Sum(name, sweep.gradients[name]) for name in names}
    for entry in path:
        for index, g in enumerate(entry.cotangents):
            if g is not None and entry.node is not None:
                made[entry.node, index] = Sum(f"the output of {entry.name}", g)
    for value in sweep.recording.values:
        if isinstance(value, Variable) and value.creator is not None:
            made.pop((value.creator, value.output_index), None)  # the cotangent of an output adds to it
        elif isinstance(value, Variable):
            made.pop(value, None)
    for entry in sweep.ledger.swept:
        for parent, gradient in zip(_parents(entry.node), entry.gradients, strict=True):
            if parent in made and gradient is not None:
                made[parent].parts.append((entry, gradient))
    return [each for each in made.values() if each.parts]


def _parents(node: Node | None) -> Sequence[Any]:
    return node.parents if node is not None else ()


class _Inexact(Execution):
    """Runs backwards, and changes every gradient by a random relative error."""

    def __init__(self, error: float, rng: np.random.Generator) -> None:
        self._error = error
        self._rng = rng

    def backward(self, node: Node, cotangents: Sequence[Array | None]) -> tuple[Array | None, ...]:
        """Return the gradients with an error."""
        gradients = super().backward(node, cotangents)
        return tuple(None if g is None else self._changed(g) for g in gradients)

    def _changed(self, gradient: Array) -> Array:
        signs = self._rng.choice([-1.0, 1.0], gradient.shape)
        return np.asarray(gradient * (1 + self._error * signs)).astype(gradient.dtype)


def amplified(
    sweep: Sweep,
    cotangents: Sequence[Array],
    name: str,
    element: tuple[int, ...],
    error: float,
    rng: np.random.Generator,
) -> float:
    """Return the change of one element of a gradient when all that flows is off by a relative `error` at random."""
    largest = 0.0
    for _ in range(_DRAWS):
        with restored(), np.errstate(all="ignore"), using(_Inexact(error, rng)):
            changed = sweep.recording.vjp(cotangents)[name]
        largest = max(largest, abs(float(changed[element]) - float(sweep.gradients[name][element])))
    return largest
