# ruff: noqa: RUF001 (the sign for times is what is printed)
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from textwrap import dedent
from typing import Any

import pytest

from gradcheck_cli.errors import Location
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, SweepPoint, Verdict, WorstElement
from gradcheck_cli.report.block import View, case_text, was_left_out
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, SKIP

Make = Callable[..., Any]


def text(block: str) -> str:
    return dedent(block).strip("\n")


def test_a_wrong_gradient_looks_as_the_manual_prints_it(layer_norm: CaseResult) -> None:
    assert case_text(layer_norm, View()) == text("""
        specs/layer_norm.grad.yaml  layer_norm
         parameter   shape   checked   max rel err   resolution   verdict
         x           4×8      32/32        1.0e+00        1e-07   FAIL
         gamma       8          8/8        2.4e-11        1e-07   PASS
         beta        8          8/8        2.7e-11        1e-07   PASS

         x[0,4]   analytic +0.260035   numeric -0.103406 ± 2e-11
         eps       1e-2   1e-3   1e-4   1e-5   1e-6   1e-7   1e-8
         rel err   1.00   1.00   1.00   1.00   1.00   1.00   1.00   flat: the gradient is wrong
         GC203 missing-term   my_ops.py:16, backward of layer_norm for x
           The difference is constant along axis 1: a mean or a sum over it is missing.
         rerun    gradcheck run specs/layer_norm.grad.yaml::layer_norm::x --seed 7
    """)


def test_a_right_case_is_its_table(case: Make, parameter: Make) -> None:
    scalar = parameter("b", shape=(), elements=1, checked=1, max_rel_err=0.0)
    sampled = parameter("W", shape=(100, 20), elements=2000, checked=50)
    assert case_text(case(scalar, sampled)) == text("""
        a.grad.yaml  a case
         parameter   shape     checked   max rel err   resolution   verdict
         b           ()           1/1        0.0e+00        1e-07   PASS
         W           100×20   50/2000        2.4e-11        1e-07   PASS
    """)


def test_an_expected_failure_says_so(case: Make, parameter: Make) -> None:
    expected = case(parameter("w", FAIL), parameter("b"), expected="fail", ok=True)
    assert case_text(expected) == text("""
        a.grad.yaml  a case
         parameter   shape   checked   max rel err   resolution   verdict
         w           8          8/8        1.0e+00        1e-07   FAIL (expected)
         b           8          8/8        2.4e-11        1e-07   PASS
    """)


def test_an_unexpected_pass_says_so(case: Make, parameter: Make) -> None:
    assert case_text(case(parameter("w"), expected="fail", ok=False)) == text("""
        a.grad.yaml  a case
         parameter   shape   checked   max rel err   resolution   verdict
         w           8          8/8        2.4e-11        1e-07   PASS (unexpected)
         expected fail, got pass

         rerun    gradcheck run 'a.grad.yaml::a case' --seed 0
    """)


def test_an_expectation_per_parameter_is_held_against_each(case: Make, parameter: Make) -> None:
    w, b = parameter("w", worst=WorstElement((3,), 0.25, 0.25, 1e-12)), parameter("b", FAIL)
    assert case_text(case(w, b, expected="w: fail", ok=False)) == text("""
        a.grad.yaml  a case
         parameter   shape   checked   max rel err   resolution   verdict
         w           8          8/8        2.4e-11        1e-07   PASS (unexpected)
         b           8          8/8        1.0e+00        1e-07   FAIL
         expected w: fail, b: pass; got w: pass, b: fail

         w[3]   analytic +0.250000   numeric +0.250000 ± 1e-12
         rerun    gradcheck run 'a.grad.yaml::a case::w' --seed 0

         b[0]   analytic +0.500000   numeric -0.500000 ± 2e-11
         eps       1e-2   1e-3   1e-4   1e-5   1e-6   1e-7   1e-8
         rel err   1.00   1.00   1.00   1.00   1.00   1.00   1.00   flat: the gradient is wrong
         rerun    gradcheck run 'a.grad.yaml::a case::b' --seed 0
    """)


def test_an_inconclusive_parameter_shows_why(case: Make, parameter: Make) -> None:
    errors = (1e-8, 2.1e-7, 3e-6, 2e-5, 4e-4, 9e-3, 0.25)
    undecided = parameter(
        "w",
        INCONCLUSIVE,
        shape=(),
        elements=1,
        checked=1,
        max_rel_err=9e-3,
        resolution=0.021,
        worst=WorstElement((), 1.0, 1.009, 0.0101),
        sweep=tuple(SweepPoint(10.0**-power, error) for power, error in enumerate(errors, start=2)),
        findings=(Finding("rounding-dominates", "rounding of the value hides gradients below 0.01"),),
    )
    assert case_text(case(undecided)) == text("""
        a.grad.yaml  a case
         parameter   shape   checked   max rel err   resolution   verdict
         w           ()         1/1        9.0e-03        3e-02   INCONCLUSIVE

         w   analytic +1.00000   numeric +1.00900 ± 2e-02
         eps       1e-2     1e-3   1e-4   1e-5   1e-6   1e-7   1e-8
         rel err   1e-8   2.1e-7   3e-6   2e-5   4e-4   9e-3   0.25   grows as eps shrinks: rounding
         GC304 rounding-dominates
           rounding of the value hides gradients below 0.01
         rerun    gradcheck run 'a.grad.yaml::a case::w' --seed 0
    """)


