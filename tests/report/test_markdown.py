"""The summary in Markdown, read back by markdown-it with the tables of GitHub's dialect."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gradcheck_cli.errors import printable
from gradcheck_cli.records import CaseResult, Finding, RunResult
from gradcheck_cli.report.block import View, case_text
from gradcheck_cli.report.markdown import to_markdown
from gradcheck_cli.report.outcome import outcomes, sentence
from tests.report.conftest import make_case, make_parameter
from tests.report.hostile import NASTY, hostile_text
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, SKIP

Make = Callable[..., Any]

HEADINGS = ["case", "parameter", "shape", "checked", "max rel err", "resolution", "verdict"]
PLAIN = {"inline", "fence", "html_block", "code_inline", "text", "strong_open", "strong_close"}
STRUCTURE = re.compile("(heading|paragraph|table|thead|tbody|tr|th|td)_(open|close)")


def parsed(text: str) -> list[Token]:
    """Return the tokens of a summary; nothing may be in it that isn't written on purpose."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    for token in [*tokens, *(child for each in tokens for child in each.children or [])]:
        assert token.type in PLAIN or STRUCTURE.fullmatch(token.type), token
        assert token.type != "html_block" or re.fullmatch(
            r"<details><summary>(<code>[^<>]*</code> )?[^<>]*</summary>\n|</details>\n", token.content
        ), token
    return tokens


def tables(text: str) -> list[list[list[str]]]:
    """Return the cells of each table, its heading first; code without its backticks."""
    found: list[list[list[str]]] = []
    tokens = parsed(text)
    for number, token in enumerate(tokens):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in ("th_open", "td_open"):
            found[-1][-1].append("".join(child.content for child in tokens[number + 1].children or []))
    return found


def fences(text: str) -> list[str]:
    return [token.content for token in parsed(text) if token.type == "fence"]


def titles(text: str) -> list[str]:
    found = [re.findall("<summary>(.*)</summary>", each.content) for each in parsed(text) if each.type == "html_block"]
    return [html.unescape(title.replace("<code>", "").replace("</code>", "")) for each in found for title in each]


def summary_of(*cases: CaseResult, **options: Any) -> str:
    return to_markdown(RunResult(None, cases), **options)


@pytest.fixture
def mixed(layer_norm: CaseResult) -> tuple[CaseResult, ...]:
    contract = (Finding("input-modified", "it wrote to x"),)
    return (
        make_case(make_parameter("w", INCONCLUSIVE), name="unsure", ok=False),
        make_case(make_parameter("w"), make_parameter("b", shape=(), elements=1, checked=1), name="right"),
        layer_norm,
        make_case(make_parameter("w", FAIL), name="known", expected="fail", ok=True),
        make_case(make_parameter("w"), name="surprise", expected="fail", ok=False),
        make_case(make_parameter("w", SKIP), name="contract", verdict=FAIL, ok=False, findings=contract),
        make_case(make_parameter("w", SKIP), name="later", ok=True, error="interrupted"),
        make_case(make_parameter("w", SKIP), name="raised", verdict=ERROR, ok=False, error="a.py:3: error: no"),
    )


def test_a_wrong_gradient_is_a_row_and_a_report(layer_norm: CaseResult) -> None:
    assert summary_of(layer_norm, view=View(options=("--strict",))) == (
        "## gradcheck: 1 failed, 0 passed, 48 elements, 114 evaluations in 0.01 s\n"
        "\n"
        "| case | parameter | shape | checked | max rel err | resolution | verdict |\n"
        "| --- | --- | --- | ---: | ---: | ---: | --- |\n"
        "| `specs/layer_norm.grad.yaml::layer_norm` | `x` | 4\N{MULTIPLICATION SIGN}8 | 32/32 | 1.0e+00 | 1e-07 "
        "| **FAIL** |\n"
        "\n"
        "<details><summary><code>specs/layer_norm.grad.yaml::layer_norm</code> FAIL</summary>\n"
        "\n"
        "```text\n"
        f"{case_text(layer_norm, View(options=('--strict',)))}\n"
        "```\n"
        "\n"
        "</details>\n"
        "\n"
        "<details><summary>2 as expected</summary>\n"
        "\n"
        "| case | parameter | shape | checked | max rel err | resolution | verdict |\n"
        "| --- | --- | --- | ---: | ---: | ---: | --- |\n"
        "| `specs/layer_norm.grad.yaml::layer_norm` | `gamma` | 8 | 8/8 | 2.4e-11 | 1e-07 | PASS |\n"
        "| `specs/layer_norm.grad.yaml::layer_norm` | `beta` | 8 | 8/8 | 2.7e-11 | 1e-07 | PASS |\n"
        "\n"
        "</details>\n"
    )


