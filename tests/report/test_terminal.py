# ruff: noqa: RUF001 (the sign for times is what is printed)
from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from gradcheck_cli.records import CaseResult, Finding, RunResult
from gradcheck_cli.report.terminal import TerminalReport, render_plain, summary
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, PASS, SKIP

Make = Callable[..., Any]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    """Text that looks like a terminal to who asks."""

    def isatty(self) -> bool:
        return True


def printed(cases: list[CaseResult], file: io.StringIO | None = None, width: int = 80, **options: Any) -> str:
    """Return what a report writes about `cases` to a file, or to a terminal of `width` columns with colours."""
    stream = file if file is not None else io.StringIO()
    colours = {"force_terminal": True, "color_system": "standard"} if stream.isatty() else {}
    report = TerminalReport(Console(file=stream, width=width, **colours), **options)
    for case in cases:
        report.case(case)
    report.finish(RunResult(None, tuple(cases), seconds=0.0234))
    return stream.getvalue()


def test_cases_and_summary_stand_apart(layer_norm: CaseResult, case: Make, parameter: Make) -> None:
    assert printed([layer_norm, case(parameter("w"))]).splitlines()[-8:] == [
        "   The difference is constant along axis 1: a mean or a sum over it is missing.",
        " rerun    gradcheck run specs/layer_norm.grad.yaml::layer_norm::x --seed 7",
        "",
        "a.grad.yaml  a case",
        " parameter   shape   checked   max rel err   resolution   verdict",
        " w           8          8/8        2.4e-11        1e-07   PASS",
        "",
        "1 failed, 1 passed, 56 elements, 148 evaluations in 0.02 s",
    ]


def test_a_case_is_written_as_soon_as_it_is_there(case: Make, parameter: Make) -> None:
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream))
    report.case(case(parameter("w")))
    assert stream.getvalue().endswith("PASS\n\n")


def test_quiet_shows_only_what_is_not_as_expected(layer_norm: CaseResult, case: Make, parameter: Make) -> None:
    right, expected = case(parameter("w")), case(parameter("w", FAIL), expected="fail", ok=True)
    skipped = case(parameter("w", SKIP), verdict=SKIP, ok=True, error="interrupted")
    assert printed([right, expected, skipped], verbosity=-1) == (
        "0 failed, 1 passed, 1 expected failure, 1 skipped, 16 elements, 102 evaluations in 0.02 s\n"
    )
    assert printed([right, layer_norm], verbosity=-1).startswith("specs/layer_norm.grad.yaml  layer_norm\n")


def test_verbose_shows_notes_and_cost(case: Make, parameter: Make) -> None:
    noted = case(parameter("w", findings=(Finding("vacuous", "both sides are zero"),)))
    shown = printed([noted], verbosity=1)
    assert " w   GC309 vacuous\n   both sides are zero\n" in shown
    assert " seed 0, 34 evaluations in 0.01 s\n" in shown
    assert "vacuous" not in printed([noted], verbosity=-1)


def test_off_a_terminal_lines_stay_whole_and_without_escapes(case: Make, parameter: Make) -> None:
    name = "w" * 500
    shown = printed([case(parameter(name, FAIL))], width=40)
    assert "\x1b" not in shown
    assert f"\n {name}   8          8/8 " in shown
    assert f"\n {name}[0]   analytic +0.500000   numeric -0.500000 ± 2e-11\n" in shown
    assert f"a case::{name}' --seed 0\n" in shown


def test_forced_colour_makes_no_terminal_of_a_file(case: Make, parameter: Make) -> None:
    stream, name = io.StringIO(), "w" * 500
    report = TerminalReport(Console(file=stream, force_terminal=True, color_system="standard", width=40))
    report.case(case(parameter(name)))
    assert f"\n {name}   8          8/8 " in stream.getvalue()
    assert "\x1b[32mPASS\x1b[0m" in stream.getvalue()


def test_colour_only_repeats_the_words(layer_norm: CaseResult, case: Make, parameter: Make) -> None:
    cases = [
        layer_norm,
        case(parameter("w", FAIL), expected="fail", ok=True),
        case(parameter("w"), expected="fail", ok=False),
        case(parameter("w", INCONCLUSIVE)),
        case(parameter("w", SKIP), verdict=ERROR, ok=False, error="a.py:1: error: no"),
    ]
    coloured = printed(cases, Terminal(), width=200)
    assert "\x1b[1;31mFAIL\x1b[0m" in coloured
    assert "\x1b[33mFAIL (expected)\x1b[0m" in coloured
    assert "\x1b[1;31mPASS (unexpected)\x1b[0m" in coloured
    assert ESCAPE.sub("", coloured) == printed(cases)


