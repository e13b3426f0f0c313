"""The graph of a case as a drawing, the outputs at the top and arrows in the direction of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradcheck_cli.errors import printable
from gradcheck_cli.graph_records import Graph, GraphNode, GraphResult, Kind
from gradcheck_cli.records import CaseResult
from gradcheck_cli.report.graph_text import kind_word, output_of, shapes
from gradcheck_cli.report.graph_tree import tree_text
from gradcheck_cli.report.html.layers import Edge, Layers, is_drawable, layers_of
from gradcheck_cli.report.html.markup import digits, element, label, picture, text
from gradcheck_cli.report.numbers import count

_MOST_NODES, _WIDEST = 40, 7
_LETTER, _LINE, _PADDING = 7.2, 15, 9
"""Pixels: the width of a letter, the height of a line, and the room around the words of a node."""
_LONGEST = 22
_GAP_ACROSS, _GAP_DOWN, _MARGIN = 18, 34, 10
_BEND = 12.0
"""The width that is kept free for an edge which passes a layer."""


@dataclass(frozen=True)
class GraphPicture:
    """A drawing (empty where it would be too large to be read), and the lines of the same graph as a tree."""

    svg: str
    tree: tuple[str, ...]
    words: str


@dataclass(frozen=True)
class _Box:
    """Where a node stands, its words, and whether something is wrong there."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...] = ()
    kind: str = ""
    title: str = ""

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def draw_graph(case: CaseResult) -> GraphPicture | None:
    """Draw what a case computes, the operators marked that are wrong alone; None where no graph was kept."""
    graph = case.graph
    if graph is None or not graph.nodes:
        return None
    result = GraphResult(case.id, case.file, case.line, case.name, case.seed, graph)
    # Its first line is the heading, which stands above already.
    tree = tuple(tree_text(result, "utf-8", None).rstrip("\n").split("\n")[1:])
    words = f"{count(len(graph.nodes), 'node')}, the output at the top"
    svg = _drawing(case, graph) if is_drawable(graph, _MOST_NODES, _WIDEST) else ""
    return GraphPicture(svg, tree, words)


def _drawing(case: CaseResult, graph: Graph) -> str:
    layers = layers_of(graph)
    boxes = _placed(layers, {node: _lines(case, graph, node) for row in layers.rows for node in row})
    width = max(box.x + box.width for box in boxes.values()) + _MARGIN
    height = max(box.y + box.height for box in boxes.values()) + _MARGIN
    wrong = ", ".join(f"{box.lines[0]}: {', '.join(box.lines[2:])}" for box in boxes.values() if "ill" in box.kind)
    spoken = f"Graph of {case.name}, {count(len(graph.nodes), 'node')}{f'. Marked: {wrong}' if wrong else ''}"
    edges = [part for edge in layers.edges for part in _edge(graph, boxes, edge)]
    drawn = [_node(boxes[node]) for row in layers.rows for node in row if node < len(graph.nodes)]
    return picture(width, height, spoken, "graph", *edges, *drawn)


def _lines(case: CaseResult, graph: Graph, number: int) -> tuple[tuple[str, ...], str]:
    """Return the words in a node's box, and its class; no words for a bend."""
    if number >= len(graph.nodes):
        return (), ""
    node = graph.nodes[number]
    word = kind_word(node)
    marks = [f"{finding.code} {finding.name}" for finding in graph.marks.get(number, ())]
    if _is_blamed(case, node):
        marks.insert(0, "wrong alone")
    named = f"{node.name} ({word})" if word else node.name
    kind = f"node {node.kind}{' ill' if marks else ''}"
    return (named, shapes(node, "\N{MULTIPLICATION SIGN}"), *marks), kind


def _is_blamed(case: CaseResult, node: GraphNode) -> bool:
    if case.blame is None or node.kind is not Kind.OPERATOR or node.location is None:
        return False
    return any(node.name == each.operator and node.location in each.places for each in case.blame.culprits)


def _placed(layers: Layers, texts: dict[int, tuple[tuple[str, ...], str]]) -> dict[int, _Box]:
    """Give each node a place: layers below one another, each in the middle of the widest."""
    widths = {number: _width(lines) for number, (lines, _) in texts.items()}
    spans = [sum(widths[each] for each in row) + _GAP_ACROSS * (len(row) - 1) for row in layers.rows]
    boxes: dict[int, _Box] = {}
    y = float(_MARGIN)
    for row, span in zip(layers.rows, spans, strict=True):
        height = max(_height(texts[each][0]) for each in row)
        x = _MARGIN + (max(spans) - span) / 2
        for each in row:
            lines, kind = texts[each]
            own = _height(lines) if lines else height
            shown = tuple(map(_shortened, lines))
            title = ", ".join(lines) if shown != lines else ""
            boxes[each] = _Box(x, y + (height - own) / 2, widths[each], own, shown, kind, title)
            x += widths[each] + _GAP_ACROSS
        y += height + _GAP_DOWN
    return boxes


def _width(lines: Sequence[str]) -> float:
    if not lines:
        return _BEND
    return max(len(_shortened(line)) for line in lines) * _LETTER + 2 * _PADDING


def _height(lines: Sequence[str]) -> float:
    return len(lines) * _LINE + _PADDING * 1.2 if lines else 0.0


def _shortened(line: str) -> str:
    shown = printable(line)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _node(box: _Box) -> str:
    radius = 4 if "operator" in box.kind else 12
    words = [
        label(box.middle, box.y + _LINE * (number + 1), line, "middle", class_=None if number else "name")
        for number, line in enumerate(box.lines)
    ]
    title = [element("title", text(box.title))] if box.title else []
    frame = element("rect", x=box.x, y=box.y, width=box.width, height=box.height, rx=radius)
    return element("g", *title, frame, *words, class_=box.kind)


def _edge(graph: Graph, boxes: dict[int, _Box], edge: Edge) -> Iterator[str]:
    """Draw an arrow from the top of an operand to the bottom of what takes it."""
    source, target = boxes[edge.source], boxes[edge.target]
    operands = len(graph.nodes[edge.target].operands)
    x, y = source.middle, source.y
    path = [f"M{digits(x)} {digits(y)}"]
    end_x = target.x + target.width * (edge.operand + 1) / (operands + 1)
    stops = [(boxes[bend].middle, boxes[bend].y + boxes[bend].height, boxes[bend].y) for bend in edge.way]
    for to_x, bottom, top in [*stops, (end_x, target.y + target.height + 5, None)]:
        half = (y + bottom) / 2
        path.append(f"C{digits(x)} {digits(half)} {digits(to_x)} {digits(half)} {digits(to_x)} {digits(bottom)}")
        x, y = to_x, bottom
        if top is not None:
            path.append(f"V{digits(top)}")
            y = top
    yield element("path", d="".join(path), class_="edge")
    tip = target.y + target.height
    yield element("path", d=f"M{digits(end_x)} {digits(tip)}l-4 7h8z", class_="arrow")
    output = output_of(graph, graph.nodes[edge.target].operands[edge.operand])
    if output:
        yield label(source.middle + 5, source.y - 6, _shortened(output), class_="output")
