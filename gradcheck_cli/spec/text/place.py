"""Where a piece of text stands in a spec file, so that a problem in it can be shown there."""

from __future__ import annotations

from gradcheck_cli.errors import Location, Problem
from gradcheck_cli.light_dataclass import dataclass


@dataclass(frozen=True)
class Place:
    """The start of a value in a file, from which positions inside the value are counted.

    `line` and `column` are those of the value's first character, from 1. `indent` is the number of
    columns that every further line of a block scalar is indented by. `lines` are the file's.
    """

    file: str
    line: int
    column: int
    lines: tuple[str, ...] = ()
    indent: int = 0

    def at(self, line: int = 1, column: int = 1) -> Location:
        """Return the place in the file of a line and column (from 1) inside the value."""
        if line == 1:
            return Location(self.file, self.line, self.column + column - 1)
        return Location(self.file, self.line + line - 1, self.indent + column)

    def problem(self, message: str, code: str, hint: str = "", line: int = 1, column: int = 1) -> Problem:
        """Describe a problem at a position inside the value, with the line of the file."""
        location = self.at(line, column)
        source = self.lines[location.line - 1] if 0 < location.line <= len(self.lines) else ""
        return Problem(message, location, code, hint, source)
