"""Draw the graph of a case: evaluate it once, go back once, and gather what is known about each node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array, map_arrays
from gradcheck_cli.core.generators import restored
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import ContractViolation, GradcheckError, Location, OperatorError, Problem, Skipped
from gradcheck_cli.findings.health.figures import figures_of
from gradcheck_cli.findings.health.symptoms import find_symptoms
from gradcheck_cli.findings.health.units import saturation
from gradcheck_cli.graph_records import Graph, GraphNode, GraphOperand, GraphOutput, GraphResult, Kind, Symptom
from gradcheck_cli.knobs import Knobs, read_knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.tracer import Call, Trace, trace, trace_back
from gradcheck_cli.records import Finding
from gradcheck_cli.run.deadline import TimeRanOut, deadline
from gradcheck_cli.run.escape import escaped
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.arrays.values import draw_values, number_of
from gradcheck_cli.spec.case import Case
from gradcheck_cli.verdict.cotangents import signed_cotangent


def draw_case(
    case: Case,
    options: Options,
    memory: bool = False,
    health: bool = False,
    interrupts: Interrupts | None = None,
) -> GraphResult:
    """Return the graph of `case`, with bytes kept (`memory`), and figures and symptoms (`health`).

    What can't be evaluated is told in `error`. A backward that can't be run is a `problem` beside the graph.
    A KeyboardInterrupt is the user's, unless `interrupts` know better.
    """
    interrupts = interrupts or Interrupts()
    knobs = read_knobs(options.knobs, case.knobs)
    seed = case.seed if options.seed is None else options.seed
    result = GraphResult(case.id, case.file, case.location.line, case.name, seed, memory=memory, health=health)
    try:
        with interrupts.stopping(), deadline(knobs.timeout), restored(), np.errstate(all="ignore"):
            made = traced(case, options, knobs)
            problem = gone_back(made, [seed, number_of(case.name)], knobs) if health else None
            symptoms = symptoms_of(case, made, knobs) if health else []
            graph = graph_of(made, locations_of(case, made), memory, health, symptoms)
    except GradcheckError as error:
        return replace(result, error=str(error))
    except TimeRanOut:
        hint = "give it more time, check: {timeout: ...}, or look for an operator that hangs"
        problem = str(Problem(f"the case ran out of its {knobs.timeout:g} s", case.location, "timeout", hint))
        return replace(result, error=problem)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and interrupts.blamed():
            raise
        described = escaped(case, error)
        if described is None:
            raise
        return replace(result, error=str(described))
    return replace(result, graph=graph, problem=problem)


def health_of(case: Case, options: Options, knobs: Knobs) -> list[Finding]:
    """Return what is ill about a case at the point where it is checked; nothing where a contract is broken.

    Raises OperatorError where it can't be evaluated.
    """
    seed = case.seed if options.seed is None else options.seed
    try:
        made = traced(case, options, knobs)
    except ContractViolation:  # the check has said so
        return []
    gone_back(made, [seed, number_of(case.name)], knobs)
    return [symptom.finding for symptom in symptoms_of(case, made, knobs)]


def traced(case: Case, options: Options, knobs: Knobs) -> Trace:
    """Evaluate a case at its point and write down what it does. Raises GradcheckError where that can't be done."""
    values = draw_values(case, options.seed)
    inputs = {item.name: values[item.name] for item in case.inputs}
    constants = {name: Variable(array, requires_grad=False) for name, array in inputs.items()}
    dtype = np.dtype(knobs.dtype)

    def evaluate(variables: Mapping[str, Any]) -> Any:
        return case.expression({**constants, **variables}, dtype)

    points = {item.name: values[item.name] for item in case.parameters}
    with restored(), np.errstate(all="ignore"):
        return trace(TracedFunction(evaluate), points, inputs, knobs.allow)


def gone_back(made: Trace, seed: Sequence[int], knobs: Knobs) -> str | None:
    """Run the backward, with 1 for a one-number value, else with random signed cotangents, and say what was wrong.

    All ones would hide what softmax and normalisation do: their gradients are zero then.
    """
    assert made.recording is not None
    outputs = Outputs(made.recording.outputs)
    cotangent = outputs.split(signed_cotangent(outputs.epsilon.size, np.random.default_rng(seed)))
    try:
        with restored(), np.errstate(all="ignore"):
            trace_back(made, cotangent, knobs.allow)
    except Skipped:
        raise
    except (OperatorError, ContractViolation) as error:
        return str(error)
    return None


def symptoms_of(case: Case, made: Trace, knobs: Knobs) -> list[Symptom]:
    """Return what is ill about a traced case, each at the position of its call."""
    with restored():
        return find_symptoms(made, knobs.health, locations_of(case, made))


def locations_of(case: Case, made: Trace) -> dict[int, Location]:
    """Return where each call of a trace stands in the expression; none where they aren't the expression's own."""
    program = case.expression.program
    if len(program.steps) != len(made.calls):
        return {}
    places = (program.problem(*step.position, "", "").location for step in program.steps)
    return {number: place for number, place in enumerate(places) if place is not None}


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
    known = {id(_owner(made.values[slot])) for slot in range(len(made.values)) if slot not in made.made}

    def count(call: Call) -> int:
        owners: dict[int, Array] = {}

        def find(array: Array) -> Array:
            owner = _owner(array)
            if id(owner) not in known:
                owners[id(owner)] = owner
            return array

        for value in call.node.values if call.node is not None else ():
            map_arrays(value, find)
        known.update(owners)
        return sum(owner.nbytes for owner in owners.values())

    return count


def _owner(array: Array) -> Array:
    """Return the array that holds the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
