# ruff: noqa: RUF001 (the minus sign is what is drawn)
from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from gradcheck_cli.records import SweepPoint, WorstElement
from gradcheck_cli.report.html.curve import Curve, draw_curve
from tests.report.html.reading import Element, read
from tests.report.html.runs import valley
from tests.report.verdicts import FAIL

Make = Callable[..., Any]


def drawn(case: Make, parameter: Any) -> tuple[Curve, Element]:
    curve = draw_curve(case(parameter), parameter, "x[0]")
    assert curve is not None
    return curve, read(curve.svg).first("svg")


def place(circle: Element) -> tuple[float, float]:
    return float(circle.attributes["cx"]), float(circle.attributes["cy"])


def numbers(path: str) -> list[float]:
    return [float(word) for word in path.replace("M", " ").replace("L", " ").split()]


def test_points_lie_on_logarithmic_axes(case: Make, parameter: Make) -> None:
    _, svg = drawn(case, parameter("x", FAIL, sweep=valley()))
    points = [place(circle) for circle in svg.all("circle", "point")]
    across = [one[0] - other[0] for one, other in pairwise(points)]
    assert across == pytest.approx([across[0]] * 6, abs=0.2), "equal steps of eps are equally far apart"
    assert across[0] > 0, "large steps stand at the right"
    # From 1e-2 to 1e-4 the error falls by four decades, from 1e-7 to 1e-8 it rises by one.
    decade = (points[2][1] - points[0][1]) / 4
    assert points[5][1] - points[6][1] == pytest.approx(decade, rel=0.05)


def test_the_fitted_lines_meet_the_points(case: Make, parameter: Make) -> None:
    curve, svg = drawn(case, parameter("x", FAIL, sweep=valley()))
    first, last = place(next(svg.all("circle"))), place(list(svg.all("circle"))[-1])
    for kind, (x, y) in (("truncation", first), ("rounding", last)):
        start_x, start_y, end_x, end_y = numbers(svg.first("path", kind).attributes["d"])
        at = start_y + (x - start_x) * (end_y - start_y) / (end_x - start_x)
        assert at == pytest.approx(y, abs=1.0), kind
    assert [line.words for line in curve.legend] == [
        "relative error of x[0]",
        "rounding, slope −1, placed through the points",
        "truncation, slope +2, placed through the points",
        "resolution 1e-07: smaller errors can't be told from none",
    ]


def test_a_flat_curve_says_that_the_gradient_is_wrong(case: Make, parameter: Make) -> None:
    curve, svg = drawn(case, parameter("x", FAIL))
    assert curve.words == "flat: the gradient is wrong"
    assert len({place(circle)[1] for circle in svg.all("circle", "point")}) == 1
    assert svg.attributes["role"] == "img"
    assert svg.attributes["aria-label"].startswith("Relative error of x[0] over eps: 1.00 at 1e-2, 1.00 at 1e-3")
    assert curve.numbers[0] == ("1e-2", "1.00")
    assert sum("error bar" in line.words for line in curve.legend) == 2


def test_errors_without_a_place_stand_at_the_ends(case: Make, parameter: Make) -> None:
    sweep = (SweepPoint(1e-3, math.nan), SweepPoint(1e-4, 0.5), SweepPoint(1e-5, 0.0), SweepPoint(1e-6, math.inf))
    curve, svg = drawn(case, parameter("x", FAIL, sweep=sweep))
    kinds = {line.kind for line in curve.legend}
    assert {"zero", "cross"} <= kinds
    assert len(list(svg.all("path", "cross"))) == 2
    assert place(svg.first("circle", "zero"))[1] == max(place(circle)[1] for circle in svg.all("circle"))
    assert svg.first("path", "sweep").attributes["d"].count("L") == 0, "nothing joins what isn't on the axes"


@pytest.mark.parametrize(
    "sweep",
    [
        (SweepPoint(1e-5, 0.5),),
        (SweepPoint(1e-5, 0.0),),
        (SweepPoint(1e-5, math.nan), SweepPoint(1e-6, math.nan)),
        tuple(SweepPoint(10.0**-k, 10.0 ** (40 * (k % 2) - 200)) for k in range(1, 15)),
        (SweepPoint(1e-5, 1e300), SweepPoint(1e-6, 5e-324)),
    ],
)
@pytest.mark.parametrize("resolution", [None, 1e-7, math.inf, math.nan, 0.0])
def test_everything_stays_inside_of_the_drawing(case: Make, parameter: Make, sweep: Any, resolution: Any) -> None:
    _, svg = drawn(case, parameter("x", FAIL, sweep=sweep, resolution=resolution))
    assert "nan" not in "".join(path.attributes["d"] for path in svg.all("path"))
    for circle in svg.all("circle"):
        x, y = place(circle)
        assert 0 <= x <= 360
        assert 0 <= y <= 250
    for path in svg.all("path", "line"):
        values = numbers(path.attributes["d"].replace("H", " ").replace("V", " "))
        assert all(-0.1 <= value <= 360.1 for value in values)


def test_without_a_sweep_there_is_no_curve(case: Make, parameter: Make) -> None:
    assert draw_curve(case(), parameter("x", FAIL, sweep=()), "x") is None
    assert draw_curve(case(), parameter("x", FAIL, sweep=(SweepPoint(0.0, 1.0),)), "x") is None


def test_a_line_outside_of_the_axes_is_said_to_be_there(case: Make, parameter: Make) -> None:
    curve, svg = drawn(case, parameter("x", FAIL, worst=WorstElement((0,), 0.5, -0.5, 1e-15)))
    assert curve.legend[2].words == "truncation, slope +2, outside of what is drawn"
    assert not list(svg.all("path", "truncation"))
    assert "placed by the error bar" in curve.legend[1].words
    assert list(svg.all("path", "rounding"))
