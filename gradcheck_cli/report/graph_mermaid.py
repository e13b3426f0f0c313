"""Graphs as a Mermaid flowchart, arrows in the direction of the data, the output at the top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcheck_cli.errors import printable
from gradcheck_cli.graph_records import Graph, GraphResult, Kind
from gradcheck_cli.report.graph_text import label, output_of

LARGEST_TEXT, MOST_EDGES = 50_000, 500
"""What Mermaid draws unless its settings maxTextSize and maxEdges are raised."""

_LOOKS = {
    Kind.PARAMETER: "fill:#d5e8d4",
    Kind.INPUT: "fill:#dae8fc",
    Kind.CONSTANT: "fill:#eeeeee",
}
_ILL = "stroke:#b85450,stroke-width:2px"


def to_mermaid(results: Sequence[GraphResult]) -> str:
    """Return the graphs as one flowchart in ASCII, a subgraph for each case."""
    lines = ["flowchart BT"]
    for kind, look in _LOOKS.items():
        lines.append(f"  classDef {kind} {look}")
    lines.append(f"  classDef ill {_ILL}")
    for case, result in enumerate(results):
        if result.graph is not None:
            lines += _subgraph(case, result, result.graph)
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Write `text` as a quoted string that a label shows as it is.

    Only letters, digits and the plainest signs stand for themselves: quotes, brackets, hashes, semicolons, backslashes,
    percent signs and backticks mean something to Mermaid or to the HTML that it makes, also inside of quotes. All else
    is written as its number.
    """
    return '"' + "<br/>".join(_escaped(printable(line)) for line in text.split("\n")) + '"'


def too_large(text: str) -> str:
    """Say what a viewer has to allow to draw the flowchart; empty where it is small enough."""
    edges = text.count(" --> ")
    words = []
    if len(text) > LARGEST_TEXT:
        words.append(f"maxTextSize of {len(text)} (not {LARGEST_TEXT})")
    if edges > MOST_EDGES:
        words.append(f"maxEdges of {edges} (not {MOST_EDGES})")
    return f"Mermaid draws this with {' and '.join(words)} only" if words else ""


def _escaped(line: str) -> str:
    return "".join(
        char if char.isascii() and (char.isalnum() or char in " .,+_") else f"#{ord(char)};" for char in line
    )


def _subgraph(case: int, result: GraphResult, graph: Graph) -> Iterator[str]:
    title = f"{result.file}  {result.name}" if result.file else result.name
    yield f"  subgraph c{case}[{quoted(printable(title))}]"
    ids = [f"c{case}n{number}" for number in range(len(graph.nodes))]
    marks = graph.marks
    for number, node in enumerate(graph.nodes):
        codes = [f"{finding.code} {finding.name}" for finding in marks.get(number, ())]
        opened, closed = ("[", "]") if node.kind is Kind.OPERATOR else ("([", "])")
        looks = "" if node.kind is Kind.OPERATOR else f":::{node.kind}"
        yield f"    {ids[number]}{opened}{quoted(label(node, codes))}{closed}{':::ill' if codes else looks}"
    for number, node in enumerate(graph.nodes):
        for operand in node.operands:
            yield f"    {ids[operand.node]} --> {_edge(output_of(graph, operand))}{ids[number]}"
    for position, root in enumerate(graph.roots):
        many = f" {position + 1}" if len(graph.roots) > 1 else ""
        yield f"    c{case}out{position}>{quoted(f'output{many}')}]"
        yield f"    {ids[root.node]} --> {_edge(output_of(graph, root))}c{case}out{position}"
    yield "  end"


def _edge(output: str) -> str:
    return f"|{quoted(printable(output))}| " if output else ""
