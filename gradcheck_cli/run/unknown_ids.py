"""Describe ids of a command line that name nothing."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.errors import Problem, near
from gradcheck_cli.run.find import SpecFile
from gradcheck_cli.run.select import matches
from gradcheck_cli.spec.case import Case

_MOST = 5
"""Names that are listed; of more it is only said that there are more."""


def unknown_ids(file: SpecFile, cases: Sequence[Case]) -> list[Problem]:
    """Describe the ids of a command line that name nothing in the file: the case, or its parameter."""
    full_ids = [f"{case.id}::{parameter.name}" for case in cases for parameter in case.parameters]
    return [
        _described(wanted, file, cases)
        for wanted in file.ids
        if not any(matches(full_id, wanted) for full_id in full_ids)
    ]


def _described(wanted: str, file: SpecFile, cases: Sequence[Case]) -> Problem:
    # The longest name: one may hold `::`, and begin with the whole of another.
    found = max((case for case in cases if matches(wanted, case.id)), key=lambda case: len(case.id), default=None)
    if found is not None:
        parameter = wanted.removeprefix(f"{found.id}::")
        names = [each.name for each in found.parameters]
        hint = near(parameter, names) or f"its parameters: {_listed(names)}"
        return Problem(f"no parameter '{parameter}' in case '{found.name}'", code="unknown-id", hint=hint)
    meant = wanted.removeprefix(f"{file.shown}::")
    names = [case.name for case in cases]
    hint = near(meant, names) or near(meant.rpartition("::")[0], names)
    hint = "; ".join(filter(None, [hint, f"cases of {file.shown}: {_listed(names)}"]))
    return Problem(f"nothing is named '{wanted}'", code="unknown-id", hint=hint)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:_MOST]) + (", ..." if len(names) > _MOST else "")
