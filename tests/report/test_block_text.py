"""How the text of a case fits a terminal, what options add to it, and what names can't do to it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.errors import Location
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, SweepPoint, WorstElement
from gradcheck_cli.report.block import View, case_text
from tests.report.verdicts import FAIL

Make = Callable[..., Any]


def test_without_signs_it_is_written_in_ascii(layer_norm: CaseResult) -> None:
    shown = case_text(layer_norm, View(encoding="ascii"))
    assert " x           4x8      32/32 " in shown
    assert "numeric -0.103406 +/- 2e-11" in shown
    assert shown.isascii()


def test_verbose_says_what_a_case_cost(case: Make, parameter: Make) -> None:
    start = " seed 7, "
    shown = case_text(case(parameter("w"), seed=7), View(verbose=True))
    assert shown.splitlines()[-2:] == ["", f"{start}34 evaluations in 0.01 s"]


def test_verbose_shows_the_numbers_of_an_expected_failure(case: Make, parameter: Make) -> None:
    expected = case(parameter("w", FAIL), expected="fail", ok=True)
    shown = case_text(expected, View(verbose=True))
    assert " w[0]   analytic +0.500000   numeric -0.500000" in shown
    assert "rerun" not in shown


def test_with_a_sweep_every_parameter_shows_its_worst_element(case: Make, parameter: Make) -> None:
    worst = WorstElement((1, 2), 0.25, 0.25, 1e-12)
    swept = parameter("w", worst=worst, sweep=(SweepPoint(1e-3, 1e-8), SweepPoint(1e-4, 3e-10)))
    asked_by_spec = case_text(case(swept))
    assert asked_by_spec == case_text(case(swept), View(sweep=True))
    assert asked_by_spec.splitlines()[4:] == [
        " w[1,2]   analytic +0.250000   numeric +0.250000 ± 1e-12",
        " eps       1e-3    1e-4",
        " rel err   1e-8   3e-10   agrees at every step",
    ]
    assert "w[1,2]" not in case_text(case(parameter("w", worst=worst)))
    assert "w[1,2]" in case_text(case(parameter("w", worst=worst)), View(sweep=True))


def test_non_finite_figures_are_words(case: Make, parameter: Make) -> None:
    nan, inf = float("nan"), float("inf")
    worst = WorstElement((0,), nan, inf, inf)
    shown = case_text(case(parameter("w", FAIL, max_rel_err=nan, resolution=inf, worst=worst)))
    assert " w           8          8/8            nan          inf   FAIL" in shown
    assert " w[0]   analytic nan   numeric +inf ± inf" in shown


def test_a_case_from_python_has_no_line_that_runs_it_again(layer_norm: CaseResult) -> None:
    shown = case_text(replace(layer_norm, file="", id="layer_norm"), View(command=""))
    assert shown.startswith("layer_norm\n parameter")
    assert "rerun" not in shown


def test_the_line_that_runs_it_again_repeats_the_options(layer_norm: CaseResult) -> None:
    shown = case_text(layer_norm, View(options=("--ops", "my ops.py", "--rtol", "1e-05")))
    assert shown.endswith("::layer_norm::x --seed 7 --ops 'my ops.py' --rtol 1e-05")


def test_a_narrow_terminal_gets_the_sweep_in_pieces_and_sentences_wrapped(layer_norm: CaseResult) -> None:
    assert case_text(layer_norm, View(width=48)).splitlines()[8:] == [
        " x[0,4]   analytic +0.260035   numeric -0.103406 ± 2e-11",
        " eps       1e-2   1e-3   1e-4   1e-5   1e-6",
        " rel err   1.00   1.00   1.00   1.00   1.00",
        " eps       1e-7   1e-8",
        " rel err   1.00   1.00",
        "           flat: the gradient is wrong",
        " GC203 missing-term   my_ops.py:16, backward of layer_norm for x",
        "   The difference is constant along axis 1: a",
        "   mean or a sum over it is missing.",
        " rerun    gradcheck run specs/layer_norm.grad.yaml::layer_norm::x --seed 7",
    ]


def test_eighty_columns_hold_the_manual_s_case(layer_norm: CaseResult) -> None:
    shown = case_text(layer_norm, View(width=80)).splitlines()
    assert max(map(len, shown)) <= 80
    assert shown[1] == " parameter   shape   checked   max rel err   resolution   verdict"


def test_markup_and_control_characters_of_names_are_printed_literally(case: Make, parameter: Make) -> None:
    bad = parameter(
        "[red]x[/red]", FAIL, findings=(Finding("unexplained", "\x1b[2Jgone\rover", Location("a\nb.py", 1)),)
    )
    shown = case_text(case(bad, name="[bold]\x1b]0;title\x07 \u202eevil", file="a\tb.yaml"))
    assert shown.startswith("a\\tb.yaml  [bold]\\x1b]0;title\\x07 \\u202eevil\n")
    assert " [red]x[/red][0]   analytic" in shown
    assert " GC214 unexplained   a\\nb.py:1\n   \\x1b[2Jgone\\rover\n" in shown
    assert "gradcheck run $'a\\x09b.yaml::[bold]\\x1b]0;title\\x07 \\u202eevil::[red]x[/red]'" in shown


@given(st.text(), st.text(), st.text(), st.text(), st.sampled_from(["utf-8", "ascii"]))
def test_no_name_gets_through_to_the_screen(file: str, name: str, parameter: str, message: str, encoding: str) -> None:
    failed = ParameterResult(parameter, (), 1, 1, FAIL, findings=(Finding("unexplained", message),))
    result = CaseResult(f"{file}::{name}", file, 1, name, "pass", FAIL, False, error=message, parameters=(failed,))
    shown = case_text(result, View(encoding=encoding))
    shown.encode(encoding)
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in shown.replace("\n", ""))
