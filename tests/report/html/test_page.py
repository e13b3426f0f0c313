from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.errors import GradcheckError, Location
from gradcheck_cli.records import CaseResult, Finding, RunResult
from gradcheck_cli.report.block import View
from gradcheck_cli.report.html import engine
from gradcheck_cli.report.html.page import to_html
from tests.report.html.reading import Element, read
from tests.report.html.runs import HOSTILE_NAME, of_every_kind, of_many, valley
from tests.report.verdicts import ERROR, FAIL, SKIP

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def markup() -> str:
    return to_html(of_every_kind(), View(options=("--ops", "my ops.py")))


@pytest.fixture(scope="module")
def page(markup: str) -> Element:
    return read(markup)


def case_named(page: Element, name: str) -> Element:
    return next(body for body in page.all("tbody", "case") if body.first("button", "name").text == name)


def test_it_is_one_document_with_a_title_that_says_how_it_ended(page: Element) -> None:
    assert page.first("title").text == "4 not as expected \N{MIDDLE DOT} gradcheck"
    assert page.first("h1").text == "4 of 8 cases are not as expected"
    assert page.first("p", "summary").text.startswith("2 failed, 2 passed, 1 expected failure, 1 inconclusive, 1 error")
    assert page.first("p", "summary").text.endswith(", interrupted, seed 7")
    assert "Interrupted" in page.first("p", "notice").text


def test_nothing_comes_from_elsewhere(page: Element, markup: str) -> None:
    for element in page.all():
        for name, value in element.attributes.items():
            if name in ("href", "src", "xlink:href", "srcset", "action", "poster", "data"):
                assert value.startswith("#") or value == "data:,", (element.name, name, value)
            assert not name.startswith("on"), "a handler beside the script"
            assert name != "style", "a style beside the style sheet"
    assert not re.search(r"(?:https?:)?//[a-z]|@import|url\((?!#)", re.sub(r"<pre.*?</pre>", "", markup, flags=re.S))


