"""What is said about an operator beside its verdict."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.domain import arr
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.operator_records import VariantResult
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, Verdict
from gradcheck_cli.run.operator_notes import notes_on

UNDECLARED = Operator("f", lambda x: x, (Input("x"),))
DECLARED = Operator("f", lambda x: x, (Input("x", arr("n k")),))
VACUOUS = (Finding("vacuous", "both sides are zero"),)


def result(kind: Kind, verdict: Verdict, findings: tuple[Finding, ...] = (), **others: Any) -> VariantResult:
    parameter = ParameterResult("x", (3,), 3, 3, verdict, findings=findings)
    case = CaseResult("f", "f.py", 1, "f", "pass", verdict, verdict is Verdict.PASS, parameters=(parameter,))
    return VariantResult(kind, "somehow", case, ("x",), (np.ones(3),), (True,), **others)


def test_a_gradient_that_is_always_zero_is_noted() -> None:
    zero = result(Kind.BASE, Verdict.PASS, VACUOUS)
    (note,) = notes_on(UNDECLARED, [zero, zero, result(Kind.SHAPE, Verdict.PASS)])
    assert note.startswith("x: both sides are zero in every draw")


def test_one_draw_with_a_gradient_is_enough() -> None:
    seen = [result(Kind.BASE, Verdict.PASS, VACUOUS), result(Kind.BASE, Verdict.PASS)]
    assert notes_on(UNDECLARED, seen) == []
    assert notes_on(UNDECLARED, [result(Kind.BASE, Verdict.PASS), result(Kind.SIZE_ONE, Verdict.PASS, VACUOUS)]) == []


def test_where_only_shapes_are_off_it_is_said_how_to_rule_them_out() -> None:
    seen = [result(Kind.BASE, Verdict.PASS), result(Kind.SCALAR, Verdict.FAIL)]
    (note,) = notes_on(UNDECLARED, seen)
    assert '@op(x=arr("n k"))' in note
    assert notes_on(DECLARED, seen) == []


def test_a_fault_that_no_shape_causes_is_no_matter_of_shapes() -> None:
    seen = [result(Kind.BASE, Verdict.FAIL), result(Kind.SCALAR, Verdict.FAIL)]
    assert notes_on(UNDECLARED, seen) == []
    assert notes_on(UNDECLARED, [result(Kind.LAYOUT, Verdict.FAIL)]) == []


def test_what_was_set_aside_is_no_fault() -> None:
    assert notes_on(UNDECLARED, [result(Kind.SCALAR, Verdict.SKIP, skipped="refused")]) == []
