# ruff: noqa: RUF001 (the sign for times is what is printed)
"""Graphs for Graphviz: its own program reads them and draws every name as it is."""

import pytest

from gradcheck_cli.errors import printable
from gradcheck_cli.report.graph_dot import quoted, to_dot
from tests.report.graphs import HOSTILE, chain, diamond, drawn, ill, leaf, node, two_outputs
from tests.report.viewers import dot_texts


def test_each_node_is_written_once_and_arrows_follow_the_data():
    text = to_dot([diamond()])
    assert text.isascii()
    assert text.count("label=") == 1 + 4 + 1
    arrows = [line.strip() for line in text.splitlines() if "->" in line]
    assert arrows == ["c0n0 -> c0n1;", "c0n1 -> c0n2;", "c0n2 -> c0n3;", "c0n1 -> c0n3;", "c0n3 -> c0out0;"]


def test_quotes_backslashes_and_entities_are_escaped():
    assert quoted('a "b" \\n') == '"a \\"b\\" \\\\n"'
    assert quoted("<&> é") == '"&lt;&amp;&gt; &#233;"'
    assert quoted("two\nlines") == '"two\\nlines"'


def test_findings_mark_their_node():
    text = to_dot([ill()])
    marked = [line for line in text.splitlines() if "penwidth=2" in line]
    assert len(marked) == 1
    assert "GC406 origin-of-nan" in marked[0]


def test_graphviz_draws_graphs_with_figures_and_several_outputs():
    texts = dot_texts(to_dot([diamond(), ill(), two_outputs(), chain(200)]))
    assert {
        "multiply",
        "3×4",
        "x (parameter)",
        "keeps 96 bytes",
        "loss",
        "probs",
        "output 2",
    } <= set(texts)


@pytest.mark.parametrize("name", [*HOSTILE, "".join(HOSTILE)], ids=lambda name: ascii(name[:30]))
def test_graphviz_draws_hostile_names_as_they_are(name):
    case = drawn(leaf(name), node(name, 0), name=name)
    texts = dot_texts(to_dot([case]))
    assert {printable(name), f"{printable(name)} (parameter)"} <= {text or name for text in texts} | {""}
    assert f"a.grad.yaml  {printable(name)}".rstrip() in [text.rstrip() for text in texts]


def test_what_the_locale_cant_write_is_shown_by_its_number():
    text = to_dot([drawn(leaf("a \U0001d518"))], "ascii")
    assert text.isascii()
    assert any("a \\U0001d518" in shown for shown in dot_texts(text))


def test_graphviz_refuses_what_is_not_escaped():
    source = to_dot([drawn(leaf("x"), node("plain", 0))]).replace("plain", 'a " b')
    with pytest.raises(AssertionError, match="a case"):
        dot_texts(source)


def test_a_chain_of_100000_nodes_is_written_in_full_to_dot():
    text = to_dot([chain(100_000)])
    assert text.count("tanh") == 100_000
    assert text.count(" -> ") == 100_001