def test_an_error_stands_below_its_heading(case: Make, parameter: Make) -> None:
    message = (
        "a.grad.yaml:3:9: error: no operator 'tanhh' [unknown-operator]\n  expr: tanhh(x)\n        ^\n  hint: tanh"
    )
    failed = case(parameter("x", SKIP), name="one", verdict=ERROR, ok=False, error=message)
    assert case_text(failed) == text("""
        a.grad.yaml  one
           a.grad.yaml:3:9: error: no operator 'tanhh' [unknown-operator]
             expr: tanhh(x)
                   ^
             hint: tanh

         rerun    gradcheck run a.grad.yaml::one --seed 0
    """)


def test_a_broken_contract_fails_the_case_whose_parameters_are_skipped(case: Make, parameter: Make) -> None:
    finding = Finding("gradient-shape", "affine: the gradient of b has shape (4, 3), b has (3,)", Location("ops.py", 9))
    broken = case(parameter("b", SKIP), name="one", verdict=FAIL, ok=False, findings=(finding,))
    assert case_text(broken) == text("""
        a.grad.yaml  one
         parameter   shape   checked   max rel err   resolution   verdict
         b           8          0/8              -            -   SKIP
         case   FAIL

         GC102 gradient-shape   ops.py:9
           affine: the gradient of b has shape (4, 3), b has (3,)
         rerun    gradcheck run a.grad.yaml::one --seed 0
    """)


def test_an_expected_broken_contract_is_no_alarm(case: Make, parameter: Make) -> None:
    finding = Finding("gradient-shape", "affine: the gradient of b has shape (4, 3)")
    broken = case(parameter("b", SKIP), expected="fail", verdict=FAIL, ok=True, findings=(finding,))
    assert case_text(broken).splitlines()[2:] == [
        " b           8          0/8              -            -   SKIP",
        " case   FAIL (expected)",
    ]
    assert "GC102 gradient-shape" in case_text(broken, View(verbose=True))


def test_a_case_that_was_left_out_is_one_line(case: Make, parameter: Make) -> None:
    skipped = case(parameter("x", SKIP), verdict=SKIP, ok=True, error="not run: one was not as expected (-x)")
    assert was_left_out(skipped)
    assert case_text(skipped) == "a.grad.yaml  a case   SKIP   not run: one was not as expected (-x)"


def test_what_was_finished_before_an_interrupt_is_shown(case: Make, parameter: Make) -> None:
    interrupted = case(parameter("x"), parameter("y", SKIP), verdict=SKIP, ok=True, error="interrupted")
    assert not was_left_out(interrupted)
    assert case_text(interrupted) == text("""
        a.grad.yaml  a case
           interrupted
         parameter   shape   checked   max rel err   resolution   verdict
         x           8          8/8        2.4e-11        1e-07   PASS
         y           8          0/8              -            -   SKIP
    """)


def test_findings_keep_their_order(case: Make, parameter: Make) -> None:
    codes = ["missing-term", "unexplained", "kink-nearby", "sign-flipped"]
    many = parameter("w", FAIL, findings=tuple(Finding(name, f"about {name}") for name in codes))
    shown = case_text(case(many))
    places = [shown.index(f" {name}\n   about {name}\n") for name in codes]
    assert places == sorted(places)


@pytest.mark.parametrize("view", [View(), View(verbose=True)])
def test_a_pass_with_a_finding_is_no_silent_pass(case: Make, parameter: Make, view: View) -> None:
    noted = parameter("w", findings=(Finding("vacuous", "both sides are zero everywhere"),))
    assert "\n w   GC309 vacuous\n   both sides are zero everywhere" in case_text(case(noted, parameter("b")), view)


def test_a_finding_that_the_spec_allows_is_still_printed(case: Make, parameter: Make) -> None:
    allowed = Finding("input-modified", "scale: writes to x", accepted=True)
    assert " GC104 input-modified (allowed)\n   scale: writes to x" in case_text(
        case(parameter("w"), findings=(allowed,))
    )


def test_notes_of_a_case_are_printed(case: Make, parameter: Make) -> None:
    assert "\n note: identical calls differ" in case_text(case(parameter("w"), notes=("identical calls differ",)))


def test_directions_say_what_a_single_element_may_hide(case: Make, parameter: Make) -> None:
    seen = parameter("w", directions=2, checked=0, element_resolution=3.7e-6)
    shown = case_text(case(seen))
    assert "2 directions" in shown
    assert "\n w: one element with the median gradient hides 4e-06" in shown


def test_a_case_that_was_stopped_shows_the_elements_that_were_finished():
    partial = ParameterResult("x", (5000,), 5000, 1200, Verdict.SKIP, 1e-11, 2e-7)
    untouched = ParameterResult("y", (3,), 3, 0, Verdict.SKIP)
    stopped = CaseResult("a::b", "a", 1, "b", "pass", Verdict.SKIP, True, error="interrupted")
    text = case_text(replace(stopped, parameters=(partial, untouched)))
    assert "interrupted" in text
    assert "1200/5000" in text
    assert case_text(replace(stopped, parameters=(untouched,))) == "a  b   SKIP   interrupted"


def test_a_plan_shows_elements_and_directions() -> None:
    planned = ParameterResult(
        "W", (1000,), 1000, 50, Verdict.PASS, 1e-11, 2e-7, directions=2, element_resolution=3e-4, planned=True
    )
    case = CaseResult("a::b", "a", 1, "b", "pass", Verdict.PASS, True, parameters=(planned,))
    text = case_text(case)
    assert "50/1000 + 2 directions" in text
    assert "W: one element with the median gradient hides 3e-04" in text
