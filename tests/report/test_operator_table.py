"""The report on operators for a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantResult
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, Verdict
from gradcheck_cli.report.operator_table import OperatorView, render_operators, summary
from gradcheck_cli.report.variant_spec import Frame

Make = Callable[..., Any]

SCALE = Operator(
    "scale",
    lambda x, y: x * y,
    (Input("x"), Input("y")),
    rules=(
        Rule(lambda g: g, ("x",), ("g",), "my_ops.py", 13),
        Rule(lambda g: g, ("y",), ("g",), "my_ops.py", 17),
    ),
    file="my_ops.py",
    line=8,
)


def variant(*parameters: ParameterResult, verdict: Verdict | None = None, **others: Any) -> VariantResult:
    words = others.pop("words", "as declared")
    name = f"scale, {words}"
    verdict = verdict or Verdict.worst([parameter.verdict for parameter in parameters])
    case_keys = {key: others.pop(key) for key in ("error", "findings", "notes") if key in others}
    case = CaseResult(
        name, "my_ops.py", 8, name, "pass", verdict, verdict is Verdict.PASS, evaluations=20, parameters=parameters,
        **case_keys,
    )  # fmt: skip
    arrays = (np.array([0.5, 2.0]), np.array([1.0, -1.0]))
    return VariantResult(others.pop("kind", Kind.BASE), words, case, ("x", "y"), arrays, (True, True), **others)


def operator_result(*variants: VariantResult, **changes: Any) -> OperatorResult:
    faults = [each.case.verdict for each in variants if not each.skipped]
    standard: dict[str, Any] = {
        "name": "scale",
        "file": "my_ops.py",
        "line": 8,
        "verdict": Verdict.worst(faults),
        "variants": variants,
        "seconds": 0.25,
    }
    return OperatorResult(**(standard | changes))


def lines(*results: OperatorResult, interrupted: bool = False, **view: Any) -> list[str]:
    whole = OperatorsResult(0, 2, results, interrupted)
    operators = [replace(SCALE, name=each.name) for each in results]
    return [line.plain for line in render_operators(operators, whole, OperatorView(**view), 1.5)]


def test_a_row_for_each_operator(parameter: Make) -> None:
    right = operator_result(
        variant(parameter("x"), parameter("y", max_rel_err=1e-9)),
        variant(parameter("x", Verdict.SKIP), words="0-d", skipped="refused: no"),
    )
    nothing = OperatorResult("count", "my_ops.py", 30, Verdict.SKIP, error="nothing to check: no gradient")
    assert lines(replace(right, label="cuda float32"), nothing) == [
        " operator               variants   skipped   elements   max rel err   resolution   verdict",
        " scale (cuda float32)        1/2         1         16       1.0e-09        1e-07   PASS",
        " count                         -         -          -             -            -   SKIP",
        "",
        " count: nothing to check: no gradient",
        "",
        "0 failed, 1 passed, 1 skipped, 16 elements, 40 evaluations in 1.50 s",
    ]


def test_a_failing_operator_is_told_in_full(parameter: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = operator_result(
        variant(parameter("x"), parameter("y"), words="right"),
        variant(parameter("x"), parameter("y", Verdict.FAIL), words="y is 0-d"),
        variant(parameter("x", Verdict.FAIL), parameter("y"), words="0-d"),
        seed=4,
    )
    frame = Frame(4, {}, ("my_ops.py",), frozenset({"scale"}))
    shown = lines(wrong, frame=frame, options=("--ops", "my ops.py"))
    assert shown[3:] == [
        "my_ops.py:8  scale, y is 0-d",
        " parameter   shape   checked   max rel err   resolution   verdict",
        " x           8          8/8        2.4e-11        1e-07   PASS",
        " y           8          8/8        1.0e+00        1e-07   FAIL",
        "",
        " y[0]   analytic +0.500000   numeric -0.500000 ± 2e-11",
        " eps       1e-2   1e-3   1e-4   1e-5   1e-6   1e-7   1e-8",
        " rel err   1.00   1.00   1.00   1.00   1.00   1.00   1.00   flat: the gradient is wrong",
        " backward at my_ops.py:17, for y",
        " 2 of 3 variants are off; also: 0-d (fail)",
        " spec",
        "   ops: [my_ops.py]",
        "   seed: 4",
        "   name: scale, y is 0-d",
        "   expr: scale(x, y)",
        "   params:",
        "     x: [0.5, 2.0]",
        "     y: [1.0, -1.0]",
        " rerun   gradcheck check-ops scale --seed 4 --ops 'my ops.py'",
        "",
        "1 failed, 0 passed, 48 elements, 60 evaluations in 1.50 s",
    ]


def test_two_gradients_of_one_backward_are_named_together(parameter: Make) -> None:
    both = replace(SCALE, rules=(Rule(lambda g: g, ("x", "y"), ("g",), "my_ops.py", 13),))
    wrong = operator_result(variant(parameter("x", Verdict.FAIL), parameter("y", Verdict.FAIL)))
    shown = [line.plain for line in render_operators([both], OperatorsResult(0, 2, (wrong,)), OperatorView(), 1)]
    assert " backward at my_ops.py:13, for x and y" in shown


def test_a_broken_contract_has_its_finding_and_its_place(parameter: Make) -> None:
    finding = Finding("gradient-shape", "scale: the gradient of x has shape (2,)\na sum is missing")
    broken = variant(
        parameter("x", Verdict.SKIP), parameter("y", Verdict.SKIP), verdict=Verdict.FAIL, findings=(finding,)
    )
    shown = lines(operator_result(broken))
    assert " GC102 gradient-shape" in shown
    assert "   a sum is missing" in shown
    assert not any(line.startswith(" backward at") for line in shown)


def test_what_could_not_be_tried_is_an_error_with_a_hint() -> None:
    error = "my_ops.py:8: error: can't draw [sample]\n  hint: write a sample function"
    shown = lines(operator_result(verdict=Verdict.ERROR, error=error))
    assert shown[3:7] == [
        "my_ops.py:8  scale",
        "   my_ops.py:8: error: can't draw [sample]",
        "     hint: write a sample function",
        " rerun   gradcheck check-ops scale --seed 0",
    ]
    assert "spec" not in "\n".join(shown)


def test_a_draw_that_was_not_taken_has_no_spec(parameter: Make) -> None:
    refused = variant(parameter("x", Verdict.SKIP), verdict=Verdict.ERROR, error="error: no\n  hint: declare it")
    refused = replace(refused, case=replace(refused.case, evaluations=0))
    shown = lines(operator_result(refused))
    assert "     hint: declare it" in shown
    assert " spec" not in shown


def test_a_spec_that_cannot_be_written_is_explained(parameter: Make) -> None:
    odd = variant(parameter("x", Verdict.FAIL), attributes={"key": slice(2)})
    shown = lines(operator_result(odd))
    assert " no spec can hold these arguments: an expression has no words for slice(None, 2, None)" in shown


def test_a_long_spec_is_for_a_file(parameter: Make) -> None:
    long = replace(variant(parameter("x", Verdict.FAIL)), arrays=(np.zeros(60), np.zeros(5)))
    assert " a spec of these 65 elements is written with --save-spec FILE" in lines(operator_result(long))


def test_many_faults_are_counted_and_a_few_named(parameter: Make) -> None:
    many = [variant(parameter("x", Verdict.FAIL), words=f"variant {number}") for number in range(9)]
    shown = "\n".join(lines(operator_result(*many)))
    assert (
        "9 of 9 variants are off; also: variant 1 (fail); variant 2 (fail); variant 3 (fail); variant 4 (fail);"
        in shown
    )
    assert "and 4 more" in shown
    assert "variant 8 (fail)" in "\n".join(lines(operator_result(*many), verbosity=1))


def test_quiet_shows_only_what_is_off(parameter: Make) -> None:
    right = operator_result(variant(parameter("x")), notes=("a note",))
    wrong = operator_result(variant(parameter("x", Verdict.FAIL)), name="wrong")
    shown = lines(right, wrong, verbosity=-1)
    assert [line.split()[0] for line in shown[:2]] == ["operator", "wrong"]
    assert "a note" not in "\n".join(shown)
    assert lines(right, verbosity=-1) == ["0 failed, 1 passed, 8 elements, 20 evaluations in 1.50 s"]


def test_elements_that_were_left_out_are_counted_and_a_plan_is_told(parameter: Make) -> None:
    few = replace(parameter("x"), elements=5000)
    sampled = operator_result(variant(replace(few, planned=True), notes=("8 of 5,000 elements",)))
    shown = lines(sampled)
    assert shown[1].split()[:4] == ["scale", "1/1", "0", "8/5000"]
    assert " scale: 8 of 5,000 elements" in shown
    # Of variants a few are enough, which is counted.
    shown = lines(operator_result(variant(few, kind=Kind.LAYOUT, notes=("it draws numbers",))))
    assert shown[1].split()[3] == "8/5000"
    assert "draws" not in "\n".join(shown)


def test_verbose_says_what_was_skipped_and_what_it_cost(parameter: Make) -> None:
    right = operator_result(
        variant(parameter("x"), notes=("it draws numbers",)),
        variant(parameter("x"), words="again", notes=("it draws numbers",)),
        variant(parameter("x", Verdict.SKIP), words="0-d", skipped="refused: no"),
        notes=("a note",),
    )
    assert lines(right, verbosity=1)[3:-2] == [
        " scale: a note",
        " scale: 60 evaluations in 0.25 s",
        " scale: 0-d: refused: no",
        " scale: it draws numbers",
    ]
    assert lines(right)[3:-2] == [" scale: a note"]


def test_an_undecided_operator_is_told_too(parameter: Make) -> None:
    finding = Finding("rounding-dominates", "x[0]: too noisy")
    open_one = operator_result(variant(parameter("x", Verdict.INCONCLUSIVE, findings=(finding,))))
    shown = lines(open_one)
    assert " GC304 rounding-dominates" in shown
    assert shown[-1].startswith("0 failed, 0 passed, 1 inconclusive, ")


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_narrow_terminal_loses_nothing(parameter: Make, width: int) -> None:
    result = operator_result(variant(parameter("x")), name="an_operator_with_a_rather_long_name")
    shown = lines(result, width=width)
    text = "".join(line.strip() for line in shown)
    assert set("an_operator_with_a_rather_long_name") <= set(text)
    assert all(part in text for part in ("an_operat", "ong_name", "2.4e-11", "PASS"))
    assert all(cell_len(line) <= max(width, 100) for line in shown)


def test_hostile_names_and_plain_screens(parameter: Make) -> None:
    hostile = operator_result(variant(parameter("x", Verdict.FAIL), words="\x1b[31mred"), name="evil\x1b[2J")
    shown = "\n".join(lines(hostile, encoding="ascii"))
    assert "\x1b" not in shown
    assert shown.isascii()


def test_the_summary_counts_every_end(parameter: Make) -> None:
    results = tuple(
        operator_result(variant(parameter("x", verdict)), verdict=verdict)
        for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.ERROR, Verdict.SKIP, Verdict.ERROR)
    )
    text = summary(OperatorsResult(0, 2, results, interrupted=True), 0.5)
    assert text == (
        "1 failed, 1 passed, 1 inconclusive, 2 errors, 1 skipped, 40 elements, 120 evaluations in 0.50 s, interrupted"
    )
