"""A graph as a tree of text, from the output down."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from gradcheck_cli.graph_records import Graph, GraphOperand, GraphResult
from gradcheck_cli.records import Finding
from gradcheck_cli.report.graph_text import figures, is_shared, kind_word, output_of, shapes, size
from gradcheck_cli.report.numbers import count
from gradcheck_cli.report.plain import encodable, from_here, safe, times_sign

_GAP = "   "
_DEEPEST = 16
"""Levels of indentation; what lies deeper is drawn further down, from the margin on."""

_NARROWEST, _ROOM = 4, 34


@dataclass(frozen=True)
class _Lines:
    """How branches are drawn."""

    branch: str
    last: str
    through: str
    gap: str = "   "


_DRAWN = _Lines("├─ ", "└─ ", "│  ")
_ASCII = _Lines("|- ", "`- ", "|  ")


def tree_text(result: GraphResult, encoding: str, width: int | None) -> str:
    """Return one case: heading, tree, and what was found; `width` is that of a terminal, None for lines as they are."""
    heading = f"{result.file}  {result.name}" if result.file else result.name
    lines = [safe(heading, encoding)]
    if result.graph is not None:
        lines += _Tree(result.graph, encoding, width).lines()
        if result.memory:
            lines.append(f" {size(result.graph.kept_bytes)} kept for the backward, {_WHAT_COUNTS}")
        if result.health:
            lines.append(f" {_WHAT_FIGURES_ARE}")
        for symptom in result.graph.symptoms:
            lines += ["", *_finding_lines(symptom.finding, encoding, width)]
        if result.health and not result.graph.symptoms and not result.problem:
            lines.append(f" nothing is ill among {count(len(result.graph.nodes), 'node')}")
    return "\n".join(lines) + "\n"


_WHAT_FIGURES_ARE = "value and gradient are norms, the roots of sums of squares"
_WHAT_COUNTS = "each array once, without parameters, inputs and constants"


def _finding_lines(finding: Finding, encoding: str, width: int | None) -> list[str]:
    place = f"{_GAP}{safe(from_here(finding.location), encoding)}" if finding.location else ""
    lines = [f" {finding.code} {finding.name}{place}"]
    for sentence in finding.message.split("\n"):
        text = safe(sentence, encoding)
        room = None if width is None else max(20, width - len(_GAP))
        parts = [text] if room is None else textwrap.wrap(text, room, break_on_hyphens=False)
        lines += [_GAP + part for part in parts]
    return lines


class _Tree:
    """The tree of one graph in the making."""

    def __init__(self, graph: Graph, encoding: str, width: int | None) -> None:
        self.graph = graph
        self.encoding = encoding
        self.width = width
        self.shared = is_shared(graph)
        self.marks = graph.marks
        self.labels: dict[int, int] = {}
        self.drawn: set[int] = set()
        self.look = _DRAWN if encodable("├─└│", encoding) else _ASCII
        self.deepest = _DEEPEST
        if width is not None:
            self.deepest = max(_NARROWEST, min(_DEEPEST, (width - _ROOM) // len(self.look.gap)))

    def lines(self) -> Iterator[str]:
        """Return the lines of all outputs, and below them of what lay too deep to be drawn there."""
        waiting: list[GraphOperand] = []
        for root in self.graph.roots:
            yield from self._branches(root, waiting)
        at = 0
        while at < len(waiting):
            if waiting[at].node not in self.drawn:
                yield ""
                yield from self._branches(waiting[at], waiting)
            at += 1

    def _branches(self, root: GraphOperand, waiting: list[GraphOperand]) -> Iterator[str]:
        """Draw what hangs on `root`, each node once; what is too deep goes to `waiting`."""
        stack = [(root, " ", " ", 0)]
        while stack:
            operand, first, others, depth = stack.pop()
            number = operand.node
            node = self.graph.nodes[number]
            below = depth == self.deepest and bool(node.operands) and number not in self.drawn
            if number in self.drawn or below:
                if below:
                    waiting.append(GraphOperand("", number))
                yield from self._line(
                    first, others, f"see #{self._label(number)}{' below' * below}, {self._name(operand)}", []
                )
                continue
            self.drawn.add(number)
            label = f"#{self._label(number)} " if self.shared[number] or number in self.labels else ""
            words = [f"{label}{self._name(operand)}", shapes(node, times_sign(self.encoding)), kind_word(node)]
            codes = [f"{finding.code} {finding.name}" for finding in self.marks.get(number, ())]
            yield from self._line(first, others, _GAP.join(filter(None, words)), [*figures(node), *codes])
            rows = []
            for position, each in enumerate(node.operands):
                last = position == len(node.operands) - 1
                turn = self.look.last if last else self.look.branch
                rows.append((each, others + turn, others + (self.look.gap if last else self.look.through), depth + 1))
            stack.extend(reversed(rows))

    def _label(self, number: int) -> int:
        return self.labels.setdefault(number, len(self.labels) + 1)

    def _name(self, operand: GraphOperand) -> str:
        name = safe(self.graph.nodes[operand.node].name, self.encoding)
        output = output_of(self.graph, operand)
        return f"{output} of {name}" if output else name

    def _line(self, first: str, others: str, text: str, told: Sequence[str]) -> Iterator[str]:
        """Write a node; its figures go to lines of their own where a terminal is too narrow."""
        line = first + _GAP.join([text, *([", ".join(told)] if told else [])])
        if self.width is None or not told or cell_len(line) <= self.width:
            yield line
            return
        yield first + text
        indented = others + _GAP
        row = ""
        for each in told:
            longer = f"{row}, {each}" if row else each
            if row and cell_len(indented + longer) > self.width:
                yield indented + row
                longer = each
            row = longer
        yield indented + row