def test_what_is_worst_comes_first(mixed: tuple[CaseResult, ...]) -> None:
    text = summary_of(*mixed)
    wrong, fine, skipped = tables(text)
    assert [(row[0].split("::")[1], row[1], row[-1]) for row in wrong[1:]] == [
        ("raised", "-", "ERROR"),
        ("layer_norm", "x", "FAIL"),
        ("contract", "-", "FAIL"),
        ("surprise", "-", "PASS (unexpected)"),
        ("unsure", "w", "INCONCLUSIVE"),
    ]
    assert [(row[0].split("::")[1], row[1], row[-1]) for row in fine[1:]] == [
        ("right", "w", "PASS"),
        ("right", "b", "PASS"),
        ("layer_norm", "gamma", "PASS"),
        ("layer_norm", "beta", "PASS"),
        ("known", "w", "FAIL (expected)"),
    ]
    assert [(row[0].split("::")[1], *row[1:]) for row in skipped[1:]] == [
        ("contract", "w", "not compared after GC104 input-modified"),
        ("later", "w", "interrupted"),
        ("raised", "w", "not compared: raised has an error"),
    ]
    assert wrong[0] == fine[0] == HEADINGS
    assert skipped[0] == ["case", "parameter", "why"]


def test_each_case_that_failed_has_its_report(mixed: tuple[CaseResult, ...]) -> None:
    text = summary_of(*mixed)
    by_name = {case.name: case for case in mixed}
    order = ["raised", "layer_norm", "contract", "surprise", "unsure"]
    assert fences(text) == [case_text(by_name[name], View()) + "\n" for name in order]
    assert titles(text) == [
        "a.grad.yaml::raised ERROR",
        "specs/layer_norm.grad.yaml::layer_norm FAIL",
        "a.grad.yaml::contract FAIL",
        "a.grad.yaml::surprise PASS (unexpected)",
        "a.grad.yaml::unsure INCONCLUSIVE",
        "5 as expected",
        "3 not compared",
    ]


def test_two_wrong_parameters_are_two_rows_and_one_report(case: Make, parameter: Make) -> None:
    text = summary_of(case(parameter("w", FAIL), parameter("b", FAIL)))
    assert [row[1] for row in tables(text)[0][1:]] == ["w", "b"]
    assert len(fences(text)) == 1


def test_parameters_of_an_expected_failure_by_name_are_all_there(case: Make, parameter: Make) -> None:
    text = summary_of(case(parameter("w"), parameter("b"), expected="w: fail", ok=False))
    wrong, fine = tables(text)
    assert [(row[1], row[-1]) for row in wrong[1:]] == [("w", "PASS (unexpected)")]
    assert [(row[1], row[-1]) for row in fine[1:]] == [("b", "PASS")]


def test_where_all_is_right_only_the_headline_is_unfolded(case: Make, parameter: Make) -> None:
    text = summary_of(case(parameter("w", planned=True, directions=2, elements=900)))
    assert titles(text) == ["1 as expected"]
    assert text.startswith("## gradcheck: 0 failed, 1 passed, 8 elements, 34 evaluations in 0.01 s\n\n<details>")
    assert tables(text)[0][1][3] == "8/900 + 2 directions"


def test_no_case_is_a_headline() -> None:
    assert summary_of() == "## gradcheck: 0 failed, 0 passed, 0 elements, 0 evaluations in 0.00 s\n"


@pytest.mark.parametrize(
    "name",
    [
        "`",
        "``",
        " ` ",
        "a|b",
        "\\|",
        "a\\",
        "|",
        "``a`",
        " a",
        "a ",
        " a ",
        "*b* _i_",
        "@octocat",
        "&lt;<b>",
        "#1",
        "a:b",
    ],
)
def test_a_name_is_read_as_it_is(case: Make, parameter: Make, name: str) -> None:
    wrong = case(parameter(name, FAIL), id=name)
    text = summary_of(wrong)
    assert tables(text)[0][1][:2] == [name, name]
    assert titles(text)[0] == f"{name} FAIL"
    tokens = [child for token in parsed(text) for child in token.children or [] if child.content == name]
    assert {token.type for token in tokens} == {"code_inline"}


def test_backticks_in_a_report_do_not_end_its_fence(case: Make, parameter: Make) -> None:
    wrong = case(parameter("w", FAIL, findings=(Finding("unexplained", "see\n```\n</details>\n~~~~\n`````"),)))
    assert fences(summary_of(wrong)) == [case_text(wrong, View()) + "\n"]


