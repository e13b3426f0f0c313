"""Positions inside a text of the YAML file: quotes, escapes and folded lines are followed back."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from gradcheck_cli.errors import Location
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.text.nodes import Scalar
from gradcheck_cli.spec.text.place import Place
from gradcheck_cli.spec.text.problems import Problems

_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}


@dataclass(frozen=True)
class FoldedPlace(Place):
    """The place of a text whose lines are not those of the file: plain, quoted or folded.

    `text` is the value, `style` its quote (empty for none), `whole` holds the file's lines.
    """

    text: str = ""
    style: str = ""
    whole: tuple[str, ...] = ()

    def at(self, line: int = 1, column: int = 1) -> Location:
        """Return the place in the file of a line and column (from 1) inside the value."""
        before = self.text.split("\n")[: line - 1]
        offset = sum(len(part) + 1 for part in before) + max(column, 1) - 1
        row, at = self._follow(offset)
        return Location(self.file, row + 1, at + 1)

    def _follow(self, offset: int) -> tuple[int, int]:
        """Read value and file side by side up to the character at `offset` of the value."""
        row, at = self.line - 1, self.column - 1
        for char in self.text[:offset]:
            row, at, length = self._locate(row, at, char)
            at += length
        if offset < len(self.text):
            row, at, _ = self._locate(row, at, self.text[offset])
        return row, at

    def _locate(self, row: int, at: int, char: str) -> tuple[int, int, int]:
        """Find the next character of the value at or behind a position; return its place and written length."""
        if char.isspace() and self._written(row, at) not in (char, "\\"):
            return row, at, 0  # made by folding a line end
        if not char.isspace():
            while not self._rest(row, at) and row + 1 < len(self.whole):
                row, at = row + 1, 0
            at += len(self.whole[row][at:]) - len(self.whole[row][at:].lstrip())
        written = self._written(row, at)
        if self.style == "'" and written == "'":
            return row, at, 2
        if self.style == '"' and written == "\\":
            return row, at, _ESCAPE_LENGTHS.get(self._written(row, at + 1), 2)
        return row, at, 1

    def _rest(self, row: int, at: int) -> str:
        """Return what a line still holds of the value: an escaped line end is nothing."""
        rest = self.whole[row][at:].strip()
        return "" if self.style == '"' and rest == "\\" else rest

    def _written(self, row: int, at: int) -> str:
        return self.whole[row][at : at + 1]


def place_of(scalar: Scalar, problems: Problems) -> Place:
    """Return the place of a text in its file."""
    line, column = scalar.mark
    file, lines, shown = problems.file, problems.lines, problems.shown_lines
    text = scalar.text
    if scalar.style == "|":
        indent = _indent(text, islice(lines, line, None))
        return Place(file, line + 1, indent + 1, shown, indent)
    if scalar.style == ">":
        return FoldedPlace(file, line + 1, 1, shown, text=text, whole=lines)
    start = column + len(scalar.style)
    return FoldedPlace(file, line, start, shown, text=text, style=scalar.style, whole=lines)


def _indent(text: str, lines: Iterable[str]) -> int:
    """Return by how much a literal block is indented: its first line that isn't blank tells."""
    for written, line in zip(lines, text.split("\n"), strict=False):
        if line.strip():
            return len(written) - len(line)
    return 0
