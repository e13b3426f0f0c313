from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli import __version__
from gradcheck_cli.errors import Location
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, RunResult, SweepPoint, Verdict, WorstElement
from gradcheck_cli.report.json_format import number, to_json

Make = Callable[..., Any]


def strict(text: str) -> Any:
    """Read JSON as a strict reader does: NaN and Infinity are no numbers."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def worked_example() -> RunResult:
    worst = WorstElement((), -0.055139, -0.055139, 1e-12)
    kink = Finding("kink-at-point", "kink at w", Location("ops.py", 12, 3))
    w = ParameterResult("w", (), 1, 1, Verdict.PASS, 3e-11, 1e-7, worst, (SweepPoint(1e-2, 1e-5),), (kink,))
    x = ParameterResult("x", (4, 8), 32, 0, Verdict.SKIP)
    case = CaseResult(
        "specs/a.grad.yaml::name",
        "specs/a.grad.yaml",
        3,
        "name",
        "pass",
        Verdict.PASS,
        True,
        0.050876,
        12,
        0.003,
        None,
        (w, x),
        (Finding("vacuous", "both sides are zero"),),
    )
    return RunResult(7, (case,))


def test_the_document_is_the_contract() -> None:
    skipped = {
        "name": "x",
        "shape": [4, 8],
        "elements": 32,
        "checked": 0,
        "verdict": "skip",
        "max_rel_err": None,
        "resolution": None,
        "worst": None,
        "sweep": [],
        "findings": [],
        "directions": 0,
        "element_resolution": None,
        "planned": False,
        "line": None,
    }
    kink = {
        "code": "GC301",
        "name": "kink-at-point",
        "message": "kink at w",
        "file": "ops.py",
        "line": 12,
        "accepted": False,
    }
    w = {
        "name": "w",
        "shape": [],
        "elements": 1,
        "checked": 1,
        "verdict": "pass",
        "max_rel_err": 3e-11,
        "resolution": 1e-7,
        "worst": {"index": [], "analytic": -0.055139, "numeric": -0.055139, "error_bar": 1e-12},
        "sweep": [{"eps": 1e-2, "rel_err": 1e-5}],
        "findings": [kink],
        "directions": 0,
        "element_resolution": None,
        "planned": False,
        "line": None,
    }
    case = {
        "id": "specs/a.grad.yaml::name",
        "file": "specs/a.grad.yaml",
        "line": 3,
        "name": "name",
        "expected": "pass",
        "verdict": "pass",
        "ok": True,
        "value": 0.050876,
        "evaluations": 12,
        "seconds": 0.003,
        "error": None,
        "parameters": [w, skipped],
        "findings": [
            {
                "code": "GC309",
                "name": "vacuous",
                "message": "both sides are zero",
                "file": None,
                "line": None,
                "accepted": False,
            }
        ],
        "seed": 0,
        "notes": [],
        "label": "",
        "dtype": "float64",
        "blame": [],
        "blame_notes": [],
        "health": [],
    }
    document = {
        "schema_version": 1,
        "gradcheck": __version__,
        "seed": 7,
        "problems": [],
        "cases": [case],
        "summary": {"pass": 1, "fail": 0, "inconclusive": 0, "error": 0, "skip": 0, "ok": True},
        "interrupted": False,
        "seconds": None,
    }
    # Compared as text as well, since the order of the keys is part of what people read.
    assert strict(to_json(worked_example())) == document
    assert to_json(worked_example()) == json.dumps(document, indent=2) + "\n"


def test_a_run_of_nothing_is_still_a_document() -> None:
    document = strict(to_json(RunResult(None, ())))
    assert document["seed"] is None
    assert document["cases"] == []
    assert document["summary"]["ok"] is True


def test_the_summary_counts_verdicts_and_an_interrupt_is_not_ok(case: Make, parameter: Make) -> None:
    cases = (
        case(parameter("w")),
        case(parameter("w", Verdict.FAIL), expected="fail", ok=True),
        case(parameter("w", Verdict.SKIP), verdict=Verdict.ERROR, ok=False, error="a.yaml:1:1: error: no\n  ^"),
    )
    document = strict(to_json(RunResult(0, cases)))
    assert document["summary"] == {"pass": 1, "fail": 1, "inconclusive": 0, "error": 1, "skip": 0, "ok": False}
    assert document["cases"][2]["error"] == "a.yaml:1:1: error: no\n  ^"
    assert strict(to_json(RunResult(0, cases[:2])))["summary"]["ok"] is True
    assert strict(to_json(RunResult(0, cases[:2], interrupted=True)))["summary"]["ok"] is False


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-float("inf"), "-inf"),
        (np.float64("nan"), "nan"),
        (np.float32(0.5), 0.5),
        (0.1, 0.1),
        (None, None),
    ],
)
def test_numbers_that_json_lacks_are_strings(value: Any, written: Any) -> None:
    assert number(value) == written


def test_non_finite_and_numpy_values_make_strict_json(case: Make, parameter: Make) -> None:
    nan, inf = float("nan"), float("inf")
    worst = WorstElement((np.int64(2),), nan, -inf, inf)  # type: ignore[arg-type]
    bad = parameter("w", Verdict.FAIL, max_rel_err=inf, resolution=nan, worst=worst, sweep=(SweepPoint(1e-3, nan),))
    document = strict(to_json(RunResult(None, (case(bad, value=np.float64(-inf), ok=np.bool_(False)),))))
    written = document["cases"][0]["parameters"][0]
    assert document["cases"][0]["value"] == "-inf"
    assert document["cases"][0]["ok"] is False
    assert written["worst"] == {"index": [2], "analytic": "nan", "numeric": "-inf", "error_bar": "inf"}
    assert (written["max_rel_err"], written["resolution"], written["sweep"][0]["rel_err"]) == ("inf", "nan", "nan")


@given(st.text(), st.text(), st.floats(), st.floats(allow_nan=False, allow_infinity=False))
def test_any_name_and_number_survives_the_trip(name: str, message: str, error: float, value: float) -> None:
    finding = Finding("unexplained", message, Location(name, 0))
    parameter = ParameterResult(name, (1,), 1, 1, Verdict.FAIL, error, None, findings=(finding,))
    case = CaseResult(name, name, 1, name, "pass", Verdict.FAIL, False, value, error=message, parameters=(parameter,))
    written = to_json(RunResult(None, (case,)))
    assert written.isascii()
    assert written.endswith("}\n")
    (read,) = strict(written)["cases"]
    assert (read["name"], read["error"], read["value"]) == (name, message, value)
    (found,) = read["parameters"][0]["findings"]
    assert (found["code"], found["message"], found["file"], found["line"]) == ("GC214", message, name, None)
    assert float(read["parameters"][0]["max_rel_err"]) == pytest.approx(error, rel=0, abs=0, nan_ok=True)


def test_the_same_run_is_written_the_same() -> None:
    assert to_json(worked_example()) == to_json(worked_example())
