"""Results to report: the case that the manual prints, and others made from small parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gradcheck_cli.errors import Location
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, SweepPoint, Verdict, WorstElement

STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)


def make_parameter(name: str, verdict: Verdict = Verdict.PASS, **changes: Any) -> ParameterResult:
    """Return the result of a small parameter; a failing one has a worst element and a sweep."""
    skipped = verdict is Verdict.SKIP
    standard: dict[str, Any] = {
        "shape": (8,),
        "elements": 8,
        "checked": 0 if skipped else 8,
        "max_rel_err": None if skipped else 2.4e-11 if verdict is Verdict.PASS else 1.0,
        "resolution": None if skipped else 1e-7,
    }
    if verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE):
        standard["worst"] = WorstElement((0,), 0.5, -0.5, 2e-11)
        standard["sweep"] = tuple(SweepPoint(eps, 1.0) for eps in STEPS)
    return ParameterResult(name=name, verdict=verdict, **(standard | changes))


def make_case(*parameters: ParameterResult, **changes: Any) -> CaseResult:
    """Return the result of a case; its verdict is the worst of its parameters', expected to pass.

    `expected` may be a mapping written as `w: fail, b: pass`.
    """
    by_name = dict(part.split(": ") for part in changes.get("expected", "").split(", ") if ": " in part)
    if by_name:
        parameters = tuple(replace(each, expected=by_name.get(each.name, "pass")) for each in parameters)
    verdict = changes.get("verdict", Verdict.worst([parameter.verdict for parameter in parameters]))
    name = changes.get("name", "a case")
    file = changes.get("file", "a.grad.yaml")
    standard: dict[str, Any] = {
        "id": f"{file}::{name}",
        "file": file,
        "line": 1,
        "name": name,
        "expected": "pass",
        "verdict": verdict,
        "ok": verdict is Verdict.PASS,
        "evaluations": 34,
        "seconds": 0.0125,
        "parameters": parameters,
    }
    return CaseResult(**(standard | changes))


@pytest.fixture
def parameter() -> Callable[..., ParameterResult]:
    return make_parameter


@pytest.fixture
def case() -> Callable[..., CaseResult]:
    return make_case


@pytest.fixture
def layer_norm() -> CaseResult:
    """Return the case that the manual prints: a layer norm whose backward misses a term."""
    message = "The difference is constant along axis 1: a mean or a sum over it is missing."
    x = make_parameter(
        "x",
        Verdict.FAIL,
        shape=(4, 8),
        elements=32,
        checked=32,
        worst=WorstElement((0, 4), 0.260035, -0.103406, 2e-11),
        findings=(Finding("missing-term", message, Location("my_ops.py", 16), "backward of layer_norm for x"),),
    )
    others = (make_parameter("gamma"), make_parameter("beta", max_rel_err=2.7e-11))
    return make_case(x, *others, file="specs/layer_norm.grad.yaml", name="layer_norm", evaluations=114, seed=7)
