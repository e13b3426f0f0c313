"""Where in an array the gradient is wrong: the errors of its elements as a map of cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.records import ParameterResult
from gradcheck_cli.report.html.folding import Folded, Side, fold
from gradcheck_cli.report.html.markup import digits, element, label, picture
from gradcheck_cli.report.numbers import count, dimensions, rounded_up, short

_WIDTH = 360
_LEFT, _TOP = 40, 8
_ROOM_ACROSS, _ROOM_DOWN = 312, 220
_LARGEST_CELL, _FLATTEST = 28, 3
_LEVELS = 5
"""Kinds of cells above the resolution, from a little to the most."""
_UNCHECKED, _ABSENT = -1, -2
_MOST_NAMED = 3
_TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True)
class Level:
    """A kind of cell, its class, and the errors that it stands for in words."""

    kind: str
    words: str


@dataclass(frozen=True)
class HeatMap:
    """A drawing, what can't be seen in it, what its cells stand for, how many errors there are, and the largest."""

    svg: str
    words: tuple[str, ...]
    legend: tuple[Level, ...]
    found: str
    largest: tuple[str, ...]


@dataclass(frozen=True)
class _Scale:
    """Levels of errors: 0 up to `floor`, then `decades` of ten each, the last one open."""

    floor: float
    decades: int
    levels: int

    def level(self, values: Array) -> Array:
        """Return the level of each value, _UNCHECKED for nan."""
        found = np.zeros(values.shape, dtype=int)
        above = values > self.floor
        with np.errstate(divide="ignore"):
            steps = np.ceil(np.log10(values[above] / self.floor) / self.decades - 1e-9)
        found[above] = np.clip(steps, 1, self.levels)
        found[np.isnan(values)] = _UNCHECKED
        return found

    def words(self, level: int) -> str:
        low = self.floor * 10.0 ** (self.decades * (level - 1))
        if level == 0:
            return f"within the resolution, {rounded_up(self.floor)}"
        if level == self.levels:
            return f"above {short(low)}"
        return f"{short(low)} to {short(low * 10.0**self.decades)}"


def draw_heat_map(parameter: ParameterResult) -> HeatMap | None:
    """Draw the errors of a parameter's elements; None where fewer than two are known to be something."""
    errors = None if parameter.errors is None else np.asarray(parameter.errors, dtype=float)
    if errors is None or errors.size < 2 or errors.shape != parameter.shape or np.isnan(errors).all():
        return None
    scale = _scale(errors, parameter.resolution)
    folded = fold(errors)
    levels = scale.level(folded.values)
    if folded.wrapped:
        levels.reshape(-1)[folded.cells :] = _ABSENT
    found, largest = _found(errors, scale), tuple(_largest(parameter.name, errors, scale))
    cell, height = _cell_size(levels.shape)
    shape = dimensions(parameter.shape, _TIMES)
    bottom = _TOP + levels.shape[0] * height
    svg = picture(
        _WIDTH,
        bottom + 34,
        f"Errors of the elements of {parameter.name}, {shape}. {' '.join([found, ', '.join(largest)]).strip()}",
        "heat-map",
        *_cells(levels, cell, height),
        _lattice(levels.shape, cell, height),
        *_worst(parameter, folded, cell, height),
        *_names(folded, levels.shape, cell, bottom),
    )
    return HeatMap(svg, tuple(_words(errors, folded)), tuple(_legend(levels, scale, parameter)), found, largest)


def _scale(errors: Array, resolution: float | None) -> _Scale:
    known = errors[np.isfinite(errors)]
    top = float(known.max(initial=0.0))
    floor = resolution if resolution and 0 < resolution < math.inf else max(top * 1e-7, 1e-300)
    span = math.log10(top / floor) if top > floor else 0.0
    span = max(span, 1.0 if np.isinf(errors).any() else 0.0)
    decades = max(1, math.ceil(span / _LEVELS - 1e-9))
    return _Scale(floor, decades, min(_LEVELS, max(1, math.ceil(span / decades - 1e-9))))


