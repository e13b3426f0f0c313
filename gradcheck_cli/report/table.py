"""The table of a case: one row per parameter, folded or stacked where a terminal is too narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells
from rich.text import Text

_HEAD = ("parameter", "shape", "checked", "max rel err", "resolution", "verdict")
_RIGHT = {"checked", "max rel err", "resolution"}
_GAP = "   "
_NARROWEST = len("parameter")


@dataclass(frozen=True)
class Row:
    """The cells of one parameter in the order of the columns; `style` colours the verdict."""

    cells: tuple[str, str, str, str, str, str]
    style: str = ""


def parameter_table(rows: Sequence[Row], width: int | None) -> list[Text]:
    """Lay out `rows` under their heading, in `width` columns; None for as many as it takes.

    Names are folded where the table is too wide, and where even that isn't enough each parameter
    takes two lines. Nothing is ever cut off.
    """
    widths = [max(map(cell_len, column)) for column in zip(_HEAD, *(row.cells for row in rows), strict=True)]
    excess = 1 + sum(widths) + len(_GAP) * (len(widths) - 1) - (width or 0)
    if width is not None and excess > 0:
        widths[0] -= excess
        if widths[0] < _NARROWEST:
            return [line for row in rows for line in _stacked(row)]
    lines = [_line(_HEAD, widths, "")]
    for row in rows:
        name, *folded = _folded(row.cells[0], widths[0])
        lines.append(_line((name, *row.cells[1:]), widths, row.style))
        lines.extend(Text(" " + part) for part in folded)
    return lines


def _line(cells: Sequence[str], widths: Sequence[int], style: str) -> Text:
    padded = []
    for title, cell, width in zip(_HEAD[:-1], cells[:-1], widths[:-1], strict=True):
        space = " " * (width - cell_len(cell))
        padded.append(space + cell if title in _RIGHT else cell + space)
    return Text.assemble(" " + _GAP.join(padded) + _GAP, (cells[-1], style))


def _folded(name: str, width: int) -> list[str]:
    return chop_cells(name, width) if cell_len(name) > width else [name]


def _stacked(row: Row) -> list[Text]:
    name, *figures, verdict = row.cells
    described = ", ".join(f"{title} {figure.strip()}" for title, figure in zip(_HEAD[1:-1], figures, strict=True))
    return [Text(" " + name), Text.assemble(f"   {described}, ", (verdict, row.style))]
