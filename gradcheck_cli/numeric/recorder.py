"""Write down what a function does with its operators, so that a part of it can be done again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.arrays import Array, map_arrays
from gradcheck_cli.core.batching import Batch
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.variable import array_of
from gradcheck_cli.core.watch import watching
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.numeric.function import Recording, TracedRecording
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.slots import Slots


@dataclass(frozen=True, eq=False)
class Step:
    """One call of an operator: where its operands and outputs stand."""

    operator: Operator
    operands: tuple[int, ...]
    attributes: dict[str, Any]
    outputs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Record:
    """What a function did: its steps over numbered slots, with the value at the point in each.

    `leaves` are the slots of the parameters by name, `outputs` those of the function's outputs. `problem` says why
    the steps aren't all that the function does with its parameters, empty if they are.
    """

    values: list[Any]
    steps: list[Step]
    leaves: dict[str, int]
    outputs: tuple[int, ...]
    problem: str

    def dependent(self, leaves: Collection[int]) -> set[int]:
        """Return the slots that depend on some leaves, these included."""
        reached = set(leaves)
        for step in self.steps:
            if not reached.isdisjoint(step.operands):
                reached.update(step.outputs)
        return reached


class Recorder(SeededExecution):
    """Writes down every call of an operator. Arrays are known by identity; one that nobody made is a constant."""

    def __init__(self, users: set[str] | None = None, allowed: Collection[str] = ()) -> None:
        super().__init__(users, allowed)
        self._slots = Slots()
        self._steps: list[Step] = []
        self._read: list[Array] = []
        self._problem = ""
        self._open = False

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Write down what happens inside the `with` block, where this is the execution in use."""
        with execution.using(self), watching(self._read.append):
            self._open = True
            try:
                yield
            finally:
                self._open = False

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward, and write it down."""
        outputs, kept = super().forward(operator, arrays, attributes)
        if self._open:
            self._note(operator, arrays, attributes, outputs)
        return outputs, kept

    def backward(self, node: Node, cotangents: Sequence[Array | None]) -> tuple[Array | None, ...]:
        """Run the backward of a node. A function that goes back itself isn't made of its steps alone."""
        if self._open:
            self._problem = "it runs a backward itself"
        return super().backward(node, cotangents)

    def compared(self, function: np.ufunc, arrays: Sequence[Array], made: Array) -> None:
        """Write a comparison down."""
        if self._open:
            self._note(_comparison(function), arrays, {}, (made,))

    def result(self, recording: Recording) -> Record:
        """Return what was written down while `recording` was made."""
        if not isinstance(recording, TracedRecording):
            return Record([], [], {}, (), "it isn't made of Variables")
        leaves = {name: self._slots.slot(array_of(leaf)) for name, leaf in recording.leaves.items()}
        made = {slot for step in self._steps for slot in step.outputs}
        outputs = tuple(self._slots.slot(array_of(value)) for value in recording.values)
        record = Record(self._slots.values, self._steps, leaves, outputs, "")
        problem = self._problem
        if not made.isdisjoint(leaves.values()):
            problem = problem or "an operator returned a parameter itself"
        return Record(self._slots.values, self._steps, leaves, outputs, problem or self._leak(record))

    def _leak(self, record: Record) -> str:
        """Say where a value that depends on a parameter went elsewhere than into operators."""
        dependent = record.dependent(record.leaves.values())
        ids = {id(record.values[slot]) for slot in dependent}
        if any(id(array) in ids for array in self._read):
            return "it reads the value of a Variable"
        inside: list[Array] = []

        def collect(array: Array) -> Array:
            inside.append(array)
            return array

        for step in record.steps:
            map_arrays(step.attributes, collect)
        return "an attribute depends on a parameter" if any(id(array) in ids for array in inside) else ""

    def _note(
        self, operator: Operator, arrays: Sequence[Any], attributes: dict[str, Any], outputs: Sequence[Array]
    ) -> None:
        operands = tuple([self._slots.slot(array) for array in arrays])
        before = len(self._slots.values)
        made = tuple([self._slots.slot(out) for out in outputs])
        if len(self._slots.values) - before < len(made):
            self._problem = f"{operator.name} returned one array twice"
        self._steps.append(Step(operator, operands, attributes, made))


_COMPARISONS: dict[np.ufunc, Operator] = {}


def _comparison(function: np.ufunc) -> Operator:
    """Return a comparison as an operator, which has no gradient."""
    if function not in _COMPARISONS:
        inputs = tuple(Input(f"x{i}", Domain(nondiff=True)) for i in range(function.nin))
        _COMPARISONS[function] = Operator(function.__name__, function, inputs, batch=Batch("elementwise"))
    return _COMPARISONS[function]
