from __future__ import annotations

import random
from itertools import pairwise

import pytest

from gradcheck_cli.graph_records import Graph, GraphOperand
from gradcheck_cli.report.html.layers import Layers, is_drawable, layers_of
from tests.report.graphs import chain, diamond, drawn, leaf, node, two_outputs


def graph_of(result) -> Graph:
    assert result.graph is not None
    return result.graph


def random_graph(seed: int) -> Graph:
    draw = random.Random(seed)
    nodes = [leaf("x"), leaf("y")]
    for number in range(draw.randrange(1, 25)):
        nodes.append(node(f"f{number}", *(draw.randrange(len(nodes)) for _ in range(draw.randrange(1, 4)))))
    return Graph(tuple(nodes), (GraphOperand("", len(nodes) - 1),))


def row_of(layers: Layers) -> dict[int, int]:
    return {number: row for row, numbers in enumerate(layers.rows) for number in numbers}


@pytest.mark.parametrize("seed", range(30))
def test_every_edge_goes_up_one_layer_at_a_time(seed: int) -> None:
    graph = random_graph(seed)
    layers = layers_of(graph)
    rows = row_of(layers)
    assert sum(map(len, layers.rows)) == len(rows), "each place once"
    for edge in layers.edges:
        steps = [edge.source, *edge.way, edge.target]
        assert [rows[one] - rows[other] for one, other in pairwise(steps)] == [1] * (len(steps) - 1), seed
        operand = graph.nodes[edge.target].operands[edge.operand]
        assert operand.node == edge.source
    shown = {number for number in rows if number < len(graph.nodes)}
    assert len(layers.edges) == sum(len(graph.nodes[number].operands) for number in shown)


def test_the_output_is_in_the_first_layer_and_a_chain_goes_down() -> None:
    assert layers_of(graph_of(chain(3))).rows == ((3,), (2,), (1,), (0,))
    assert layers_of(graph_of(diamond())).rows[0] == (3,)


def test_what_no_output_needs_is_left_out() -> None:
    graph = graph_of(drawn(leaf("x"), leaf("unused"), node("exp", 0)))
    assert 1 not in row_of(layers_of(graph))


def test_several_outputs_may_be_below_one_another() -> None:
    rows = row_of(layers_of(graph_of(two_outputs())))
    assert rows[2] < rows[1] < rows[0]


def test_edges_that_needn_t_cross_don_t() -> None:
    graph = graph_of(drawn(leaf("a"), leaf("b"), node("f", 1), node("g", 0), node("h", 2, 3)))
    layers = layers_of(graph)
    position = {number: place for row in layers.rows for place, number in enumerate(row)}
    assert (position[2] < position[3]) == (position[1] < position[0])


def test_large_or_wide_graphs_are_not_drawn() -> None:
    assert is_drawable(graph_of(chain(30)), 40, 7)
    assert not is_drawable(graph_of(chain(40)), 40, 7)
    wide = drawn(*(leaf(f"x{number}") for number in range(9)), node("concatenate", *range(9)))
    assert not is_drawable(graph_of(wide), 40, 7)
    assert not is_drawable(graph_of(drawn(leaf("x"))), 40, 7)
    assert not is_drawable(Graph((leaf("x"),), ()), 40, 7)