def _cell_size(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return width and height of a cell in whole pixels, which keeps its edges sharp and its numbers short."""
    rows, columns = shape
    across = min(_LARGEST_CELL, _ROOM_ACROSS // columns)
    down = min(_LARGEST_CELL, _ROOM_DOWN // rows)
    return min(across, _FLATTEST * down), min(down, _FLATTEST * across)


def _cells(levels: Array, cell: int, height: int) -> Iterator[str]:
    """Draw the cells of each level as one shape, neighbours in a row together."""
    shapes: dict[int, list[str]] = {}
    for row, line in enumerate(levels):
        starts = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
        for start, end in pairwise(starts):
            x, y = _LEFT + start * cell, _TOP + row * height
            shapes.setdefault(int(line[start]), []).append(f"M{x} {y}h{(end - start) * cell}v{height}H{x}z")
    for level in sorted(shapes):
        if level != _ABSENT:
            yield element("path", d="".join(shapes[level]), class_=_kind(level))


def _kind(level: int) -> str:
    return "unchecked" if level == _UNCHECKED else f"level-{level}"


def _lattice(shape: tuple[int, ...], cell: int, height: int) -> str:
    """Draw gaps between cells that are large enough for it."""
    if min(cell, height) < _FLATTEST * 2:
        return ""
    rows, columns = shape
    right, bottom = _LEFT + columns * cell, _TOP + rows * height
    lines = [f"M{_LEFT} {_TOP + row * height}H{right}" for row in range(1, rows)]
    lines += [f"M{_LEFT + column * cell} {_TOP}V{bottom}" for column in range(1, columns)]
    return element("path", d="".join(lines), class_="lattice") if lines else ""


def _worst(parameter: ParameterResult, folded: Folded, cell: int, height: int) -> Iterator[str]:
    """Outline the cell of the element that decided."""
    if parameter.worst is None or len(parameter.worst.index) != len(parameter.shape):
        return
    row, column = folded.cell(parameter.worst.index, parameter.shape)
    x, y = _LEFT + column * cell, _TOP + row * height
    yield element("rect", x=x, y=y, width=cell, height=height, class_="worst")


def _names(folded: Folded, shape: tuple[int, ...], cell: int, bottom: int) -> Iterator[str]:
    """Write the names of the axes, and the first and the last position where it is a single one."""
    right = _LEFT + shape[1] * cell
    if folded.rows.axes:
        middle = digits((_TOP + bottom) / 2)
        yield label(
            0, 0, folded.rows.name, "middle", class_="axis-name", transform=f"translate(12 {middle}) rotate(-90)"
        )
        if len(folded.rows.axes) == 1 and shape[0] > 1 and bottom - _TOP > _LARGEST_CELL:
            yield label(_LEFT - 6, _TOP + 11, "0", "end")
            yield label(_LEFT - 6, bottom - 3, str(folded.rows.length - 1), "end")
    if not folded.wrapped and len(folded.columns.axes) == 1 and right - _LEFT > 2 * _LARGEST_CELL:
        yield label(_LEFT + 2, bottom + 14, "0")
        yield label(right, bottom + 14, str(folded.columns.length - 1), "end")
    if right - _LEFT > _ROOM_ACROSS / 2:
        yield label((_LEFT + right) / 2, bottom + 28, folded.columns.name, "middle", class_="axis-name")
    else:
        yield label(_LEFT, bottom + 28, folded.columns.name, class_="axis-name")


def _words(errors: Array, folded: Folded) -> Iterator[str]:
    """Say how the array was folded and reduced, and what wasn't looked at."""
    if folded.wrapped:
        yield f"{folded.columns.name} runs through {count(folded.values.shape[0], 'row')}, as a text does"
    else:
        for side, what in ((folded.rows, "rows"), (folded.columns, "columns")):
            if len(side.axes) > 1:
                yield f"{what} are {_listed(side)}, the last of them running fastest"
    if max(folded.rows.block, folded.columns.block) > 1:
        block = dimensions((folded.rows.block, folded.columns.block), _TIMES)
        size = str(folded.columns.block) if not folded.rows.axes else block
        yield f"each cell is the largest of {size} elements"
    unknown = int(np.isnan(errors).sum())
    if unknown:
        yield f"{unknown} of {count(errors.size, 'element')} not checked"


def _listed(side: Side) -> str:
    sizes = [f"{axis} ({size})" for axis, size in zip(side.axes, side.sizes, strict=True)]
    return f"axes {', '.join(sizes[:-1])} and {sizes[-1]}"


def _legend(levels: Array, scale: _Scale, parameter: ParameterResult) -> Iterator[Level]:
    """List the levels up to the largest that there is, then what else can be seen."""
    for level in range(scale.levels + 1):
        if level in levels or 0 < level < int(levels.max()):
            yield Level(_kind(level), scale.words(level))
    if _UNCHECKED in levels:
        yield Level(_kind(_UNCHECKED), "not checked")
    if parameter.worst is not None:
        yield Level("worst", f"the element that decided, {element_name(parameter)}")


def element_name(parameter: ParameterResult) -> str:
    """Write the element that decided: `x[0,4]`, the name alone for a scalar."""
    index = parameter.worst.index if parameter.worst else ()
    return _named(parameter.name, index)


def _named(name: str, index: Sequence[int]) -> str:
    return f"{name}[{','.join(map(str, index))}]" if index else name


def _found(errors: Array, scale: _Scale) -> str:
    """Count the errors beyond the resolution."""
    above = int((errors > scale.floor).sum())
    if not above:
        return "No error is larger than the resolution."
    return f"{above} of {int((~np.isnan(errors)).sum())} beyond the resolution, the largest:"


def _largest(name: str, errors: Array, scale: _Scale) -> Iterator[str]:
    """Name the elements with the largest errors beyond the resolution."""
    left = np.where(np.isnan(errors), -1.0, errors).reshape(-1)
    for _ in range(min(_MOST_NAMED, left.size)):
        at = int(left.argmax())
        if left[at] <= scale.floor:
            return
        index = [int(position) for position in np.unravel_index(at, errors.shape)]
        yield f"{_named(name, index)} {short(float(left[at]))}"
        left[at] = -1.0
