# ruff: noqa: RUF001 (the sign for times is what is printed)
"""The tree of a graph: from the output down, each node once, whatever its names and however deep it is."""

import pytest

from gradcheck_cli.errors import printable
from gradcheck_cli.report.graph_tree import tree_text
from tests.report.graphs import HOSTILE, chain, diamond, drawn, ill, leaf, node, two_outputs


def tree(result, width=None):
    """Return the tree as UTF-8 shows it."""
    return tree_text(result, "utf-8", width)


def test_a_shared_node_is_drawn_once_and_seen_again():
    assert tree(diamond()) == (
        "a.grad.yaml  a case\n"
        " multiply   3×4\n"
        " ├─ exp   3×4\n"
        " │  └─ #1 tanh   3×4\n"
        " │     └─ x   3×4   parameter\n"
        " └─ see #1, tanh\n"
    )


def test_an_ascii_locale_gets_ascii():
    text = tree_text(diamond(), "ascii", None)
    assert text.isascii()
    assert " |- exp   3x4\n |  `- #1 tanh   3x4\n |     `- x   3x4   parameter\n `- see #1, tanh\n" in text


def test_outputs_are_named_where_there_are_several():
    assert tree(two_outputs()) == (
        "a.grad.yaml  two outputs\n"
        " multiply   3×4\n"
        " ├─ #1 loss of softmax_xent   loss (), probs 3×4\n"
        " │  └─ x   3×4   parameter\n"
        " └─ see #1, probs of softmax_xent\n"
        " see #1, probs of softmax_xent\n"
    )


def test_figures_bytes_and_findings_are_told():
    text = tree(ill())
    assert (
        " log   3×4   keeps 96 bytes, value 7.0e-01, value 3 infinite, the rest from -0.5 to 0.5, gradient 1.5e+00, "
        "saturated 50 %, GC406 origin-of-nan\n"
    ) in text
    assert " └─ x   3×4   parameter   value 1.5e+00, zeros 25 %, gradient 1.5e+00\n" in text
    assert " value and gradient are norms, the roots of sums of squares\n" in text
    assert " 96 bytes kept for the backward, each array once, without parameters, inputs and constants\n" in text
    assert (
        " GC406 origin-of-nan   a.grad.yaml:3:9\n   log gives -inf in 3 of 12 elements\n   keep away from zero\n"
        in text
    )


def test_a_narrow_terminal_gets_figures_on_lines_of_their_own():
    text = tree(ill(), 60)
    assert max(map(len, text.splitlines())) <= 90  # the sentence about bytes, which the terminal wraps
    assert "\n log   3×4\n    keeps 96 bytes, value 7.0e-01\n" in text
    assert max(len(line) for line in text.splitlines() if "value " in line and "norms" not in line) <= 60


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_hostile_names_stay_on_their_line(name, encoding):
    text = tree_text(drawn(leaf(name), node(name, 0), name=name), encoding, None)
    assert len(text.splitlines()) == 3
    assert "\x1b" not in text
    text.encode(encoding)
    if encoding == "utf-8":
        assert text.count(printable(name)) >= 3


@pytest.mark.parametrize("width", [None, 80, 40])
def test_what_is_deep_is_drawn_further_down_from_the_margin(width):
    lines = tree(chain(100), width).splitlines()
    assert sum("tanh   3×4" in line for line in lines) == 100
    below = [line for line in lines if " below, tanh" in line]
    assert len(below) >= 5
    for number, _ in enumerate(below, start=1):
        assert sum(line.startswith(f" #{number} tanh") for line in lines) == 1
    assert max(map(len, lines)) < (width or 80)
    assert lines[-1].endswith("x   3×4   parameter")


def test_a_chain_of_100000_nodes_is_drawn_in_full_without_recursion():
    text = tree(chain(100_000))
    assert text.count("tanh   3×4") == 100_000
    assert max(map(len, text.splitlines())) < 100
