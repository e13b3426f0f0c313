"""Where the calls of operators stand: in the expression of a spec, or in a person's Python function."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location
from gradcheck_cli.findings.blame.ledger import Locate

_PACKAGE = __name__.partition(".")[0]


def in_order(calls: Sequence[tuple[Operator, Location | None]]) -> Locate:
    """Return what says where each of `calls` stands, when these are made in their order."""
    waiting = iter(calls)

    def locate(operator: Operator) -> Location | None:
        expected, place = next(waiting, (None, None))
        return place if expected is operator else None

    return locate


def python_line(operator: Operator) -> Location | None:  # noqa: ARG001 (the form of a Locate)
    """Return the line of Python that is calling an operator: the innermost that isn't ours."""
    frame = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] != _PACKAGE:
            return Location(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment] # None at the end
    return None
