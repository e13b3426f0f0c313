from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli.errors import Location
from gradcheck_cli.records import Blame, Culprit
from gradcheck_cli.report.html.graph_picture import draw_graph
from tests.report.graphs import HOSTILE, chain, diamond, drawn, ill, leaf, node, two_outputs
from tests.report.html.reading import Element, read

Make = Callable[..., Any]


def boxes(svg: str) -> list[Element]:
    return list(read(svg).all("g", "node"))


def corners(box: Element) -> tuple[float, float, float, float]:
    rect = box.first("rect").attributes
    x, y, width, height = (float(rect[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def test_nodes_are_drawn_with_shape_and_kind(case: Make) -> None:
    picture = draw_graph(case(graph=diamond().graph))
    assert picture is not None
    words = [[text.text for text in box.all("text")] for box in boxes(picture.svg)]
    assert words[0] == ["multiply", "3\N{MULTIPLICATION SIGN}4"]
    assert ["x (parameter)", "3\N{MULTIPLICATION SIGN}4"] in words
    assert boxes(picture.svg)[-1].kinds == ["node", "parameter"]
    assert len(list(read(picture.svg).all("path", "edge"))) == 4
    assert picture.tree[0].strip().startswith("multiply")
    assert picture.words == "4 nodes, the output at the top"


def test_boxes_don_t_overlap_and_lie_inside(case: Make) -> None:
    for made in (diamond(), ill(), two_outputs(), chain(20)):
        picture = draw_graph(case(graph=made.graph))
        assert picture is not None
        svg = read(picture.svg).first("svg")
        placed = [corners(box) for box in boxes(picture.svg)]
        width, height = map(float, svg.attributes["viewbox"].split()[2:])
        for number, (left, top, right, bottom) in enumerate(placed):
            assert left >= 0
            assert top >= 0
            assert right <= width
            assert bottom <= height
            for other in placed[:number]:
                assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_what_is_wrong_alone_or_ill_is_marked_in_words(case: Make) -> None:
    place = Location("a.grad.yaml", 3, 9)
    culprit = Culprit("log", "x", 1, (place,))
    picture = draw_graph(case(graph=ill().graph, blame=Blame(1, 1, 0, (culprit,))))
    assert picture is not None
    (marked,) = [box for box in boxes(picture.svg) if "ill" in box.kinds]
    assert [text.text for text in marked.all("text")][2:] == ["wrong alone", "GC406 origin-of-nan"]
    assert "Marked: log: wrong alone, GC406 origin-of-nan" in read(picture.svg).first("svg").attributes["aria-label"]
    elsewhere = Culprit("log", "x", 1, (Location("a.grad.yaml", 9, 9),))
    innocent = draw_graph(case(graph=diamond().graph, blame=Blame(1, 1, 0, (elsewhere,))))
    assert innocent is not None
    assert not [box for box in boxes(innocent.svg) if "ill" in box.kinds]


def test_a_large_graph_is_told_as_a_tree_only(case: Make) -> None:
    picture = draw_graph(case(graph=chain(200).graph))
    assert picture is not None
    assert picture.svg == ""
    assert sum("tanh" in line and "see" not in line for line in picture.tree) == 200


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_words(case: Make, name: str) -> None:
    picture = draw_graph(case(graph=drawn(leaf(name), node(name, 0)).graph, name=name))
    assert picture is not None
    assert len(boxes(picture.svg)) == 2
    assert {element.name for element in read(picture.svg).all()} <= {"svg", "g", "rect", "path", "text", "title"}
    picture.svg.encode()


def test_an_output_of_several_is_named_at_its_edge(case: Make) -> None:
    picture = draw_graph(case(graph=two_outputs().graph))
    assert picture is not None
    assert [text.text for text in read(picture.svg).all("text", "output")] == ["loss", "probs"]


def test_without_a_graph_nothing_is_drawn(case: Make) -> None:
    assert draw_graph(case()) is None
