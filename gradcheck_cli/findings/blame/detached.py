"""Uses of a parameter from which no gradient goes back, though the value depends on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import current, using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.core.variable import array_of
from gradcheck_cli.findings.blame.ledger import Entry, Sweep
from gradcheck_cli.numeric.function import TracedFunction, Values
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.steps import default_eps, element_scales, step_size

_EXPLAINED = 0.99
"""Share of a mismatch that a cause has to explain."""

_Held = Sequence[tuple[Entry, int]]


def detached_uses(
    sweep: Sweep,
    function: TracedFunction,
    values: Values,
    cotangents: Sequence[Array],
    name: str,
    element: tuple[int, ...],
) -> list[str]:
    """Say which uses of the parameter `name` carry no gradient; nothing where these don't explain what is missing.

    `element` is the one whose gradient is off. Evaluates the function a few times.
    """
    return _Search(sweep, function, values, cotangents, name, element).sentences()


class _Search:
    """Moves one element through the function as it was written down, with some operands held where they are."""

    def __init__(
        self,
        sweep: Sweep,
        function: TracedFunction,
        values: Values,
        cotangents: Sequence[Array],
        name: str,
        element: tuple[int, ...],
    ) -> None:
        self.sweep = sweep
        self.function = function
        self.values = values
        self.cotangents = cotangents
        self.name = name
        self.element = element
        x = values[name]
        scale = float(element_scales(np.ravel(x).astype(np.float64)).reshape(x.shape)[element])
        self.step = step_size(scale, default_eps(x.dtype))
        self.analytic = float(sweep.gradients[name][element])
        self.dependent = self._dependent()

    def sentences(self) -> list[str]:
        """Say which uses carry no gradient."""
        whole = self._slope(self.function.outputs)
        missing = abs(whole - self.analytic)
        if not np.isfinite(missing) or missing == 0:
            return []
        off = (1 - _EXPLAINED) * missing
        if abs(self._held(()) - whole) > off:
            return self._outside()
        active = [edge for edge in self._edges() if abs(self._held([edge]) - whole) > off]
        if not active or abs(self._held(active) - self.analytic) > off:
            return []
        return [self._sentence(entry, slot) for entry, slot in active]

    def _sentence(self, entry: Entry, slot: int) -> str:
        operator = entry.operator
        if operator.input_at(slot).domain.differentiable:
            why = "it is a constant there (.detach() or no_grad())"
        else:
            why = f"{operator.name} declares it to have none"
        place = f"{operator.slot_name(slot)} of {entry.name}"
        return f"the value depends on {self.name} through {place}, and no gradient goes back from there: {why}"

    def _outside(self) -> list[str]:
        """Say that the value went elsewhere than through operators, where the function was seen to read one."""
        if not any(id(array) in self.dependent for array in self.sweep.ledger.read):
            return []
        what = "the function reads the array of a Variable (.data, .item(), float()) and computes with it"
        return [f"the value depends on {self.name} on a way that no gradient goes back: {what}"]

    def _dependent(self) -> set[int]:
        """Return the ids of the arrays that depend on the parameter."""
        dependent = {id(array_of(self.sweep.recording.leaves[self.name]))}
        for entry in self.sweep.ledger.entries:
            if any(id(array) in dependent for array in entry.arrays):
                dependent.update(map(id, entry.outputs))
        return dependent

    def _edges(self) -> list[tuple[Entry, int]]:
        """Return operands that depend on the parameter and are the first ones there that get no gradient."""
        entries = self.sweep.ledger.entries
        later = {id(out) for entry in entries if not entry.tracked for out in entry.outputs}
        return [
            (entry, slot)
            for entry in entries
            for slot, array in enumerate(entry.arrays)
            if id(array) in self.dependent - later and slot not in entry.tracked and array.dtype.kind == "f"
        ]

    def _held(self, held: _Held) -> float:
        """Return the slope when some operands stay as they are."""
        return self._slope(lambda values: self._replay(values, held))

    def _replay(self, values: Values, held: _Held) -> tuple[Array, ...]:
        """Return the outputs at other values, by the applications that were written down."""
        recording = self.sweep.recording
        moved: dict[int, Any] = {id(array_of(recording.leaves[name])): array for name, array in values.items()}
        for entry in self.sweep.ledger.entries:
            operands = [
                array if (entry, slot) in held else moved.get(id(array), array)
                for slot, array in enumerate(entry.arrays)
            ]
            if any(new is not old for new, old in zip(operands, entry.arrays, strict=True)):
                outputs, _ = current().forward(entry.operator, operands, entry.attributes)
                moved.update({id(old): new for old, new in zip(entry.outputs, outputs, strict=True)})
        arrays = map(array_of, recording.values)
        return tuple(np.asarray(moved.get(id(array), array)) for array in arrays)

    def _slope(self, outputs: Callable[[Values], tuple[Array, ...]]) -> float:
        """Return the central difference of the outputs under the cotangents."""
        sides, places = [], []
        for step in (self.step, -self.step):
            moved = np.array(self.values[self.name])
            moved[self.element] += step
            places.append(float(moved[self.element]))
            with restored(), np.errstate(all="ignore"), using(SeededExecution()):
                sides.append(outputs({**self.values, self.name: moved}))
        rows = zip(self.cotangents, *sides, strict=True)
        change = sum(np.sum(g * (a.astype(np.float64) - b)) for g, a, b in rows if a.dtype.kind == "f")
        return float(change) / (places[0] - places[1])
