"""Places for the nodes of a small graph: layers from the outputs down, edges that keep off the boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gradcheck_cli.graph_records import Graph, Kind

_SWEEPS = 6
"""Rounds of sorting each layer by its neighbours; more change nothing in graphs of this size."""


@dataclass(frozen=True)
class Edge:
    """The way from an operand (`source`) to the node that takes it, through a place in every layer between."""

    source: int
    target: int
    operand: int
    way: tuple[int, ...]


@dataclass(frozen=True)
class Layers:
    """Places by layer, the outputs in the first. Numbers from `len(graph.nodes)` on are bends of edges."""

    rows: tuple[tuple[int, ...], ...]
    edges: tuple[Edge, ...]


def layers_of(graph: Graph) -> Layers:
    """Sort the nodes that the outputs need into layers, each below all that take it, and order each layer."""
    depth = _depths(graph)
    rows: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for node in sorted(depth):
        rows[depth[node]].append(node)
    edges, bends = [], len(graph.nodes)
    for target in sorted(depth):
        for position, operand in enumerate(graph.nodes[target].operands):
            way = []
            for row in range(depth[operand.node] - 1, depth[target], -1):
                rows[row].append(bends)
                way.append(bends)
                bends += 1
            edges.append(Edge(operand.node, target, position, tuple(way)))
    return Layers(tuple(map(tuple, _ordered(rows, edges))), tuple(edges))


def _depths(graph: Graph) -> dict[int, int]:
    """Return the layer of each node that an output needs; a leaf stands right below the last that takes it."""
    depth: dict[int, int] = {root.node: 0 for root in graph.roots}
    for node in range(len(graph.nodes) - 1, -1, -1):
        if node in depth:
            for operand in graph.nodes[node].operands:
                depth[operand.node] = max(depth.get(operand.node, 0), depth[node] + 1)
    return depth


def _ordered(rows: list[list[int]], edges: Sequence[Edge]) -> list[list[int]]:
    """Order each layer by the mean position of the neighbours above and below in turn, which leaves few crossings."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for edge in edges:
        steps = [edge.source, *edge.way, edge.target]
        for low, high in pairwise(steps):
            above.setdefault(low, []).append(high)
            below.setdefault(high, []).append(low)
    position = {node: float(place) for row in rows for place, node in enumerate(row)}
    for sweep in range(_SWEEPS):
        neighbours, order = (above, rows) if sweep % 2 == 0 else (below, rows[::-1])
        for row in order:
            means = {
                node: sum(position[each] for each in near) / len(near)
                for node in row
                if (near := neighbours.get(node, []))
            }
            row.sort(key=lambda node, means=means: means.get(node, position[node]))  # type: ignore[misc]
            position.update((node, float(place)) for place, node in enumerate(row))
    return rows


def is_drawable(graph: Graph, most_nodes: int, widest: int) -> bool:
    """Tell whether a drawing would be readable: neither too many nodes nor a layer that is too wide."""
    if not graph.roots or len(graph.nodes) > most_nodes or not any(n.kind is Kind.OPERATOR for n in graph.nodes):
        return False
    return max(len(row) for row in layers_of(graph).rows) <= widest
