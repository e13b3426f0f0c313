"""What every picture says about a node."""

import pytest

from gradcheck_cli.graph_records import GraphOperand, Kind
from gradcheck_cli.report.graph_text import figures, is_shared, kind_word, output_of, shapes, size
from tests.report.graphs import diamond, ill, leaf, node, two_outputs


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1536, "1.5 KiB"),
        (3 * 2**20, "3.0 MiB"),
        (2**50, "1024.0 TiB"),
    ],
)
def test_bytes_are_written_in_the_unit_that_fits(count, text):
    assert size(count) == text


def test_shapes_of_several_outputs_are_named():
    assert shapes(node("tanh"), "x") == "3x4"
    assert shapes(two_outputs().graph.nodes[1], "x") == "loss (), probs 3x4"
    assert shapes(leaf("x", shape=()), "x") == "()"


def test_the_kind_of_a_leaf_is_said_once():
    assert kind_word(leaf("W")) == "parameter"
    assert kind_word(leaf("constant", Kind.CONSTANT)) == ""
    assert kind_word(leaf("2.5", Kind.CONSTANT)) == "constant"
    assert kind_word(node("tanh")) == ""


def test_only_what_is_known_is_told():
    assert figures(node("tanh")) == []
    assert figures(node("tanh", kept_bytes=0)) == []
    assert figures(ill().graph.nodes[0]) == ["value 1.5e+00", "zeros 25 %", "gradient 1.5e+00"]


def test_outputs_and_sharing():
    graph = two_outputs().graph
    assert is_shared(graph) == [False, True, False]
    assert is_shared(diamond().graph) == [False, True, False, False]
    assert output_of(graph, GraphOperand("", 1, 1)) == "probs"
    assert output_of(graph, GraphOperand("", 2)) == ""
