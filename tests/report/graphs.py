"""Small graphs to draw."""

from __future__ import annotations

from typing import Any

from gradcheck_cli.errors import Location
from gradcheck_cli.graph_records import (
    Figures,
    Graph,
    GraphNode,
    GraphOperand,
    GraphOutput,
    GraphResult,
    Kind,
    Symptom,
)
from gradcheck_cli.records import Finding

HOSTILE = [
    'a "quote" here',
    '"',
    "it's",
    "back\\slash\\",
    "\\",
    "\\N \\G \\l \\n",
    "new\nline",
    "tab\tand\rreturn",
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "a ] b",
    "[x]",
    "{brace}",
    "(paren",
    "end",
    "subgraph",
    "graph TD",
    "digraph { a -> b }",
    "click here",
    "default",
    "o--o x",
    "--> x",
    "-- y --",
    "%% comment",
    "%%{init: {}}%%",
    "---",
    "#quot;",
    "#35;",
    "&amp; & &#65;",
    "`code` and **bold**",
    "semi;colon",
    "| pipe |",
    "style: #x;",
    "classDef a:#b;",
    ":::ill",
    "$x$ $$y$$",
    "ünïcödé ✓ 中文 \U0001d518",
    "right \u202e to left",
    "zero\u200bwidth",
    "\udc80 no UTF-8",
    "x" * 300,
    "word " * 60,
    "",
    " ",
]


def leaf(name: str, kind: Kind = Kind.PARAMETER, shape: tuple[int, ...] = (3, 4)) -> GraphNode:
    """Return a leaf."""
    return GraphNode(kind, name, (GraphOutput("out", shape, "float64"),))


def node(name: str, *operands: int, shape: tuple[int, ...] = (3, 4), **known: Any) -> GraphNode:
    """Return the application of an operator with one output."""
    edges = tuple(GraphOperand(f"x{position}", at) for position, at in enumerate(operands))
    return GraphNode(Kind.OPERATOR, name, (GraphOutput("out", shape, "float64"),), edges, **known)


def drawn(*nodes: GraphNode, name: str = "a case", symptoms: tuple[Symptom, ...] = (), **asked: Any) -> GraphResult:
    """Return the graph of a case whose only output is that of the last node."""
    graph = Graph(nodes, (GraphOperand("", len(nodes) - 1),), symptoms)
    return GraphResult(f"a.grad.yaml::{name}", "a.grad.yaml", 1, name, 0, graph, **asked)


def diamond() -> GraphResult:
    """Return `exp(h) * h` with `h = tanh(x)`."""
    return drawn(leaf("x"), node("tanh", 0), node("exp", 1), node("multiply", 2, 1))


def two_outputs() -> GraphResult:
    """Return an operator with two outputs, of which each is used."""
    outputs = (GraphOutput("loss", (), "float64"), GraphOutput("probs", (3, 4), "float64"))
    loss = GraphNode(Kind.OPERATOR, "softmax_xent", outputs, (GraphOperand("x", 0),))
    scaled = GraphNode(
        Kind.OPERATOR,
        "multiply",
        (GraphOutput("out", (3, 4), "float64"),),
        (GraphOperand("x", 1, 0), GraphOperand("y", 1, 1)),
    )
    graph = Graph((leaf("x"), loss, scaled), (GraphOperand("", 2), GraphOperand("", 1, 1)))
    return GraphResult("a::b", "a.grad.yaml", 1, "two outputs", 0, graph)


def ill() -> GraphResult:
    """Return a graph with figures, bytes, and a symptom at its logarithm."""
    seen = Figures(1.5, 0.25, 0.0, 2.0)
    bad = Figures(0.7, 0.0, -0.5, 0.5, infinite=3)
    x = GraphNode(Kind.PARAMETER, "x", (GraphOutput("out", (3, 4), "float64", seen, seen),), kept_bytes=0)
    log = GraphNode(
        Kind.OPERATOR,
        "log",
        (GraphOutput("out", (3, 4), "float64", bad, seen),),
        (GraphOperand("x", 0),),
        Location("a.grad.yaml", 3, 9),
        96,
        0.5,
    )
    finding = Finding("origin-of-nan", "log gives -inf in 3 of 12 elements\nkeep away from zero", log.location, "log")
    return drawn(x, log, symptoms=(Symptom(finding, 1),), memory=True, health=True)


def chain(length: int) -> GraphResult:
    """Return a chain of so many calls."""
    return drawn(leaf("x"), *(node("tanh", at) for at in range(length)))