def test_links_inside_the_page_lead_somewhere(page: Element) -> None:
    ids = [element.attributes["id"] for element in page.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    links = {link.attributes["href"].removeprefix("#") for link in page.all("a")}
    assert links <= set(ids)
    controlled = {button.attributes["aria-controls"] for button in page.all("button", "name")}
    assert controlled <= set(ids)


def test_the_policy_allows_this_style_and_this_script_only(page: Element) -> None:
    policy = next(
        meta.attributes["content"]
        for meta in page.all("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for name, tag in (("style-src", "style"), ("script-src", "script")):
        (content,) = [element.text for element in page.all(tag)]
        assert rules.pop(name) == f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
    assert rules == {"default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}


def test_hostile_names_are_shown_and_mean_nothing(page: Element, markup: str) -> None:
    shown = "</script><script>alert(1)</script> & 'it' \"is\" \\u202e\\x1b[31m\\x00 {{ 7 * 7 }} {% raw %}"
    body = case_named(page, shown)
    assert body.first("span", "file").text == "<b>.grad.yaml:1"
    assert len(list(page.all("script"))) == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", markup)
    assert HOSTILE_NAME not in markup
    assert f"::{shown[:8]}" in body.first("div", "rerun").text


@pytest.mark.parametrize(
    "where", ["name", "file", "label", "error", "note", "parameter", "message", "subject", "expected"]
)
def test_markup_is_text_wherever_it_stands(case: Make, parameter: Make, layer_norm: CaseResult, where: str) -> None:
    hostile = "<img src=x onerror=alert(1)>\ud800'\"&amp;"
    finding = replace(layer_norm.parameters[0].findings[0])
    if where == "parameter":
        made = case(parameter(hostile, FAIL))
    elif where in ("message", "subject"):
        made = case(parameter("x", FAIL, findings=(replace(finding, **{where: hostile}),)))
    elif where == "note":
        made = case(parameter("x"), notes=(hostile,))
    else:
        made = case(parameter("x", FAIL), **{where: hostile})
    page = to_html(RunResult(0, (made,)))
    assert "<img" not in page
    assert "\\ud800" in read(page).text
    page.encode()


def test_the_same_records_give_the_same_page(markup: str) -> None:
    assert to_html(of_every_kind(), View(options=("--ops", "my ops.py"))) == markup
    assert to_html(of_every_kind()) != markup


def test_cases_that_need_a_look_come_first_and_know_their_place(page: Element) -> None:
    order = [(body.attributes["data-group"], body.attributes["data-number"]) for body in page.all("tbody", "case")]
    assert order == [
        ("fail", "2"),
        ("fail", "7"),
        ("error", "4"),
        ("inconclusive", "3"),
        ("skip", "5"),
        ("expected-fail", "6"),
        ("pass", "1"),
        ("pass", "8"),
    ]
    words = [body.first("span", "badge").text for body in page.all("tbody", "case")]
    assert words[:3] == ["FAIL", "PASS (unexpected)", "ERROR"]
    assert words[5] == "FAIL (expected)"
    opened = [body.attributes["data-number"] for body in page.all("tbody", "case") if "data-open" in body.attributes]
    assert opened == ["2", "7", "4", "3"]


def test_the_counts_are_those_of_the_summary(page: Element) -> None:
    counts = {
        chip.attributes["data-group"]: int(chip.first("span", "number").text) for chip in page.all("button", "chip")
    }
    assert counts == {"fail": 2, "error": 1, "inconclusive": 1, "skip": 1, "expected-fail": 1, "pass": 2}


def test_a_wrong_case_tells_all_that_is_known(page: Element) -> None:
    body = case_named(page, "wrong")
    assert [cell.text for cell in body.first("tr", "row").all("td")][-3:] == ["1/2", "1.0e+00", "0.25 s"]
    table = body.first("table", "parameters")
    rows = [[cell.text for cell in row.children if isinstance(cell, Element)] for row in table.first("tbody").all("tr")]
    assert rows[0] == ["x", "4\N{MULTIPLICATION SIGN}8", "32/32", "1.0e+00", "1e-07", "FAIL"]
    look = body.first("section", "closer")
    told = look.text
    assert "GC203 missing-term my_ops.py:16, backward of norm" in told
    assert "a mean is missing" in told
    assert "x[0,7] analytic +0.250000 numeric -0.250000 ± 3e-12" in told
    assert len(list(look.all("svg", "curve"))) == len(list(look.all("svg", "heat-map"))) == 1
    assert look.first("div", "rerun").first("code").text == (
        "gradcheck run b.grad.yaml::wrong::x --seed 7 --ops 'my ops.py'"
    )
    assert "my_ops.py:7, backward of log for x, called at a.grad.yaml:3:9" in body.first("section", "blame").text
    assert "Note: evaluated twice as often" in body.text
    assert "log" in body.first("pre", "tree").lines()[0]
    assert "seed 7, 34 evaluations in 0.25 s" in body.text


def test_errors_skips_and_expectations_are_told(page: Element) -> None:
    assert case_named(page, "raises").first("pre", "raised").text.split("\n") == [
        "a.grad.yaml:3:9: error: shapes clash [shape]",
        "  x @ y",
    ]
    assert case_named(page, "left out").first("pre", "raised").text == "not checked on cuda"
    assert case_named(page, "no longer wrong").first("p", "difference").text == "expected fail, got pass"


def test_a_right_case_has_its_table_its_notes_and_no_figures(page: Element) -> None:
    body = next(b for b in page.all("tbody", "case") if b.attributes["data-number"] == "8")
    assert "GC301 kink-at-point" in body.first("section", "closer").text
    assert "GC104 input-modified (allowed) my_ops.py:3" in body.text
    assert "GC403 dead-relu" in body.first("section", "health").text
    assert not list(body.all("figure"))
    assert not list(case_named(page, "known").all("figure"))
    assert "flat: the gradient is wrong" in case_named(page, "known").text


def test_each_finding_has_its_page_once(page: Element) -> None:
    articles = [article.attributes["id"] for article in page.first("section", "pages").all("article")]
    assert articles == ["GC104", "GC203", "GC301", "GC403", "GC406"]
    text = next(page.all("article")).text
    assert "Why it happens." in text
    assert "**" not in text


def test_paths_are_written_from_the_current_folder(case: Make, parameter: Make, folder: Path) -> None:
    inside = str(folder / "my_ops.py")
    finding = Finding("sign-flipped", f"the backward is at {inside}:3", Location(inside, 3), "backward of f")
    made = (case(parameter("x", FAIL, findings=(finding,)), notes=(f"see {inside}",)),)
    raised = case(name="raises", verdict=ERROR, error=f"{inside}:3: error: no\n  hint: look at {inside}:4")
    page = to_html(RunResult(0, (*made, raised)))
    assert str(folder) not in page
    told = read(page).text
    assert "my_ops.py:3, backward of f" in told
    assert "the backward is at my_ops.py:3" in told
    assert "see my_ops.py" in told
    assert "my_ops.py:3: error: no\n  hint: look at my_ops.py:4" in told


def test_what_is_empty_or_right_is_said_so(case: Make, parameter: Make) -> None:
    assert read(to_html(RunResult(0, ()))).first("h1").text == "No case was checked"
    right = read(to_html(RunResult(0, (case(parameter("w")), case(parameter("w"))))))
    assert right.first("h1").text == "All 2 cases are as expected"
    assert right.first("h1").kinds == ["as-expected"]
    assert read(to_html(RunResult(0, (case(parameter("w")),)))).first("h1").text == "The case is as expected"
    stopped = read(to_html(RunResult(0, (case(parameter("w")),), interrupted=True)))
    assert stopped.first("h1").text == "Interrupted: what was checked is as expected"
    assert stopped.first("h1").kinds == ["unsure"]
    left = case(name="left out", verdict=SKIP, error="no device", ok=True)
    some = read(to_html(RunResult(0, (case(parameter("w")), left))))
    assert some.first("h1").text == "What was checked is as expected; 1 of 2 cases left out"
    assert read(to_html(RunResult(0, (left,)))).first("h1").text == "No case was checked"


def test_what_was_found_before_an_interrupt_is_not_called_as_expected(case: Make, parameter: Make) -> None:
    stopped = case(parameter("w", FAIL), parameter("b", SKIP), verdict=SKIP, ok=False, error="interrupted")
    page = read(to_html(RunResult(0, (case(parameter("w")), stopped), interrupted=True)))
    assert page.first("h1").text == "1 of 2 cases is not as expected"
    assert page.first("h1").kinds == ["off"]
    assert len(list(page.all("svg", "curve"))) == 1
    assert [body.attributes["data-number"] for body in page.all("tbody") if "data-open" in body.attributes] == ["2"]


def test_a_sweep_that_was_asked_for_is_told_in_words(case: Make, parameter: Make) -> None:
    page = read(to_html(RunResult(0, (case(parameter("w", sweep=valley()[:2])),))))
    told = page.first("p", "sweep-word").text
    assert told == "Over the steps: 1e-3 at 1e-2, 1e-5 at 1e-3 (falls with eps: truncation)"


def test_many_cases_stay_small_and_say_what_was_left_out() -> None:
    started = time.process_time()
    markup = to_html(of_many(400, 100))
    seconds = time.process_time() - started
    page = read(markup)
    assert len(list(page.all("tbody", "case"))) == 500
    assert len(list(page.all("svg", "curve"))) == len(list(page.all("svg", "heat-map"))) == 30
    assert len(list(page.all("svg", "graph"))) == 30
    assert "70 more" in page.first("p", "notice").text
    left = [body for body in page.all("tbody", "case") if "were left out here" in body.text]
    assert len(left) == 70
    assert all(body.first("section", "closer").first("div", "rerun") for body in left)
    assert len(markup) < 2_000_000
    assert seconds < 20, "some seconds on any machine; it takes one"
    assert [body.attributes["data-number"] for body in page.all("tbody") if "data-open" in body.attributes] == ["401"]


def test_a_case_without_verdicts_of_parameters_takes_room_for_its_graph() -> None:
    page = read(to_html(of_many(0, 40, verdict=FAIL, parameters=())))
    assert len(list(page.all("svg", "graph"))) == 30


def test_headers_say_what_is_sorted(page: Element) -> None:
    heads = list(page.first("table", "cases").first("thead").all("th"))
    assert [head.attributes.get("data-sort") for head in heads] == ["verdict", "name", None, "error", "time"]
    assert [head.attributes.get("aria-sort") for head in heads] == ["descending", None, None, None, None]
    assert all(head.attributes["scope"] == "col" for head in page.first("table", "cases").first("thead").all("th"))
    assert all(svg.attributes.get("aria-label") or svg.attributes.get("aria-hidden") for svg in page.all("svg"))


def test_where_the_extra_is_missing_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, case: Make) -> None:
    engine.require_engine()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    engine._engine.cache_clear()
    with pytest.raises(GradcheckError) as raised:
        to_html(RunResult(0, (case(),)))
    assert "pip install 'gradcheck-cli[report]'" in str(raised.value)
    assert "[missing-extra]" in str(raised.value)
    with pytest.raises(GradcheckError):
        engine.require_engine()


def test_the_template_engine_is_imported_for_who_asks_for_a_page_only() -> None:
    check = (
        "import sys, gradcheck_cli.report.html.page; print([m for m in ('jinja2', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_an_installation_holds_the_template_the_style_and_the_script() -> None:
    home = Path(engine.__file__).parent
    settings = tomllib.loads((home.parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    held = {file for glob in settings["package-data"]["gradcheck_cli.report.html"] for file in home.glob(glob)}
    others = {file for file in home.iterdir() if file.is_file() and file.suffix != ".py"}
    assert others == held != set()
