"""What comes out of a case past the net around its operators, described as an error of the case."""

from __future__ import annotations

import linecache
import traceback

from gradcheck_cli.errors import Location, Problem
from gradcheck_cli.spec.case import Case


def escaped(case: Case, error: BaseException) -> Problem | None:
    """Describe an exception that a case's operators raised outside of the net, or that memory ran out.

    Not every exception is an `Exception` (those of pytest and asyncio aren't), and what an operator
    returns may raise once it is looked at. None if the program itself is to blame.
    """
    files = {operator.file for operator in case.expression.operators}
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    what = f"{type(error).__name__}: {str(error).strip() or 'no message'}"
    if frames:
        last = frames[-1]
        source = linecache.getline(last.filename, last.lineno or 0).rstrip("\n")
        return Problem(
            f"an operator raised {what}", Location(last.filename, last.lineno or 0), "operator-raised", "", source
        )
    if isinstance(error, MemoryError):
        hint = "make its arrays smaller, or check a sample of their elements"
        return Problem(f"the case needs more memory than there is: {what}", case.location, "out-of-memory", hint)
    return None
