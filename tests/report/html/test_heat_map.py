from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from gradcheck_cli.report.html.heat_map import HeatMap, draw_heat_map, element_name
from tests.report.conftest import make_parameter
from tests.report.html.reading import Element, read
from tests.report.html.runs import column_wrong, wrong
from tests.report.verdicts import FAIL


def drawn(errors: Any, **changes: Any) -> tuple[HeatMap, Element]:
    heat_map = draw_heat_map(wrong("x", errors, **changes))
    assert heat_map is not None
    return heat_map, read(heat_map.svg).first("svg")


def area(svg: Element, kind: str) -> int:
    """Return how many square pixels the cells of a level cover."""
    runs = [re.findall(r"M\d+ \d+h(\d+)v(\d+)H\d+z", path.attributes["d"]) for path in svg.all("path", kind)]
    return sum(int(width) * int(height) for run in runs for width, height in run)


def test_cells_are_of_the_level_of_their_error() -> None:
    heat_map, svg = drawn([[1e-9, 1e-6], [1e-2, 1.0]])
    cell = area(svg, "level-0")
    assert cell == 28 * 28
    levels = {level.kind: level.words for level in heat_map.legend}
    assert levels["level-0"] == "within the resolution, 1e-07"
    assert levels["level-1"] == "1e-7 to 1e-5"
    assert levels["level-4"] == "above 0.10"
    assert [area(svg, f"level-{level}") // cell for level in range(6)] == [1, 1, 0, 1, 1, 0]
    assert "level-5" not in levels


def test_what_was_not_checked_looks_unlike_zero() -> None:
    heat_map, svg = drawn([[0.0, np.nan], [np.nan, 1.0]])
    assert area(svg, "unchecked") == 2 * area(svg, "level-0") > 0
    assert heat_map.words == ("2 of 4 elements not checked",)
    assert "not checked" in [level.words for level in heat_map.legend]
    known, _ = drawn([[0.0, 0.5], [0.0, 1.0]])
    assert known.words == ()
    assert "not checked" not in [level.words for level in known.legend]


def test_cells_that_stand_for_nothing_are_not_drawn() -> None:
    heat_map, svg = drawn(np.linspace(0.1, 1.0, 100))
    assert heat_map.words == ("axis 0 runs through 3 rows, as a text does",)
    cells = sum(area(svg, f"level-{level}") for level in range(6))
    width = int(svg.first("rect", "worst").attributes["width"])
    height = int(svg.first("rect", "worst").attributes["height"])
    assert cells == 100 * width * height
    assert "unchecked" not in [level.kind for level in heat_map.legend]


def test_the_element_that_decided_is_outlined() -> None:
    _, svg = drawn(column_wrong())
    ring = svg.first("rect", "worst").attributes
    cell = int(ring["width"])
    assert (int(ring["x"]) - 40, int(ring["y"]) - 8) == (7 * cell, 0)


def test_a_large_array_says_how_it_was_reduced() -> None:
    errors = np.full((64, 80), 1e-12)
    errors[63, 79] = 1.0
    heat_map, svg = drawn(errors)
    assert heat_map.words == ("each cell is the largest of 3\N{MULTIPLICATION SIGN}2 elements",)
    assert area(svg, "level-4") == 7 * 10
    assert area(svg, "level-0") == (40 * 22 - 1) * 7 * 10
    assert heat_map.found == "1 of 5120 beyond the resolution, the largest:"
    assert heat_map.largest == ("x[63,79] 1.00",)
    folded, _ = drawn(np.ones((2, 3, 4, 200)))
    assert folded.words[0] == "rows are axes 0 (2), 1 (3) and 2 (4), the last of them running fastest"


def test_the_largest_errors_are_named() -> None:
    heat_map, svg = drawn(column_wrong())
    assert heat_map.found == "4 of 32 beyond the resolution, the largest:"
    assert heat_map.largest == ("x[0,7] 1.00", "x[1,7] 0.10", "x[2,7] 1e-2")
    assert svg.attributes["aria-label"].endswith(f"{heat_map.found} x[0,7] 1.00, x[1,7] 0.10, x[2,7] 1e-2")
    small, _ = drawn(np.full((2, 2), 1e-9))
    assert small.found == "No error is larger than the resolution."
    assert small.largest == ()


def test_axes_are_named() -> None:
    _, svg = drawn(column_wrong())
    assert {"axis 0", "axis 1", "0", "3", "7"} <= {text.text for text in svg.all("text")}


def test_infinite_errors_are_the_largest() -> None:
    heat_map, svg = drawn([[1e-9, np.inf], [1e-9, 1e-9]], max_rel_err=np.inf)
    assert heat_map.largest == ("x[0,1] inf",)
    assert area(svg, heat_map.legend[1].kind) > 0


@pytest.mark.parametrize("resolution", [None, 0.0, np.inf, np.nan, 1e-7])
def test_any_resolution_gives_a_scale(resolution: float | None) -> None:
    heat_map, svg = drawn(column_wrong(), resolution=resolution)
    assert sum(area(svg, f"level-{level}") for level in range(6)) == 32 * 28 * 28
    assert all("nan" not in level.words for level in heat_map.legend)


@pytest.mark.parametrize("errors", [None, np.array(0.5), np.full((2, 2), np.nan), np.zeros((0, 3)), np.zeros((3, 2))])
def test_where_there_is_nothing_to_see_there_is_no_map(errors: Any) -> None:
    shape = (2, 3) if errors is not None and errors.shape == (3, 2) else getattr(errors, "shape", (2, 2))
    assert draw_heat_map(make_parameter("x", FAIL, shape=shape, errors=errors)) is None


def test_elements_are_named_by_their_place() -> None:
    assert element_name(wrong("x", column_wrong())) == "x[0,7]"
    assert element_name(make_parameter("b")) == "b"
