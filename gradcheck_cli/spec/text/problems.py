"""Collect the problems of one spec file, so that all are said at once and in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cached_property

from gradcheck_cli.errors import Location, Problem, SpecError
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.text.nodes import Mark, shortened

# A line longer than this helps nobody under a message, and a file can be one line of a megabyte.
_LONGEST_LINE = 200
_LONGEST_MESSAGE = 500
# A file with more than that is no spec, and describing it all would take minutes.
_MOST_PROBLEMS = 1000
_MOST_CASES = 3
_LONGEST_NAME = 60


@dataclass(eq=False)
class Problems:
    """The problems found so far in the file that is shown as `file`; `lines` are the file's."""

    file: str
    lines: tuple[str, ...] = ()
    _found: dict[Problem, Mark] = field(default_factory=dict)
    _sharing: tuple[Mark, str] | None = None
    # By the place of what cases share: those that read it, and those in which a problem came up.
    _readers: dict[Mark, set[str]] = field(default_factory=dict)
    _having: dict[Problem, tuple[Mark, dict[str, None]]] = field(default_factory=dict)

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

    @contextmanager
    def shared(self, mark: Mark, case: str) -> Iterator[None]:
        """Read what stands at `mark` for several cases, now for the one of that name.

        Where not all of them have a problem with it, it is said which have.
        """
        self._readers.setdefault(mark, set()).add(case)
        self._sharing = mark, case
        try:
            yield
        finally:
            self._sharing = None

    def _note(self, problem: Problem, mark: Mark) -> None:
        self._found.setdefault(problem, mark)
        if self._sharing:
            place, case = self._sharing
            self._having.setdefault(problem, (place, {}))[1][case] = None
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
            raise SpecError(map(self._with_cases, sorted(self._found, key=lambda problem: self._found[problem])))

    def _with_cases(self, problem: Problem) -> Problem:
        """Say in which cases a problem comes up, unless it does in all of several."""
        if problem not in self._having:
            return problem
        place, having = self._having[problem]
        if 1 < len(having) == len(self._readers[place]):
            return problem
        names = [f"'{shortened(name, _LONGEST_NAME)}'" for name in having]
        more = [f"{len(names) - _MOST_CASES} more"] if len(names) > _MOST_CASES else []
        listed = " and ".join([", ".join(names[:_MOST_CASES]), *more])
        return replace(problem, message=f"{problem.message} (in {'case' if len(names) == 1 else 'cases'} {listed})")
