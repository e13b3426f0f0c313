"""Trace a function: every operator that it applies, in order, with its values and the gradients that went through."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array, map_arrays
from gradcheck_cli.core.execution import using
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.variable import Variable, array_of
from gradcheck_cli.graph_records import Kind
from gradcheck_cli.numeric.function import TracedFunction, TracedRecording, Values
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.slots import Slots


@dataclass(eq=False)
class Call:
    """One application of an operator, or a comparison, which is none and has no `operator`.

    `operands` has the slot of each array that it was given, None in place of what is no array; `inside` the slots of
    arrays in attributes, with their names; `outputs` the slots of what it made. `node` is what was recorded, None where
    nothing needs a gradient. After a backward `cotangents` has what arrived at each output, `gradients` what was passed
    on to each operand; None where nothing was.
    """

    name: str
    operator: Operator | None
    operands: tuple[int | None, ...]
    inside: tuple[tuple[str, int], ...]
    attributes: dict[str, Any]
    outputs: tuple[int, ...]
    node: Node | None = None
    cotangents: Sequence[Array | None] = ()
    gradients: Sequence[Array | None] = ()

    def argument(self, position: int) -> str:
        """Name the operand at a position."""
        return self.operator.slot_name(position) if self.operator else f"x{position}"


@dataclass(eq=False)
class Trace:
    """What a function did: its calls in order over numbered slots, with the value in each.

    `leaves` has kind and name of the parameters and inputs by slot; any other slot that no call made is a constant.
    `made` has call and output for each slot that one made, `roots` are the slots of the function's outputs, and
    `gradients` holds those of the parameters by slot. `saturation` is the share of elements at the limits of a call's
    function, as far as somebody has looked.
    """

    values: list[Any] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    leaves: dict[int, tuple[Kind, str]] = field(default_factory=dict)
    made: dict[int, tuple[int, int]] = field(default_factory=dict)
    roots: tuple[int, ...] = ()
    gradients: dict[int, Array] = field(default_factory=dict)
    recording: TracedRecording | None = None
    saturation: dict[Call, float | None] = field(default_factory=dict)

    def reached(self) -> list[int]:
        """Return the positions of the calls that the outputs are made of, in order."""
        found: set[int] = set()
        waiting = list(self.roots)
        while waiting:
            maker = self.made.get(waiting.pop())
            if maker is not None and maker[0] not in found:
                found.add(maker[0])
                call = self.calls[maker[0]]
                waiting += [slot for slot in call.operands if slot is not None]
                waiting += [slot for _, slot in call.inside]
        return sorted(found)


class Tracer(SeededExecution):
    """Writes down every call. Arrays are known by identity, which an operator's outputs never share with others."""

    def __init__(self, allowed: Collection[str] = ()) -> None:
        super().__init__(allowed=allowed)
        self.trace = Trace()
        self.flows: dict[Node, tuple[Sequence[Array | None], Sequence[Array | None]]] = {}
        self._slots = Slots()
        self.trace.values = self._slots.values
        self.slot = self._slots.slot

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward, and write it down."""
        outputs, kept = super().forward(operator, arrays, attributes)
        operands = tuple([self.slot(array) if isinstance(array, np.ndarray) else None for array in arrays])
        own: list[Array] = []
        for out in outputs:
            # An array that is handed out twice would be two values in one.
            fresh = out.view() if out in self._slots or any(out is other for other in own) else out
            own.append(fresh)
        self._note(operator.name, operator, operands, attributes, own)
        return tuple(own), kept

    def compared(self, function: np.ufunc, arrays: Sequence[Array], made: Array) -> None:
        """Write a comparison down."""
        self._note(function.__name__, None, tuple(map(self.slot, arrays)), {}, (made,))

    def backward(self, node: Node, cotangents: Sequence[Array | None]) -> tuple[Array | None, ...]:
        """Run the backward, and keep what arrived and what was passed on."""
        gradients = super().backward(node, cotangents)
        self.flows[node] = (cotangents, gradients)
        return gradients

    def _note(
        self,
        name: str,
        operator: Operator | None,
        operands: tuple[int | None, ...],
        attributes: dict[str, Any],
        outputs: Sequence[Array],
    ) -> None:
        inside: list[tuple[str, int]] = []
        for key, value in attributes.items():

            def find(array: Array, key: str = key) -> Array:
                inside.append((key, self.slot(array)))
                return array

            map_arrays(value, find)
        slots = tuple(map(self.slot, outputs))
        for index, slot in enumerate(slots):
            self.trace.made[slot] = (len(self.trace.calls), index)
        self.trace.calls.append(Call(name, operator, operands, tuple(inside), attributes, slots))


def trace(
    function: TracedFunction, values: Values, inputs: Mapping[str, Array], allowed: Collection[str] = ()
) -> Trace:
    """Evaluate `function` at `values` and write down what it does; `inputs` are the arrays that it is given besides.

    Raises OperatorError where it can't be evaluated, ContractViolation where a forward writes to an input.
    """
    tracer = Tracer(allowed)
    made = tracer.trace
    with using(tracer):
        recording = function.record(values)
    for name, leaf in recording.leaves.items():
        made.leaves[tracer.slot(array_of(leaf))] = (Kind.PARAMETER, name)
    for name, array in inputs.items():
        made.leaves[tracer.slot(array)] = (Kind.INPUT, name)
    made.roots = tuple(tracer.slot(np.asarray(array_of(value))) for value in recording.values)
    made.recording = recording
    _link(made, recording)
    return made


def trace_back(made: Trace, cotangents: Sequence[Array], allowed: Collection[str] = ()) -> None:
    """Run the backward of a trace from one cotangent for each output, and write down what flows.

    What was found out is kept when an operator raises OperatorError, or breaks its contract (ContractViolation).
    """
    recording = made.recording
    assert recording is not None
    tracer = Tracer(allowed)
    try:
        with using(tracer):
            gradients = recording.vjp(cotangents)
        slots = {name: slot for slot, (kind, name) in made.leaves.items() if kind is Kind.PARAMETER}
        made.gradients = {slots[name]: gradient for name, gradient in gradients.items()}
    finally:
        for call in made.calls:
            if call.node in tracer.flows:
                call.cotangents, call.gradients = tracer.flows[call.node]


def _link(made: Trace, recording: TracedRecording) -> None:
    """Give every call its node: both graphs are walked side by side from the outputs on."""
    waiting = [
        (slot, value.creator)
        for slot, value in zip(made.roots, recording.values, strict=True)
        if isinstance(value, Variable) and value.creator is not None
    ]
    while waiting:
        slot, node = waiting.pop()
        call = made.calls[made.made[slot][0]]
        if call.node is not None:
            continue
        call.node = node
        for operand, parent in zip(call.operands, node.parents, strict=True):
            if isinstance(parent, tuple) and operand is not None:
                waiting.append((operand, parent[0]))