@pytest.mark.parametrize(("failing", "style"), [(False, "1;32"), (True, "1;31")])
def test_the_summary_is_green_or_red(case: Make, parameter: Make, failing: bool, style: str) -> None:
    shown = printed([case(parameter("w", FAIL if failing else PASS))], Terminal())
    assert shown.splitlines()[-1].startswith(f"\x1b[{style}m")


def test_a_narrow_terminal_folds_names_and_keeps_the_rest(case: Make, parameter: Make) -> None:
    shown = ESCAPE.sub("", printed([case(parameter("encoder_layer_12_attention_output_weight"))], Terminal(), width=72))
    assert shown.splitlines()[2:5] == [
        " encoder_layer_12   8          8/8        2.4e-11        1e-07   PASS",
        " _attention_outpu",
        " t_weight",
    ]


def test_names_are_no_markup(case: Make, parameter: Make) -> None:
    shown = printed([case(parameter("[red]x[/red]"), name="[bold]b[/bold] :smile: https://x.y")], Terminal())
    assert "[bold]b[/bold] :smile: https://x.y" in shown
    assert " [red]x[/red]   " in shown


@pytest.mark.parametrize(
    ("encoding", "times", "bar"), [("utf-8", "×", "±"), ("latin-1", "×", "±"), ("ascii", "x", "+/-")]
)
def test_the_encoding_of_the_output_is_respected(layer_norm: CaseResult, encoding: str, times: str, bar: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    report = TerminalReport(Console(file=stream))
    report.case(layer_norm)
    stream.flush()
    shown = raw.getvalue().decode(encoding)
    assert f"4{times}8" in shown
    assert f" {bar} 2e-11" in shown


def test_a_name_that_the_output_cannot_write_is_escaped(case: Make, parameter: Make) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    TerminalReport(Console(file=stream)).case(case(parameter("gewichtε"), name="naïve"))
    stream.flush()
    assert raw.getvalue().startswith(rb"a.grad.yaml  na\xefve")
    assert rb"gewicht\u03b5" in raw.getvalue()


def test_every_kind_of_end_is_counted_once(case: Make, parameter: Make) -> None:
    w, wrong, blunt, none = parameter("w"), parameter("w", FAIL), parameter("w", INCONCLUSIVE), parameter("w", SKIP)
    cases = (
        case(w),
        case(wrong),
        case(w, expected="fail", ok=False),
        case(wrong, expected="fail", ok=True),
        case(wrong, expected="fail", ok=True),
        case(blunt),
        case(blunt, expected="inconclusive", ok=True),
        case(none, verdict=ERROR, ok=False, error="no"),
        case(none, verdict=SKIP, ok=True, error="not run"),
    )
    assert summary(RunResult(None, cases, seconds=61.5)) == (
        "2 failed, 1 passed, 2 expected failures, 1 inconclusive, 1 expected inconclusive, 1 error, 1 skipped, "
        "56 elements, 306 evaluations in 61.50 s"
    )


def test_a_run_of_one_is_in_the_singular(case: Make, parameter: Make) -> None:
    one = case(parameter("b", shape=(), elements=1, checked=1), evaluations=1)
    assert summary(RunResult(None, (one,), seconds=0.0)) == "0 failed, 1 passed, 1 element, 1 evaluation in 0.00 s"


def test_sampled_elements_are_those_checked(case: Make, parameter: Make) -> None:
    sampled = case(parameter("W", elements=2000, checked=50))
    assert "50 elements" in summary(RunResult(None, (sampled,), seconds=0.0))


def test_an_interrupted_run_says_so(case: Make, parameter: Make) -> None:
    run = RunResult(None, (case(parameter("w")),), interrupted=True)
    assert summary(replace(run, seconds=0.5)) == "0 failed, 1 passed, 8 elements, 34 evaluations in 0.50 s, interrupted"
    stream = Terminal()
    TerminalReport(Console(file=stream, force_terminal=True, color_system="standard")).finish(replace(run, seconds=0.5))
    assert stream.getvalue().startswith("\x1b[1;31m")


def test_without_a_clock_the_cases_times_are_summed(case: Make, parameter: Make) -> None:
    stream = io.StringIO()
    run = RunResult(None, (case(parameter("w"), seconds=1.25), case(parameter("w"), seconds=2.5)))
    TerminalReport(Console(file=stream)).finish(run)
    assert stream.getvalue().endswith("in 3.75 s\n")


def test_a_message_is_plain_and_has_no_command_line(layer_norm: CaseResult) -> None:
    message = render_plain(layer_norm)
    assert message.splitlines()[2] == " x           4×8      32/32        1.0e+00        1e-07   FAIL"
    assert "\x1b" not in message
    assert "rerun" not in message
