"""The report on operators for programs: its keys are a contract."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantResult
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.report.operator_json import operators_json
from gradcheck_cli.report.variant_spec import Frame

Make = Callable[..., Any]

SCALE = Operator(
    "scale",
    lambda x, y: x * y,
    (Input("x"), Input("y", optional=True)),
    rules=(Rule(lambda g: g, ("x", "y"), ("g",), "my_ops.py", 13),),
    file="my_ops.py",
    line=8,
)


def variant(parameter: Any, verdict: Verdict, **others: Any) -> VariantResult:
    words = others.pop("words", "as declared")
    name = f"scale, {words}"
    case = CaseResult(name, "my_ops.py", 8, name, "pass", verdict, False, evaluations=9, parameters=(parameter,))
    return VariantResult(Kind.LAYOUT, words, case, ("x", "y"), (np.ones((2, 1)), None), (True, False), **others)


def document(*variants: VariantResult, **changes: Any) -> Any:
    result = OperatorResult("scale", "my_ops.py", 8, changes.pop("verdict", Verdict.FAIL), variants, **changes)
    whole = OperatorsResult(5, 2, (result,))
    text = operators_json([SCALE], whole, Frame(5, {}, ("my_ops.py",), frozenset({"scale"})))
    assert text.isascii()
    assert text.endswith("}\n")
    return json.loads(text)


def test_the_document_is_the_contract(parameter: Make) -> None:
    wrong = variant(
        parameter("x", Verdict.FAIL), Verdict.FAIL, attributes={"axis": (0, 1), "f": np.sin}, layout="Fortran"
    )
    found = document(wrong, label="cuda float32", notes=("a note",), seconds=0.5)
    assert list(found) == ["schema_version", "gradcheck", "seed", "samples", "problems", "operators", "summary"]
    assert (found["schema_version"], found["seed"], found["samples"]) == (1, 5, 2)
    assert found["summary"] == {"pass": 0, "fail": 1, "inconclusive": 0, "error": 0, "skip": 0, "ok": False}
    (operator,) = found["operators"]
    variants = operator.pop("variants")
    assert operator == {
        "name": "scale",
        "signature": "scale(x, y=None)",
        "file": "my_ops.py",
        "line": 8,
        "label": "cuda float32",
        "verdict": "fail",
        "ok": False,
        "tried": 1,
        "checked": 1,
        "skipped": 0,
        "elements": 8,
        "max_rel_err": 1.0,
        "resolution": 1e-7,
        "evaluations": 9,
        "seconds": 0.5,
        "error": None,
        "notes": ["a note"],
        "backward": [{"inputs": ["x", "y"], "file": "my_ops.py", "line": 13}],
    }
    (each,) = variants
    parameters = each.pop("parameters")
    assert parameters[0]["worst"] == {"index": [0], "analytic": 0.5, "numeric": -0.5, "error_bar": 2e-11}
    assert each == {
        "name": "as declared",
        "kind": "layout",
        "verdict": "fail",
        "skipped": None,
        "layout": "Fortran",
        "shapes": {"x": [2, 1], "y": None},
        "attributes": {"axis": "(0, 1)", "f": "sin"},
        "evaluations": 9,
        "seconds": 0.0,
        "error": None,
        "findings": [],
        "notes": [],
        "spec": None,  # it has no words for the function
    }


def test_a_failing_variant_has_its_spec(parameter: Make) -> None:
    wrong = variant(parameter("x", Verdict.FAIL), Verdict.FAIL)
    right = variant(parameter("x"), Verdict.PASS, words="again")
    (operator,) = document(wrong, right)["operators"]
    first, second = operator["variants"]
    assert first["spec"].startswith("ops: [my_ops.py]\nseed: 5\nname: scale, as declared\nexpr: scale(x)\n")
    assert second["spec"] is None


def test_what_was_set_aside_says_why(parameter: Make) -> None:
    aside = variant(parameter("x", Verdict.SKIP), Verdict.SKIP, skipped="refused: no")
    (operator,) = document(aside, verdict=Verdict.PASS)["operators"]
    assert (operator["tried"], operator["checked"], operator["skipped"]) == (1, 0, 1)
    assert operator["variants"][0]["skipped"] == "refused: no"
    assert operator["ok"] is True


def test_numbers_that_json_does_not_have_are_texts(parameter: Make) -> None:
    wrong = variant(parameter("x", Verdict.FAIL, max_rel_err=float("nan")), Verdict.FAIL)
    assert document(wrong)["operators"][0]["max_rel_err"] == "nan"


def test_an_operator_that_was_not_tried_has_its_error() -> None:
    (operator,) = document(verdict=Verdict.ERROR, error="can't draw")["operators"]
    assert (operator["error"], operator["variants"], operator["max_rel_err"]) == ("can't draw", [], None)
