"""The error over the step, both on logarithmic axes, beside the lines of rounding and truncation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradcheck_cli.records import CaseResult, ParameterResult, SweepPoint
from gradcheck_cli.report.html.guides import ROUNDING, Guide, guides
from gradcheck_cli.report.html.markup import digits, element, label, picture
from gradcheck_cli.report.numbers import rounded_up, scientific, short
from gradcheck_cli.report.sweep_words import closing_word

_WIDTH, _HEIGHT = 360, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 348, 14, 206
_DEEPEST = 18
"""Decades below the largest error beyond which nothing is drawn: that is less than any rounding."""
_DEEP = -17
"""log10 of an error that is none: below it no line is worth the room."""
_MOST_TICKS = 8


@dataclass(frozen=True)
class Line:
    """A line or a mark of the drawing and what it stands for; `kind` is its class."""

    kind: str
    words: str


@dataclass(frozen=True)
class Curve:
    """A drawing, what it says in words, what stands for what in it, and its numbers as text: step and error."""

    svg: str
    words: str
    legend: tuple[Line, ...]
    numbers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Axes:
    """The decades that are drawn: from `left` to `right` of eps, from `low` to `high` of the error."""

    left: float
    right: float
    low: int
    high: int

    def x(self, log_eps: float) -> float:
        return _LEFT + (log_eps - self.left) / (self.right - self.left) * (_RIGHT - _LEFT)

    def y(self, log_error: float) -> float:
        return _BOTTOM - (log_error - self.low) / (self.high - self.low) * (_BOTTOM - _TOP)


def draw_curve(case: CaseResult, parameter: ParameterResult, element_name: str) -> Curve | None:
    """Draw the sweep of a parameter, taken at the element `element_name`; None where there is none."""
    points = sorted((point for point in parameter.sweep if 0 < point.eps < math.inf), key=lambda point: -point.eps)
    if not points:
        return None
    lines = guides(case, parameter)
    axes = _axes(points, lines, parameter.resolution)
    words = closing_word(points, parameter.verdict, parameter.resolution)
    numbers = tuple((scientific(point.eps), short(point.rel_err)) for point in points)
    spoken = ", ".join(f"{error} at {eps}" for eps, error in numbers)
    svg = picture(
        _WIDTH,
        _HEIGHT,
        f"Relative error of {element_name} over eps: {spoken}{f'. {words}' if words else ''}",
        "curve",
        *_grid(axes),
        *(_guide(axes, line) for line in lines),
        *_resolution(axes, parameter.resolution),
        _path(axes, points),
        *(_mark(axes, point) for point in points),
    )
    return Curve(svg, words, tuple(_legend(element_name, points, lines, axes, parameter.resolution)), numbers)


def _axes(points: Sequence[SweepPoint], lines: Sequence[Guide], resolution: float | None) -> _Axes:
    steps = [math.log10(point.eps) for point in points]
    left, right = min(steps), max(steps)
    if right - left < 1:
        left, right = left - 1, right + 1
    margin = 0.03 * (right - left)
    shown = [point.rel_err for point in points if 0 < point.rel_err < math.inf]
    shown += [resolution] if resolution and 0 < resolution < math.inf else []
    heights = [math.log10(value) for value in shown] or [0.0]
    low, high = min(heights), max(heights)
    crossing = _crossing(lines)
    if crossing and left <= crossing[0] <= right:
        low, high = min(low, crossing[1]), max(high, crossing[1])
    # Some of each line is shown, unless it lies so deep that it would press the rest together.
    ends = [max(line.at(left), line.at(right)) for line in lines]
    low = min([low, *(end - 0.5 for end in ends if end > _DEEP)])
    high_decade = math.ceil(high + 0.2)
    low_decade = max(math.floor(low - 0.2), high_decade - _DEEPEST)
    return _Axes(left - margin, right + margin, min(low_decade, high_decade - 1), high_decade)


def _crossing(lines: Sequence[Guide]) -> tuple[float, float] | None:
    """Return where the two lines meet, below which no right gradient's error is expected."""
    if len(lines) < 2:
        return None
    one, other = lines
    x = (other.offset - one.offset) / (one.slope - other.slope)
    return x, one.at(x)


