"""Every format by its name: what a run found is in it, and so is what kept it from running."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gradcheck_cli.cli.choices import ReportFormat
from gradcheck_cli.errors import Location, Problem
from gradcheck_cli.records import CaseResult, RunResult
from gradcheck_cli.report.formats import Request, written
from gradcheck_cli.report.github import to_github
from gradcheck_cli.report.html.page import to_html
from gradcheck_cli.report.json_format import to_json
from gradcheck_cli.report.junit import to_junit
from gradcheck_cli.report.markdown import to_markdown
from tests.report.verdicts import FAIL

Make = Callable[..., Any]
NAMES = [str(each) for each in ReportFormat]
MISTAKE = Problem(
    "unknown operator 'thna'",
    Location("b.grad.yaml", 3, 7),
    "unknown-operator",
    "did you mean 'tanh'?",
    "expr: thna(x)",
)
NOWHERE = Problem("--data-only refuses the operator files of --ops", code="data-only")


@pytest.fixture
def failed(case: Make, parameter: Make) -> CaseResult:
    made: CaseResult = case(parameter("w", FAIL), parameter("b"), name="wrong")
    return made


@pytest.fixture
def run(failed: CaseResult) -> RunResult:
    return RunResult(3, (failed,), seconds=0.5)


def test_every_format_that_can_be_asked_for_is_written(run: RunResult) -> None:
    for name in NAMES:
        text = written(name, run, Request())
        assert text.endswith("\n"), name
        assert "a.grad.yaml" in text, name
    with pytest.raises(KeyError):
        written("pdf", run, Request())


def test_a_format_says_what_its_writer_says(run: RunResult) -> None:
    request = Request(options=("--strict",), root="sub")
    assert written("json", run, request) == to_json(run)
    assert written("junit", run, request) == to_junit(run, request.view)
    assert written("github", run, request) == to_github(run, request.view, root="sub")
    assert written("markdown", run, request) == to_markdown(run, request.view)
    assert written("html", run, request) == to_html(run, request.view)


@pytest.mark.parametrize("name", ["text", "junit", "github", "markdown", "html"])
def test_the_line_that_runs_a_case_again_has_the_options(run: RunResult, name: str) -> None:
    assert "--rtol 1e-05" in written(name, run, Request(options=("--rtol", "1e-05")))
    assert "--rtol" not in written(name, run, Request())


def test_text_is_as_full_as_is_asked_for(run: RunResult, case: Make, parameter: Make) -> None:
    both = replace(run, cases=(*run.cases, case(parameter("x"), name="right")))
    assert "right" in written("text", both, Request())
    assert "right" not in written("text", both, Request(verbosity=-1))
    assert "34 evaluations in 0.01 s" not in written("text", both, Request())
    assert "seed 0, 34 evaluations" in written("text", both, Request(verbosity=1))
    assert "\x1b" not in written("text", both, Request())


def test_a_sweep_that_was_asked_for_is_shown_of_what_passes_too(
    case: Make, parameter: Make, failed: CaseResult
) -> None:
    swept = case(parameter("x", sweep=failed.parameters[0].sweep, worst=failed.parameters[0].worst))
    assert "1e-2   1e-3" in written("text", RunResult(0, (swept,)), Request(sweep=True))


def test_a_summary_has_as_much_room_as_it_is_given(case: Make, parameter: Make) -> None:
    cases = tuple(case(parameter("w", FAIL), name=f"case number {number}") for number in range(60))
    run = RunResult(0, cases)
    whole, short = written("markdown", run, Request()), written("markdown", run, Request(), limit=8000)
    assert len(short.encode()) <= 8000 < len(whole.encode())
    assert written("json", run, Request(), limit=10) == written("json", run, Request())


@pytest.mark.parametrize("name", NAMES)
def test_what_kept_a_run_from_running_is_in_every_format(name: str) -> None:
    text = written(name, RunResult(None, (), problems=(MISTAKE, NOWHERE)), Request())
    said = read(name, text)
    for words in ("unknown operator 'thna'", "b.grad.yaml", "did you mean 'tanh'?", "--data-only refuses"):
        assert words in said, (name, words)


def read(name: str, text: str) -> str:
    """Return the words of a report, without what its format writes in another way."""
    if name in ("junit", "html"):
        entities = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&#39;": "'", "&amp;": "&"}
        for entity, character in entities.items():
            text = text.replace(entity, character)
    return text.replace("%3A", ":").replace("\\'", "'")


def test_problems_are_the_first_errors_of_formats_that_know_cases_only(failed: CaseResult) -> None:
    run = RunResult(None, (failed,), problems=(MISTAKE,))
    suites = ElementTree.fromstring(written("junit", run, Request()))
    first = suites[0].find("testcase")
    assert first is not None
    assert (suites[0].attrib["name"], suites[0].attrib["errors"]) == ("b.grad.yaml", "1")
    assert (first.attrib["name"], first.attrib["line"]) == ("unknown-operator", "3")
    assert suites.attrib["errors"] == "1"
    assert written("github", run, Request()).startswith("::error file=b.grad.yaml,line=3")
    whole = json.loads(written("json", run, Request()))
    assert [each["code"] for each in whole["problems"]] == ["unknown-operator"]
    assert [each["name"] for each in whole["cases"]] == ["wrong"]
    assert whole["summary"]["ok"] is False


def test_a_problem_of_no_file_stands_under_its_code() -> None:
    run = RunResult(None, (), problems=(NOWHERE, replace(NOWHERE, code="")))
    suites = ElementTree.fromstring(written("junit", run, Request()))
    names = [test.attrib["name"] for test in suites.iter("testcase")]
    assert names == ["data-only", "error"]
    assert written("github", run, Request()).startswith("::error ")


@pytest.mark.parametrize("name", NAMES)
def test_of_what_can_not_be_read_nothing_is_run_again(name: str, run: RunResult) -> None:
    unread = RunResult(None, (), problems=(MISTAKE, NOWHERE))
    assert "gradcheck run" not in written(name, unread, Request(options=("--strict",)))
    assert ("gradcheck run" in written(name, run, Request())) is (name != "json")


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_hostile_problems_move_no_cursor_and_make_no_markup(name: str) -> None:
    nasty = Problem("bad \x1b[2J <script>alert(1)</script>", Location("x<b>\x1b.yaml", 1), "wrong-name")
    text = written(name, RunResult(None, (), problems=(nasty,)), Request())
    assert "\x1b" not in text
    assert name != "html" or "<script>alert" not in text
