"""The report for programs: JSON whose keys are a contract, to which a version only adds."""

from __future__ import annotations

import json
import math
from typing import Any

from gradcheck_cli import __version__
from gradcheck_cli.errors import Problem
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, RunResult, WorstElement
from gradcheck_cli.report.blame import blame_notes, blame_record

SCHEMA_VERSION = 1


def to_json(run: RunResult) -> str:
    """Return a run as strict JSON in ASCII, with a newline at the end.

    Numbers that JSON doesn't have are the strings "nan", "inf" and "-inf".
    """
    counts = {str(verdict): number for verdict, number in run.counts.items()}
    return dump(
        {
            "schema_version": SCHEMA_VERSION,
            "gradcheck": __version__,
            "seed": run.seed,
            "problems": [problem_record(problem) for problem in run.problems],
            "cases": [_case(case) for case in run.cases],
            "summary": {**{name: counts[name] for name in _SUMMARY}, "ok": run.ok},
            "interrupted": run.interrupted,
            "seconds": number(run.seconds),
        }
    )


_SUMMARY = ("pass", "fail", "inconclusive", "error", "skip")


def dump(document: Any) -> str:
    """Write a document of plain values; ASCII, since any locale can print that."""
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def number(value: float | None) -> float | str | None:
    """Return `value` as JSON takes it."""
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else str(value)


def problem_record(problem: Problem) -> dict[str, Any]:
    """Return what is wrong with a spec or an operator file as JSON has it."""
    where = problem.location
    return {
        "message": problem.message,
        "code": problem.code,
        "hint": problem.hint,
        "file": where.file if where else None,
        "line": (where.line or None) if where else None,
        "column": (where.column or None) if where else None,
    }


def _case(case: CaseResult) -> dict[str, Any]:
    return {
        "id": case.id,
        "file": case.file,
        "line": case.line,
        "name": case.name,
        "expected": case.expected,
        "verdict": str(case.verdict),
        "ok": bool(case.ok),
        "value": number(case.value),
        "evaluations": int(case.evaluations),
        "seconds": number(case.seconds),
        "error": case.error,
        "parameters": [parameter_record(parameter) for parameter in case.parameters],
        "findings": [finding_record(finding) for finding in case.findings],
        "seed": int(case.seed),
        "notes": list(case.notes),
        "label": case.label,
        "dtype": case.dtype,
        "blame": blame_record(case.blame),
        "blame_notes": blame_notes(case.blame),
        "health": [finding_record(finding) for finding in case.health],
    }


def parameter_record(parameter: ParameterResult) -> dict[str, Any]:
    """Return a parameter as JSON has it."""
    return {
        "name": parameter.name,
        "shape": [int(size) for size in parameter.shape],
        "elements": int(parameter.elements),
        "checked": int(parameter.checked),
        "verdict": str(parameter.verdict),
        "max_rel_err": number(parameter.max_rel_err),
        "resolution": number(parameter.resolution),
        "worst": _worst(parameter.worst) if parameter.worst else None,
        "sweep": [{"eps": number(point.eps), "rel_err": number(point.rel_err)} for point in parameter.sweep],
        "findings": [finding_record(finding) for finding in parameter.findings],
        "directions": int(parameter.directions),
        "element_resolution": number(parameter.element_resolution),
        "planned": bool(parameter.planned),
        "line": int(parameter.line) or None,
    }


def _worst(worst: WorstElement) -> dict[str, Any]:
    return {
        "index": [int(position) for position in worst.index],
        "analytic": number(worst.analytic),
        "numeric": number(worst.numeric),
        "error_bar": number(worst.error_bar),
    }


def finding_record(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON has it."""
    where = finding.location
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "file": where.file if where else None,
        "line": (where.line or None) if where else None,
        "accepted": finding.accepted,
    }
