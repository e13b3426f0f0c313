"""Gather what is known about each node of a trace: the graph as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gradcheck_cli.core.arrays import Array, map_arrays, memory_of
from gradcheck_cli.errors import Location
from gradcheck_cli.findings.health.figures import figures_of
from gradcheck_cli.findings.health.units import saturation
from gradcheck_cli.graph_records import Graph, GraphNode, GraphOperand, GraphOutput, Kind, Symptom
from gradcheck_cli.numeric.tracer import Call, Trace


def graph_of(
    made: Trace,
    locations: Mapping[int, Location],
    memory: bool = False,
    health: bool = False,
    symptoms: Sequence[Symptom] = (),
) -> Graph:
    """Return a trace as data: what the outputs are made of, operands first."""
    gathered = _Gathered(made, locations, memory, health)
    for number in made.reached():
        gathered.add_call(number)
    roots = tuple(gathered.operand("", slot) for slot in made.roots)
    positions = gathered.calls
    shown = tuple(
        Symptom(
            each.finding,
            None if each.node is None else positions.get(each.node),
            tuple(positions[other] for other in each.others if other in positions),
        )
        for each in symptoms
    )
    return Graph(tuple(gathered.nodes), roots, shown)


class _Gathered:
    """The nodes of a graph in the making; `calls` has the node of each call."""

    def __init__(self, made: Trace, locations: Mapping[int, Location], memory: bool, health: bool) -> None:
        self.made = made
        self.locations = locations
        self.health = health
        self.nodes: list[GraphNode] = []
        self.calls: dict[int, int] = {}
        self._leaves: dict[int, int] = {}
        self._count: Callable[[Call], int] | None = _counter(made) if memory else None

    def add_call(self, number: int) -> None:
        """Add a call, and before it the leaves that it takes; the calls that it takes are there already."""
        call = self.made.calls[number]
        operands = [
            self.operand(call.argument(position), slot)
            for position, slot in enumerate(call.operands)
            if slot is not None
        ]
        operands += [self.operand(name, slot) for name, slot in call.inside]
        names = call.operator.outputs if call.operator else ("out",)
        node = GraphNode(
            Kind.OPERATOR,
            call.name,
            tuple(
                self._output(name, slot, call.cotangents[index] if call.cotangents else None)
                for index, (name, slot) in enumerate(zip(names, call.outputs, strict=True))
            ),
            tuple(operands),
            self.locations.get(number),
            self._count(call) if self._count else None,
            saturation(self.made, call) if self.health else None,
        )
        self.calls[number] = len(self.nodes)
        self.nodes.append(node)

    def operand(self, argument: str, slot: int) -> GraphOperand:
        """Return the edge to what stands in a slot."""
        if slot in self.made.made:
            number, index = self.made.made[slot]
            return GraphOperand(argument, self.calls[number], index)
        if slot not in self._leaves:
            kind, name = self.made.leaves.get(slot) or (Kind.CONSTANT, _constant_name(self.made.values[slot]))
            output = self._output("out", slot, self.made.gradients.get(slot))
            self._leaves[slot] = len(self.nodes)
            self.nodes.append(GraphNode(kind, name, (output,), kept_bytes=0 if self._count else None))
        return GraphOperand(argument, self._leaves[slot])

    def _output(self, name: str, slot: int, gradient: Array | None) -> GraphOutput:
        array = self.made.values[slot]
        known = self.health
        return GraphOutput(
            name,
            array.shape,
            str(array.dtype),
            figures_of(array) if known else None,
            figures_of(gradient) if known and gradient is not None else None,
        )


def _constant_name(array: Array) -> str:
    if array.size != 1:
        return "constant"
    return f"{array.item():.6g}" if array.dtype.kind in "fiu" else str(array.item())


def _counter(made: Trace) -> Callable[[Call], int]:
    """Return what counts the bytes that a call keeps and no call before it did.

    Memory counts, not views of it: a small part of a large array keeps all of it alive. That of parameters, inputs
    and constants is there anyway, and isn't counted.
    """
    known = {id(memory_of(made.values[slot])) for slot in range(len(made.values)) if slot not in made.made}

    def count(call: Call) -> int:
        owners: dict[int, Array] = {}

        def find(array: Array) -> Array:
            owner = memory_of(array)
            if id(owner) not in known:
                owners[id(owner)] = owner
            return array

        for value in call.node.values if call.node is not None else ():
            map_arrays(value, find)
        known.update(owners)
        return sum(owner.nbytes for owner in owners.values())

    return count
