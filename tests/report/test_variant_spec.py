"""Specs of failing variants: what is written, what can't be, and how much there is room for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import yaml

from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.domain import arr, ints, mask
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantResult
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import CaseResult, ParameterResult, Verdict
from gradcheck_cli.report import variant_spec
from gradcheck_cli.report.spec_text import Unwritten
from gradcheck_cli.report.variant_spec import Frame, failing_specs, reproducible, variant_case

SQUARE = Operator("square", lambda x: x * x, (Input("x"),), (Attribute("axis", 0),))


def variant(
    operator: Operator = SQUARE, *arrays: Any, verdict: Verdict = Verdict.FAIL, evaluations: int = 9, **others: Any
) -> VariantResult:
    arrays = arrays or (np.array([[0.5, 1.0]]),)
    differentiable = tuple(
        isinstance(each, np.ndarray) and operator.input_at(slot).domain.differentiable
        for slot, each in enumerate(arrays)
    )
    names = tuple(item.name for item in operator.inputs)[: len(arrays)]
    words = others.pop("words", "0-d")
    parameter = ParameterResult("x", (1, 2), 2, 2, verdict)
    name = f"{operator.name}, {words}"
    case = CaseResult(name, "a.py", 1, name, "pass", verdict, False, None, evaluations, parameters=(parameter,))
    return VariantResult(Kind.BASE, words, case, names, arrays, differentiable, **others)


def test_parameters_and_inputs_are_written_out() -> None:
    operator = Operator(
        "f",
        lambda *arrays: arrays[0],
        (Input("x"), Input("labels", ints("n", below=3)), Input("kept", mask()), Input("w", arr(nondiff=True))),
    )
    arrays = (np.array([[0.1, 1e-9]]), np.array([1, 0]), np.array(False), np.array(2.0))
    assert variant_case(operator, variant(operator, *arrays)) == [
        "name: f, 0-d",
        "expr: f(x, labels, kept, w)",
        "params:",
        "  x:",
        "    - [0.1, 1e-09]",
        "inputs:",
        "  labels: [1, 0]",
        "  kept: 0",
        "  w: 2.0",
    ]


def test_single_precision_and_no_elements_are_said() -> None:
    operator = Operator("f", lambda *arrays: arrays[0], (Input("x"), Input("y"), Input("i", ints(below=3))))
    arrays = (np.array([0.5], dtype=np.float32), np.empty((0, 3)), np.empty(0, dtype=np.int64))
    lines = variant_case(operator, variant(operator, *arrays))
    assert "  x: {value: [0.5], dtype: float32}" in lines
    assert "  y: {shape: 0 3, init: zeros}" in lines
    assert "  i: {shape: 0, init: zeros}" in lines


@pytest.mark.parametrize(
    ("layout", "expression", "value"),
    [
        ("Fortran", "square(x.T)", [[0.5], [1.0]]),
        ("strided", "square(x[..., 0])", [[[0.5, 0.5], [1.0, 1.0]]]),
    ],
)
def test_a_layout_is_made_by_the_expression(layout: str, expression: str, value: Any) -> None:
    document = yaml.safe_load("\n".join(variant_case(SQUARE, variant(layout=layout))))
    assert (document["expr"], document["params"]["x"]) == (expression, value)
    plain = yaml.safe_load("\n".join(variant_case(SQUARE, variant(layout=layout, laid_out=()))))
    assert plain["expr"] == "square(x)"


def test_integers_in_another_layout_say_that_they_are_integers() -> None:
    operator = Operator("f", lambda *arrays: arrays[0], (Input("i", ints(below=3)),))
    lines = variant_case(operator, variant(operator, np.array([[0, 1], [2, 0]]), layout="Fortran"))
    assert "  i: {value: [[0, 2], [1, 0]], dtype: int64}" in lines


def test_what_no_spec_can_hold_is_said() -> None:
    with pytest.raises(Unwritten, match="slice"):
        variant_case(SQUARE, variant(attributes={"axis": slice(2)}))
    hidden = Operator("_square", lambda x: x * x, (Input("x"),))
    with pytest.raises(Unwritten, match="_square"):
        variant_case(hidden, variant(hidden))
    with pytest.raises(Unwritten, match="x is str"):
        variant_case(SQUARE, variant(SQUARE, "text"))


def results(*variants: VariantResult) -> OperatorsResult:
    return OperatorsResult(0, 2, (OperatorResult("square", "a.py", 1, Verdict.FAIL, variants),))


def test_what_passed_or_was_never_taken_is_left_out() -> None:
    passed = variant(verdict=Verdict.PASS, words="right")
    refused = variant(verdict=Verdict.ERROR, evaluations=0, words="refused")
    broken = variant(verdict=Verdict.FAIL, evaluations=0, words="input modified")
    raised = variant(verdict=Verdict.ERROR, words="raised")
    aside = variant(verdict=Verdict.ERROR, words="aside", skipped="degenerate")
    everything = results(passed, refused, broken, raised, aside)
    assert [each.words for each in reproducible(everything.operators[0])] == ["input modified", "raised"]
    text, missing = failing_specs([SQUARE], everything, Frame(), "")
    assert [case["name"] for case in yaml.safe_load(text)["cases"]] == ["square, input modified", "square, raised"]
    assert missing == []
    assert failing_specs([SQUARE], results(passed, refused), Frame(), "heading") == ("", [])


def test_what_cannot_be_written_is_listed_beside_what_can() -> None:
    text, missing = failing_specs(
        [SQUARE], results(variant(), variant(attributes={"axis": len}, words="odd")), Frame(), ""
    )
    assert [case["name"] for case in yaml.safe_load(text)["cases"]] == ["square, 0-d"]
    assert missing == ["square, odd: an expression has no words for len"]


def test_a_heading_and_operator_files_stand_in_front() -> None:
    given = frozenset({"square"})
    text, _ = failing_specs([SQUARE], results(variant()), Frame(7, {}, ("my_ops.py",), given), "Written by me\n\nso")
    assert text.startswith("# Written by me\n#\n# so\nops: [my_ops.py]\nseed: 7\ncases:\n  - name: square, 0-d\n")
    text, _ = failing_specs([SQUARE], results(variant()), Frame(7, {}, ("other.py",), frozenset({"other"})), "")
    assert text.startswith("seed: 7\n")  # a built-in operator needs no file
    text, _ = failing_specs([SQUARE], results(variant()), Frame(7, {}, (), given, "--ops /far/ops.py"), "")
    assert text.startswith("# run it with --ops /far/ops.py\nseed: 7\n")
    text, _ = failing_specs([SQUARE], results(variant()), Frame(7, {}, ("a.py",), given, strict=True), "")
    assert text.startswith("# run it with --strict\nops: [a.py]\n")


def test_a_spec_that_would_be_too_long_holds_the_plainest_of_every_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variant_spec, "_ROOM", 400)
    other = Operator("other", lambda x: x, (Input("x"),))
    many = [variant(words=f"variant {number}") for number in range(9)]
    last = variant(other, words="alone")
    result = OperatorsResult(
        0,
        2,
        (
            OperatorResult("square", "a.py", 1, Verdict.FAIL, tuple(many)),
            OperatorResult("other", "a.py", 1, Verdict.FAIL, (last,)),
        ),
    )
    text, missing = failing_specs([SQUARE, other], result, Frame(), "")
    names = [case["name"] for case in yaml.safe_load(text)["cases"]]
    assert names[0] == "square, variant 0"
    assert names[-1] == "other, alone"
    assert 2 < len(names) < 10
    assert missing == [f"{10 - len(names)} more variants, for which a spec has no room"]
