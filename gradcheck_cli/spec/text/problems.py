"""Collect the problems of one spec file, so that all are said at once and in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import cached_property

from gradcheck_cli.errors import Location, Problem, SpecError
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.text.nodes import Mark, shortened

# A line longer than this helps nobody under a message, and a file can be one line of a megabyte.
_LONGEST_LINE = 200
_LONGEST_MESSAGE = 500
# A file with more than that is no spec, and describing it all would take minutes.
_MOST_PROBLEMS = 1000


@dataclass(eq=False)
class Problems:
    """The problems found so far in the file that is shown as `file`; `lines` are the file's."""

    file: str
    lines: tuple[str, ...] = ()
    _found: dict[Problem, Mark] = field(default_factory=dict)

    @cached_property
    def shown_lines(self) -> tuple[str, ...]:
        """The lines as they may be shown: too long ones are empty."""
        return tuple(line if len(line) <= _LONGEST_LINE else "" for line in self.lines)

    def add(self, mark: Mark, message: str, code: str, hint: str = "") -> None:
        """Note what is wrong at `mark`. The same problem is said once.

        Raises SpecError, with all problems so far, when there are a thousand.
        """
        message, hint = shortened(message, _LONGEST_MESSAGE), shortened(hint, _LONGEST_MESSAGE)
        source = self.shown_lines[mark.line - 1] if 0 < mark.line <= len(self.lines) else ""
        problem = Problem(message, Location(self.file, mark.line, mark.column), code, hint, source)
        self._note(problem, mark)

    def take(self, problems: Iterable[Problem], mark: Mark) -> None:
        """Note problems that were described elsewhere, because of what stands at `mark`."""
        for problem in problems:
            where = problem.location
            here = where is not None and where.file == self.file and where.line > 0
            self._note(problem, Mark(where.line, where.column) if where and here else mark)

    def _note(self, problem: Problem, mark: Mark) -> None:
        self._found.setdefault(problem, mark)
        if len(self._found) >= _MOST_PROBLEMS:
            message = f"{_MOST_PROBLEMS:,} problems: the rest of the file was not read"
            last = max(self._found.values())
            self._found[Problem(message, Location(self.file, last.line, last.column), "too-many")] = last
            self.raise_any()

    def __len__(self) -> int:
        return len(self._found)

    def raise_any(self) -> None:
        """Raise SpecError with all problems in the order of the file, if there are any."""
        if self._found:
            raise SpecError(sorted(self._found, key=lambda problem: self._found[problem]))
