"""What a run would check, one id a line or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from gradcheck_cli.report.json_format import SCHEMA_VERSION, dump
from gradcheck_cli.report.plain import safe
from gradcheck_cli.spec.case import Case

Chosen: TypeAlias = tuple[Case, Sequence[str]]
"""A case, and the names of its parameters that are chosen."""


def list_text(chosen: Sequence[Chosen], parameters: bool, encoding: str) -> str:
    """Return the ids of cases, or with `parameters` those of each parameter, a line each."""
    ids = (
        [f"{case.id}::{name}" for case, names in chosen for name in names] if parameters else [c.id for c, _ in chosen]
    )
    return "".join(f"{safe(each, encoding)}\n" for each in dict.fromkeys(ids))


def list_json(chosen: Sequence[Chosen]) -> str:
    """Return what there is to know of cases that nobody has checked yet."""
    cases = [
        {
            "id": case.id,
            "file": case.file,
            "line": case.location.line,
            "name": case.name,
            "tags": list(case.tags),
            "expected": str(case.expect),
            "parameters": list(names),
        }
        for case, names in chosen
    ]
    return dump({"schema_version": SCHEMA_VERSION, "cases": cases})
