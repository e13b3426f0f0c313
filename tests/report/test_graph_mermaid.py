# ruff: noqa: RUF001 (the sign for times is what is printed)
"""Graphs for Mermaid: its own parser reads them and understands every name as it is."""

from gradcheck_cli.errors import printable
from gradcheck_cli.report.graph_mermaid import quoted, to_mermaid, too_large
from tests.report.graphs import HOSTILE, chain, diamond, drawn, ill, leaf, node, two_outputs
from tests.report.viewers import mermaid_errors, mermaid_texts


def test_each_node_is_written_once_and_arrows_follow_the_data():
    text = to_mermaid([diamond()])
    assert text.isascii()
    assert text.startswith("flowchart BT\n")
    arrows = [line.strip() for line in text.splitlines() if "-->" in line]
    assert arrows == ["c0n0 --> c0n1", "c0n1 --> c0n2", "c0n2 --> c0n3", "c0n1 --> c0n3", "c0n3 --> c0out0"]


def test_all_but_the_plainest_signs_are_written_as_numbers():
    assert quoted("W_1, 2.5") == '"W_1, 2.5"'
    assert quoted('"]#;') == '"#34;#93;#35;#59;"'
    assert quoted("é") == '"#233;"'
    assert quoted("two\nlines") == '"two<br/>lines"'


def test_what_viewers_refuse_unless_they_are_told_is_said():
    assert too_large(to_mermaid([diamond()])) == ""
    assert "maxTextSize" in too_large(to_mermaid([chain(3000)]))
    assert "maxEdges of 3001 (not 500)" in too_large(to_mermaid([chain(3000)]))


def test_mermaid_reads_graphs_with_figures_and_several_outputs():
    (texts,) = mermaid_texts([to_mermaid([diamond(), ill(), two_outputs(), chain(200)])])
    assert "x (parameter)\n3×4" in texts
    assert any("keeps 96 bytes" in text and "GC406 origin-of-nan" in text for text in texts)


def test_mermaid_reads_hostile_names_as_they_are():
    names = [*HOSTILE, "".join(HOSTILE)]
    sources = [to_mermaid([drawn(leaf(name), node(name, 0), name=name)]) for name in names]
    for name, texts in zip(names, mermaid_texts(sources), strict=True):
        shown = [text.strip() for text in texts]
        assert f"{printable(name)} (parameter)\n3×4".strip() in shown, name
        assert f"{printable(name)}\n3×4".strip() in shown, name
        assert f"a.grad.yaml  {printable(name)}".strip() in shown, name


def test_mermaid_refuses_what_is_not_escaped():
    source = to_mermaid([drawn(leaf("x"), node("plain", 0))])
    broken = [source.replace('"plain<br/>3#215;4"', name) for name in ('a " b', "a ] b", "#quot;] end")]
    right, *wrong = mermaid_errors([source, *broken])
    assert right is None
    assert None not in wrong


def test_a_chain_of_100000_nodes_is_written_in_full_to_mermaid():
    text = to_mermaid([chain(100_000)])
    assert text.count("tanh") == 100_000
    assert text.count(" --> ") == 100_001
