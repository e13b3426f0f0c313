"""What went wrong where, with a hint: every error that a person is meant to read."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from typing import Any

from gradcheck_cli.light_dataclass import dataclass


@dataclass(frozen=True)
class Location:
    """A place in a text file; line and column count from 1, 0 where unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return ":".join([self.file, *(str(n) for n in (self.line, self.column) if n)])


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, what, and what to do about it.

    `source` is the offending line of the file, shown with a caret under the column.
    """

    message: str
    location: Location | None = None
    code: str = ""
    hint: str = ""
    source: str = ""

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        tag = f" [{self.code}]" if self.code else ""
        lines = [printable(f"{where}error: {self.message}{tag}")]
        if self.source:
            # A tab is one column of the file, so it is shown as one; wide characters take two of a terminal.
            source = self.source.replace("\t", " ")
            lines.append("  " + printable(source))
            if self.location and self.location.column:
                lines.append("  " + " " * _width(printable(source[: self.location.column - 1])) + "^")
        if self.hint:
            lines.append(printable(f"  hint: {self.hint}"))
        return "\n".join(lines)


class GradcheckError(Exception):
    """Something that a person has to mend; holds one or more problems."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled by their message, from which this one can't be made again.
        return type(self), (self.problems,)


class SpecError(GradcheckError):
    """A spec, or a file that it names, can't be used."""


class OperatorError(GradcheckError):
    """An operator is declared wrongly, called wrongly, or raised."""


class ContractViolation(GradcheckError):
    """An operator broke the contract of a backward pass; `finding` is the finding's name.

    `location` is the backward (or the forward) that broke it.
    """

    def __init__(self, finding: str, message: str, operator: str, location: Location | None, hint: str = "") -> None:
        self.finding = finding
        self.message = message
        self.operator = operator
        self.location = location
        self.hint = hint
        super().__init__(Problem(f"{operator}: {message}", location, finding, hint))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.finding, self.message, self.operator, self.location, self.hint)


class Skipped(GradcheckError):
    """What a check needs isn't there, and that is no fault: code that isn't written yet, a device."""


class MissingDevice(Skipped):
    """The `device` on which an operator should compute isn't there; `why` is the framework's word for it."""

    def __init__(self, device: str, why: str = "") -> None:
        self.device = device
        self.why = why
        super().__init__(Problem(f"not checked on {device}{f': {why}' if why else ''}", code="missing-device"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.device, self.why)


class MissingExtra(Skipped):
    """The `package` that `name` needs isn't installed; `install` is the command that does it."""

    def __init__(self, name: str, package: str, install: str) -> None:
        self.name = name
        self.package = package
        self.install = install
        message = f"{name} needs {package}, which isn't installed: {install}"
        super().__init__(Problem(message, code="missing-extra"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.package, self.install)


class SampledWarning(UserWarning):
    """Not every element is checked, since that would take longer than the budget."""


def near(name: str, names: Iterable[str]) -> str:
    """Suggest the nearest of `names` as a sentence, or the shortest with a word that is `name`; else return nothing."""
    listed = list(names)
    close = difflib.get_close_matches(name, listed, n=1)
    close = close or sorted((each for each in listed if name in each.split("_")), key=len)
    return f"did you mean '{close[0]}'?" if close else ""


def printable(text: str) -> str:
    """Escape what would move a cursor, or break or reorder a line: control and format characters of hostile names."""
    return "".join(
        char if not unicodedata.category(char).startswith(("C", "Zl", "Zp")) else char.encode("unicode_escape").decode()
        for char in text
    )


def _width(text: str) -> int:
    """Count the cells of a terminal that `text` takes."""
    cells = {"W": 2, "F": 2}
    return sum(0 if unicodedata.combining(char) else cells.get(unicodedata.east_asian_width(char), 1) for char in text)