@given(hostile_text, hostile_text, hostile_text, hostile_text)
@example(*NASTY[6:10])
@example(*NASTY[1:5])
def test_hostile_text_is_shown_and_means_nothing(name: str, file: str, parameter: str, message: str) -> None:
    wrong = make_case(
        make_parameter(parameter, FAIL, findings=(Finding("unexplained", message),)), name=name, file=file
    )
    later = make_case(make_parameter(parameter, SKIP), name=name, file=file, ok=True, error=message)
    text = summary_of(wrong, later)
    bad, skipped = tables(text)
    shown = printable(f"{file}::{name}")
    assert len(bad) == len(skipped) == 2
    assert [bad[1][0], skipped[1][0], titles(text)[0]] == [shown, shown, f"{shown} FAIL"]
    assert bad[1][1] == (printable(parameter) if parameter.strip(" ") else "")
    assert skipped[1][2].strip(" ") == sentence(outcomes(later)[0]).strip(" ")
    assert fences(text) == [case_text(wrong, View()) + "\n"]
    assert printable(text.replace("\n", "")) == text.replace("\n", "")


def left_out(text: str) -> tuple[int, int]:
    """Return how many rows and reports are said to be left out."""
    rows = [int(number) for number in re.findall(r"^(\d+) (?:more )?rows? left out", text, re.MULTILINE)]
    reports = [int(number) for number in re.findall(r"^(\d+) (?:more )?reports? left out", text, re.MULTILINE)]
    return sum(rows), sum(reports)


@settings(max_examples=30)
@given(st.integers(1200, 30_000))
def test_below_any_limit_whole_rows_and_reports_are_kept_and_the_others_counted(limit: int) -> None:
    cases = [
        make_case(make_parameter("末" * 50, FAIL), make_parameter("b"), name=f"case {number}") for number in range(20)
    ]
    cases += [make_case(make_parameter("w", SKIP), name="later", ok=True, error="interrupted")]
    text = summary_of(*cases, limit=limit)
    assert len(text.encode()) <= limit
    found = tables(text)
    assert all(len(row) == len(table[0]) for table in found for row in table)
    rows, reports = left_out(text)
    assert sum(len(table) - 1 for table in found) + rows == 41
    assert fences(text) == [case_text(case, View()) + "\n" for case in cases[: 20 - reports]]
    assert text.count("<details>") == text.count("</details>")


def test_bytes_are_counted_and_not_characters() -> None:
    cases = [make_case(make_parameter("末" * 50, FAIL), name=f"case {number}") for number in range(5)]
    sizes = {limit: len(summary_of(*cases, limit=limit).encode()) for limit in range(1000, 7000, 9)}
    assert [limit for limit, size in sizes.items() if size > limit] == []
    assert len(set(sizes.values())) > 5


def test_what_is_least_important_is_left_out_first(mixed: tuple[CaseResult, ...]) -> None:
    whole = summary_of(*mixed)
    size = len(whole.encode())
    assert (left_out(whole), summary_of(*mixed, limit=size + 400)) == ((0, 0), whole)
    shorter = summary_of(*mixed, limit=size - 100)
    rows, reports = left_out(shorter)
    assert (rows > 0, reports) == (True, 0)
    assert tables(shorter)[0] == tables(whole)[0]
    much_shorter = summary_of(*mixed, limit=2000)
    assert left_out(much_shorter)[1] > 0
    assert tables(much_shorter)[0][1] == tables(whole)[0][1]


def test_a_report_that_is_too_long_leaves_room_for_others(case: Make, parameter: Make) -> None:
    long = case(parameter("w", FAIL, findings=(Finding("unexplained", "x" * 5000),)), name="long")
    short = case(parameter("w", FAIL), name="short")
    text = summary_of(long, short, limit=4000)
    assert fences(text) == [case_text(short, View()) + "\n"]
    assert "\n1 more report left out: the summary would be too long.\n" in text


@pytest.mark.parametrize("limit", [0, 1, 100, 123, 124, 150, 175, 180, 250, 700, 900, 1000, 1100])
def test_a_tiny_limit_keeps_the_headline_or_nothing(mixed: tuple[CaseResult, ...], limit: int) -> None:
    text = summary_of(*mixed, limit=limit)
    assert len(text.encode()) <= limit
    headline = summary_of(*mixed).splitlines()[0]
    assert text == "" or text.splitlines()[0] == headline
    assert text == "" or "left out" in text or limit < len(headline) + 60
    parsed(text)


def test_the_usual_limit_is_githubs() -> None:
    many = [make_case(make_parameter("w", FAIL), name=f"case {number}") for number in range(3000)]
    text = summary_of(*many)
    assert 900_000 < len(text.encode()) <= 1_000_000 < 1024 * 1024
    assert left_out(text)[1] > 0
