"""What comes out of a case past the net around its operators, described as an error of the case."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Collection

from gradcheck_cli.core.execution import take_told
from gradcheck_cli.errors import Location, Problem
from gradcheck_cli.spec.case import Case

_LESS = "memory ran out: lower --memory, make the arrays smaller, or check a sample of their elements (--sample)"


def escaped(case: Case, error: BaseException) -> Problem | None:
    """Describe an exception that a case's operators raised outside of the net, or that memory ran out.

    Not every exception is an `Exception` (KeyboardInterrupt and those of asyncio aren't), and what an operator
    returns may raise once it is looked at. None if the program itself is to blame.
    """
    files = {operator.file for operator in case.expression.operators}
    return escaped_from(files, error, "the case", case.location)


def escaped_from(files: Collection[str], error: BaseException, what: str, where: Location) -> Problem | None:
    """Describe an exception as `escaped` does: `files` are those of the operators, `what` needed them at `where`."""
    if told := take_told(error):
        problem = told.problems[0]
        if not isinstance(error, MemoryError):
            return problem
        hint = "; ".join(filter(None, [_LESS, problem.hint]))
        return Problem(problem.message, problem.location, "out-of-memory", hint, problem.source)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    words = f"{type(error).__name__}: {str(error).strip() or 'no message'}"
    if frames:
        last = frames[-1]
        source = linecache.getline(last.filename, last.lineno or 0).rstrip("\n")
        code, hint = ("out-of-memory", _LESS) if isinstance(error, MemoryError) else ("operator-raised", "")
        return Problem(f"an operator raised {words}", Location(last.filename, last.lineno or 0), code, hint, source)
    if isinstance(error, MemoryError):
        return Problem(f"{what} needs more memory than there is: {words}", where, "out-of-memory", _LESS)
    return None