def _grid(axes: _Axes) -> Iterator[str]:
    first, last = math.ceil(axes.left), math.floor(axes.right)
    across = range(last, first - 1, -_every(last - first))
    down = range(axes.high, axes.low - 1, -_every(axes.high - axes.low))
    lines = [f"M{digits(axes.x(decade))} {_TOP}V{_BOTTOM}" for decade in range(first, last + 1)]
    lines += [f"M{_LEFT} {digits(axes.y(decade))}H{_RIGHT}" for decade in down]
    yield element("path", d="".join(lines), class_="grid")
    for decade in across:
        yield label(axes.x(decade), _BOTTOM + 16, _power(decade), "middle")
    for decade in down:
        yield label(_LEFT - 6, axes.y(decade) + 4, _power(decade), "end")
    yield element("path", d=f"M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}", class_="axis")
    yield label((_LEFT + _RIGHT) / 2, _HEIGHT - 8, "eps, the relative step", "middle", class_="axis-name")


def _every(decades: int) -> int:
    return max(1, math.ceil((decades + 1) / _MOST_TICKS))


def _power(decade: int) -> str:
    return "1" if decade == 0 else f"1e{decade}"


def _guide(axes: _Axes, guide: Guide) -> str:
    """Draw the part of a line that lies within the axes."""
    kind = _guide_kind(guide)
    at_ends = sorted((height - guide.offset) / guide.slope for height in (axes.low, axes.high))
    start, end = max(axes.left, at_ends[0]), min(axes.right, at_ends[1])
    if start >= end:
        return ""
    x, y, to_x, to_y = axes.x(start), axes.y(guide.at(start)), axes.x(end), axes.y(guide.at(end))
    return element("path", d=f"M{digits(x)} {digits(y)}L{digits(to_x)} {digits(to_y)}", class_=f"line {kind}")


def _guide_kind(guide: Guide) -> str:
    return "rounding" if guide.slope == ROUNDING else "truncation"


def _resolution(axes: _Axes, resolution: float | None) -> Iterator[str]:
    if resolution and 0 < resolution < math.inf and axes.low <= math.log10(resolution) <= axes.high:
        y = digits(axes.y(math.log10(resolution)))
        yield element("path", d=f"M{_LEFT} {y}H{_RIGHT}", class_="line resolution")


def _path(axes: _Axes, points: Sequence[SweepPoint]) -> str:
    """Join neighbours of which both have a place on a logarithmic axis."""
    moves, pen = [], "M"
    for point in points:
        if not 0 < point.rel_err < math.inf:
            pen = "M"
            continue
        moves.append(f"{pen}{digits(axes.x(math.log10(point.eps)))} {digits(_height(axes, point))}")
        pen = "L"
    return element("path", d="".join(moves), class_="line sweep") if moves else ""


def _height(axes: _Axes, point: SweepPoint) -> float:
    return min(axes.y(math.log10(point.rel_err)), float(_BOTTOM))


def _mark(axes: _Axes, point: SweepPoint) -> str:
    """Draw a point: one without a place on the axis stands at its end, hollow for zero and a cross for no number."""
    x = axes.x(math.log10(point.eps))
    title = element("title", f"eps {scientific(point.eps)}: relative error {short(point.rel_err)}")
    if not math.isfinite(point.rel_err):
        return element("path", title, d=f"M{digits(x - 4)} {_TOP}l8 8m0 -8l-8 8", class_="point cross")
    if point.rel_err <= 0:
        return element("circle", title, cx=x, cy=float(_BOTTOM), r=4, class_="point zero")
    return element("circle", title, cx=x, cy=_height(axes, point), r=4, class_="point")


def _legend(
    name: str, points: Sequence[SweepPoint], lines: Sequence[Guide], axes: _Axes, resolution: float | None
) -> Iterator[Line]:
    yield Line("sweep", f"relative error of {name}")
    if any(point.rel_err == 0 for point in points):
        yield Line("zero", "on the axis: an error of zero")
    if any(not math.isfinite(point.rel_err) for point in points):
        yield Line("cross", "no finite number at this step")
    for guide in lines:
        sign = "\N{MINUS SIGN}1" if guide.slope == ROUNDING else "+2"
        place = "placed through the points" if guide.fitted else "placed by the error bar"
        place = place if _guide(axes, guide) else "outside of what is drawn"
        yield Line(_guide_kind(guide), f"{_guide_kind(guide)}, slope {sign}, {place}")
    if resolution and 0 < resolution < math.inf:
        yield Line("resolution", f"resolution {rounded_up(resolution)}: smaller errors can't be told from none")
