"""Tables of results, one row for each: folded or stacked where a terminal is too narrow."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells
from rich.text import Text

from gradcheck_cli.light_dataclass import dataclass

_GAP = "   "
_NARROWEST = len("parameter")


@dataclass(frozen=True)
class Columns:
    """The titles of a table's columns, the first a name and the last a verdict; those in `right` stand to the right."""

    titles: tuple[str, ...]
    right: frozenset[str]


PARAMETERS = Columns(
    ("parameter", "shape", "checked", "max rel err", "resolution", "verdict"),
    frozenset({"checked", "max rel err", "resolution"}),
)


@dataclass(frozen=True)
class Row:
    """The cells of one result in the order of the columns; `style` colours the verdict."""

    cells: tuple[str, ...]
    style: str = ""


def parameter_table(rows: Sequence[Row], width: int | None) -> list[Text]:
    """Lay out the table of a case, a row for each parameter; see `table`."""
    return table(PARAMETERS, rows, width)


def table(columns: Columns, rows: Sequence[Row], width: int | None) -> list[Text]:
    """Lay out `rows` under their heading, in `width` columns of a screen; None for as many as it takes.

    Names are folded where the table is too wide, and where even that isn't enough each result takes
    two lines. Nothing is ever cut off.
    """
    widths = [max(map(cell_len, column)) for column in zip(columns.titles, *(row.cells for row in rows), strict=True)]
    excess = 1 + sum(widths) + len(_GAP) * (len(widths) - 1) - (width or 0)
    if width is not None and excess > 0:
        widths[0] -= excess
        if widths[0] < _NARROWEST:
            return [line for row in rows for line in _stacked(columns, row)]
    lines = [_line(columns, columns.titles, widths, "")]
    for row in rows:
        name, *folded = _folded(row.cells[0], widths[0])
        lines.append(_line(columns, (name, *row.cells[1:]), widths, row.style))
        lines.extend(Text(" " + part) for part in folded)
    return lines


def _line(columns: Columns, cells: Sequence[str], widths: Sequence[int], style: str) -> Text:
    padded = []
    for title, cell, width in zip(columns.titles[:-1], cells[:-1], widths[:-1], strict=True):
        space = " " * (width - cell_len(cell))
        padded.append(space + cell if title in columns.right else cell + space)
    return Text.assemble(" " + _GAP.join(padded) + _GAP, (cells[-1], style))


def _folded(name: str, width: int) -> list[str]:
    return chop_cells(name, width) if cell_len(name) > width else [name]


def _stacked(columns: Columns, row: Row) -> list[Text]:
    name, *figures, verdict = row.cells
    described = ", ".join(
        f"{title} {figure.strip()}" for title, figure in zip(columns.titles[1:-1], figures, strict=True)
    )
    return [Text(" " + name), Text.assemble(f"   {described}, ", (verdict, row.style))]
