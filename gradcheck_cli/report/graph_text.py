"""What every picture of a graph says about a node, in words."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.errors import printable
from gradcheck_cli.findings.health.figures import percent
from gradcheck_cli.graph_records import Figures, Graph, GraphNode, GraphOperand, GraphOutput, Kind
from gradcheck_cli.report.numbers import dimensions

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def shapes(node: GraphNode, times: str) -> str:
    """Write the shape of a node's output; several are named: `loss 4, probs 4x3`."""
    if len(node.outputs) == 1:
        return dimensions(node.outputs[0].shape, times)
    return ", ".join(f"{output.name} {dimensions(output.shape, times)}" for output in node.outputs)


def kind_word(node: GraphNode) -> str:
    """Say of a leaf what it is; nothing of an operator, nor of a constant that is called so."""
    return "" if node.kind is Kind.OPERATOR or node.name == str(node.kind) else str(node.kind)


def figures(node: GraphNode) -> list[str]:
    """Write what is known about a node beside name and shape, a text for each thing."""
    told = [f"keeps {size(node.kept_bytes)}"] if node.kept_bytes else []
    for output in node.outputs:
        whose = f"{output.name}: " if len(node.outputs) > 1 else ""
        told += [f"{whose}{text}" for text in _of_output(output)]
    if node.saturated is not None:
        told.append(f"saturated {percent(node.saturated)}")
    return told


def label(node: GraphNode, codes: Sequence[str]) -> str:
    """Write all of a node that a picture shows, a line for each thing; `codes` are those of its findings."""
    word = kind_word(node)
    first = f"{node.name} ({word})" if word else node.name
    lines = [first, shapes(node, "\N{MULTIPLICATION SIGN}"), *figures(node), *codes]
    return "\n".join(map(printable, lines))


def size(count: int) -> str:
    """Write a number of bytes: `96 bytes`, `1.5 KiB`."""
    amount, unit = float(count), 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{count} byte{'s' * (count != 1)}" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def output_of(graph: Graph, operand: GraphOperand) -> str:
    """Name the output that an operand takes; empty where its node has only one."""
    outputs = graph.nodes[operand.node].outputs
    return outputs[operand.output].name if len(outputs) > 1 else ""


def is_shared(graph: Graph) -> list[bool]:
    """Tell of every node whether it is taken more than once."""
    counts = [0] * len(graph.nodes)
    for operand in graph.roots:
        counts[operand.node] += 1
    for node in graph.nodes:
        for operand in node.operands:
            counts[operand.node] += 1
    return [count > 1 for count in counts]


def _of_output(output: GraphOutput) -> list[str]:
    told = []
    value = output.value
    if value is not None:
        told += [f"value {value.norm:.1e}"] if value.low is not None else []
        if value.zeros:
            told.append(f"zeros {percent(value.zeros)}")
        if value.bad:
            told.append(_bad("value", value))
    if output.gradient is not None:
        told += [f"gradient {output.gradient.norm:.1e}"] if output.gradient.low is not None else []
        if output.gradient.bad:
            told.append(_bad("gradient", output.gradient))
    return told


def _bad(what: str, seen: Figures) -> str:
    words = [f"{number} {word}" for word, number in (("nan", seen.nan), ("infinite", seen.infinite)) if number]
    between = f", the rest from {seen.low:.3g} to {seen.high:.3g}" if seen.low is not None else ""
    return f"{what} {' and '.join(words)}{between}"
