"""A graph as data: what was applied to what, and what is known about each node. Reports read it, nobody changes it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gradcheck_cli.errors import Location
from gradcheck_cli.records import Finding


class Kind(StrEnum):
    """What a node of a drawn graph is: the application of an operator, or a leaf."""

    OPERATOR = "operator"
    PARAMETER = "parameter"
    INPUT = "input"
    CONSTANT = "constant"


@dataclass(frozen=True)
class Figures:
    """What an array of numbers looks like from afar.

    `norm` is the Euclidean norm of its finite elements, `low` and `high` their range (None for none). `zeros` is the
    share of elements that are zero, from 0 to 1. `nan` and `infinite` count elements.
    """

    norm: float
    zeros: float
    low: float | None
    high: float | None
    nan: int = 0
    infinite: int = 0

    @property
    def bad(self) -> int:
        """How many elements are no finite numbers."""
        return self.nan + self.infinite


@dataclass(frozen=True)
class GraphOutput:
    """One output of a node: its name, shape and dtype; value and gradient in figures where they are known."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    value: Figures | None = None
    gradient: Figures | None = None


@dataclass(frozen=True)
class GraphOperand:
    """What a node is given as `argument`: an output of another node, by their positions."""

    argument: str
    node: int
    output: int = 0


@dataclass(frozen=True)
class GraphNode:
    """An application of an operator, or a leaf (which has one output).

    `location` is the call in the expression. `kept_bytes` are those kept for the backward by this node and none
    before it, None where that wasn't asked for. `saturated` is the share of elements at a limit of a bounded function,
    None for any other function.
    """

    kind: Kind
    name: str
    outputs: tuple[GraphOutput, ...]
    operands: tuple[GraphOperand, ...] = ()
    location: Location | None = None
    kept_bytes: int | None = None
    saturated: float | None = None


@dataclass(frozen=True)
class Symptom:
    """A finding about a graph's health, and the node at which it was made (None: a leaf, or the whole).

    `others` are nodes of which it is as true.
    """

    finding: Finding
    node: int | None = None
    others: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes with the operands before the nodes that take them; `roots` are the outputs of the whole."""

    nodes: tuple[GraphNode, ...]
    roots: tuple[GraphOperand, ...]
    symptoms: tuple[Symptom, ...] = ()

    @property
    def marks(self) -> dict[int, list[Finding]]:
        """The findings at each node that has some."""
        found: dict[int, list[Finding]] = {}
        for symptom in self.symptoms:
            for node in (*([symptom.node] if symptom.node is not None else []), *symptom.others):
                found.setdefault(node, []).append(symptom.finding)
        return found

    @property
    def kept_bytes(self) -> int:
        """All bytes that are kept for the backward."""
        return sum(node.kept_bytes or 0 for node in self.nodes)


@dataclass(frozen=True, eq=False)
class GraphResult:
    """The graph of one case, drawn with `seed`; no graph where `error` says why.

    `problem` says why there are no gradients, where they were asked for. `memory` and `health` tell what was asked for.
    """

    id: str
    file: str
    line: int
    name: str
    seed: int
    graph: Graph | None = None
    error: str | None = None
    problem: str | None = None
    memory: bool = False
    health: bool = False
