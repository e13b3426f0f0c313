"""Graphs in the language of Graphviz, arrows in the direction of the data, the output at the top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcheck_cli.errors import printable
from gradcheck_cli.graph_records import Graph, GraphResult, Kind
from gradcheck_cli.report.graph_text import label, output_of
from gradcheck_cli.report.plain import encodable

_LOOKS = {
    Kind.OPERATOR: "shape=box",
    Kind.PARAMETER: 'shape=box, style="rounded,filled", fillcolor="#d5e8d4"',
    Kind.INPUT: 'shape=box, style="rounded,filled", fillcolor="#dae8fc"',
    Kind.CONSTANT: 'shape=box, style="rounded,filled", fillcolor="#eeeeee"',
}
_LAST_ENTITY = 0xFFFF
_ILL = 'color="#b85450", penwidth=2'


def to_dot(results: Sequence[GraphResult], encoding: str = "utf-8") -> str:
    """Return the graphs as one digraph, a cluster for each case, in ASCII but for emoji and their like.

    What `encoding` can't write of those is shown by its number.
    """
    lines = ["digraph gradcheck {", "  rankdir=BT;", '  node [fontname="sans-serif"];']
    for case, result in enumerate(results):
        if result.graph is not None:
            lines += _cluster(case, result, result.graph)
    text = "\n".join([*lines, "}"]) + "\n"
    if encodable(text, encoding):
        return text
    return "".join(char if encodable(char, encoding) else f"\\\\U{ord(char):08x}" for char in text)


def quoted(text: str) -> str:
    """Write `text` as a quoted string that a label shows as it is.

    Graphviz reads backslashes and entities in labels; characters beyond ASCII are entities here, so that any locale
    can write them. Those beyond U+FFFF aren't, of which Graphviz makes text that is no UTF-8. Lines are joined by the
    label's own sign for a new line.
    """
    return '"' + "\\n".join(_escaped(printable(line)) for line in text.split("\n")) + '"'


def _escaped(line: str) -> str:
    special = {"\\": "\\\\", '"': '\\"', "&": "&amp;", "<": "&lt;", ">": "&gt;"}
    return "".join(
        special.get(char) or (f"&#{ord(char)};" if 0x80 <= ord(char) <= _LAST_ENTITY else char) for char in line
    )


def _cluster(case: int, result: GraphResult, graph: Graph) -> Iterator[str]:
    yield f"  subgraph cluster_{case} {{"
    yield f"    label={_one_line(f'{result.file}  {result.name}' if result.file else result.name)};"
    ids = [f"c{case}n{number}" for number in range(len(graph.nodes))]
    marks = graph.marks
    for number, node in enumerate(graph.nodes):
        codes = [f"{finding.code} {finding.name}" for finding in marks.get(number, ())]
        looks = f"{_LOOKS[node.kind]}{f', {_ILL}' * bool(codes)}"
        yield f"    {ids[number]} [label={quoted(label(node, codes))}, {looks}];"
    for number, node in enumerate(graph.nodes):
        for operand in node.operands:
            output = output_of(graph, operand)
            yield f"    {ids[operand.node]} -> {ids[number]}{f' [label={_one_line(output)}]' if output else ''};"
    for position, root in enumerate(graph.roots):
        output = output_of(graph, root)
        many = f" {position + 1}" if len(graph.roots) > 1 else ""
        yield f"    c{case}out{position} [label={_one_line(f'output{many}')}, shape=plaintext];"
        yield f"    {ids[root.node]} -> c{case}out{position}{f' [label={_one_line(output)}]' if output else ''};"
    yield "  }"


def _one_line(text: str) -> str:
    return quoted(printable(text))
