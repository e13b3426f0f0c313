"""What can be done with the report in a browser: sort, filter, open, copy, come back to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gradcheck_cli.report.html.page import to_html
from tests.report.html.runs import of_many
from tests.report.html.screens import PHONE


def test_headers_sort_the_rows_and_say_so(show: Any) -> None:
    shown = show()
    assert shown.rows() == ["2", "7", "4", "3", "5", "6", "1", "8"]
    for key, descending in (
        ("error", ["2", "6", "3", "1", "7", "8", "4", "5"]),
        ("time", ["6", "1", "2", "3", "4", "5", "7", "8"]),
        ("verdict", ["2", "7", "4", "3", "5", "6", "1", "8"]),
    ):
        header = f'th[data-sort="{key}"]'
        shown.page.click(f"{header} button")
        assert shown.page.get_attribute(header, "aria-sort") == "descending"
        assert shown.rows() == descending
        assert shown.page.locator("th[aria-sort]").count() == 1
    shown.page.click('th[data-sort="verdict"] button')
    assert shown.page.get_attribute('th[data-sort="verdict"]', "aria-sort") == "ascending"
    assert shown.rows()[0] == "1"
    shown.page.click('th[data-sort="name"] button')
    assert shown.page.get_attribute('th[data-sort="name"]', "aria-sort") == "ascending"
    assert shown.rows()[1:4] == ["1", "6", "5"], "alright, known, left out"


def test_the_choice_of_order_sorts_as_well(show: Any) -> None:
    shown = show(viewport=PHONE)
    shown.page.select_option("#sort", "file")
    assert shown.rows() == list("12345678")
    shown.page.click("#turn")
    assert shown.rows() == list("87654321")
    assert shown.hash == "#sort=file&order=descending"


def test_chips_filter_by_verdict(show: Any) -> None:
    shown = show()
    counts = {"fail": ["2", "7"], "error": ["4"], "inconclusive": ["3"], "skip": ["5"], "expected-fail": ["6"]}
    for group, numbers in {**counts, "pass": ["1", "8"]}.items():
        chip = f'button.chip[data-group="{group}"]'
        shown.page.click(chip)
        assert shown.page.get_attribute(chip, "aria-pressed") == "true"
        assert shown.rows() == numbers
        assert shown.page.inner_text("#shown") == f"{len(numbers)} of 8 shown"
        shown.page.click(chip)
    assert len(shown.rows()) == 8
    shown.page.click('button.chip[data-group="fail"]')
    shown.page.click('button.chip[data-group="pass"]')
    assert shown.rows() == ["2", "7", "1", "8"]
    assert shown.hash == "#verdict=fail,pass"


def test_words_filter_by_name_file_parameter_and_finding(show: Any) -> None:
    shown = show()
    for words, numbers in (
        ("wrong", ["2", "7"]),
        ("B.GRAD", ["2"]),
        ("gc203", ["2"]),
        ("missing-term gamma", ["2"]),
        ("torch", ["5"]),
        ("<script>", ["8"]),
        ("no such thing", []),
    ):
        shown.page.fill("#find", words)
        assert shown.rows() == numbers, words
    assert shown.page.is_visible("#nothing")
    shown.page.click("#reset-too")
    assert len(shown.rows()) == 8
    assert shown.hash == ""
    assert shown.page.evaluate("document.activeElement.id") == "find"


def test_the_state_is_in_the_address_and_comes_back(show: Any) -> None:
    shown = show("#verdict=fail,nonsense&text=wrong&sort=error&order=ascending&case=7")
    assert shown.rows() == ["7", "2"]
    assert shown.page.input_value("#find") == "wrong"
    assert shown.page.input_value("#sort") == "error"
    assert "7" in shown.opened()
    shown.page.fill("#find", "a & b=c #1")
    address = shown.page.evaluate("location.href")
    again = show(address[address.index("#") :])
    assert again.page.input_value("#find") == "a & b=c #1"
    again.page.evaluate("location.hash = '#sort=time'")
    again.wait("document.getElementById('sort').value", "time")
    assert again.rows()[0] == "6"
    assert again.page.input_value("#find") == ""


def test_an_address_that_says_nothing_is_harmless(show: Any) -> None:
    shown = show()
    address = shown.page.evaluate("location.href")
    for number, state in enumerate(["sort=constructor", "case=99", "%E0%A4%A", "verdict=", "=", "GC203", "nothing"]):
        shown.page.goto(f"{address}?{number}#{state}")  # loaded anew
        assert shown.rows() == ["2", "7", "4", "3", "5", "6", "1", "8"], state


def test_cases_open_by_mouse_and_keyboard(show: Any) -> None:
    shown = show()
    assert shown.opened() == ["2", "7", "4", "3"]
    shown.page.click("#close-all")
    assert shown.opened() == []
    button = "#case-1 button.name"
    shown.page.focus(button)
    shown.page.keyboard.press("Enter")
    assert shown.opened() == ["1"]
    assert shown.page.get_attribute(button, "aria-expanded") == "true"
    assert shown.hash == "#case=1"
    shown.page.keyboard.press("Space")
    assert shown.opened() == []
    assert shown.page.get_attribute(button, "aria-expanded") == "false"
    shown.page.click("#case-6 td.time")
    assert shown.opened() == ["6"]


def test_every_control_can_be_reached_and_shows_its_focus(show: Any) -> None:
    shown = show()
    reached = []
    for _ in range(25):
        shown.page.keyboard.press("Tab")
        name, outline = shown.page.evaluate(
            """() => [document.activeElement.id || document.activeElement.className,
                getComputedStyle(document.activeElement).outlineStyle]"""
        )
        reached.append(name)
        assert outline == "solid", name
    assert reached[0] == "skip-link"
    assert {"chip fail", "find", "sort", "turn", "open-all", "close-all", "name"} <= set(reached)


def test_a_finding_leads_to_its_page_and_back(show: Any) -> None:
    shown = show("#sort=time")
    shown.page.click('#case-2 a[href="#GC203"]')
    page = shown.page.locator("#GC203")
    assert page.evaluate("each => Math.abs(each.getBoundingClientRect().top) < innerHeight")
    assert shown.rows()[0] == "6", "the order stays"
    shown.page.go_back()
    shown.wait("location.hash", "#sort=time")
    assert shown.rows()[0] == "6"


def test_a_command_is_copied_with_and_without_a_permission(show: Any) -> None:
    line = "gradcheck run b.grad.yaml::wrong::x --seed 7"
    for permissions in ([], ["clipboard-read", "clipboard-write"]):
        shown = show(permissions=permissions)
        if not permissions:
            shown.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        label = "document.querySelector('#case-2 button.copy').textContent"
        shown.page.locator("#case-2 button.copy").first.click()
        shown.wait(label, "Copied")
        assert shown.page.text_content("#said") == "Copied", "who doesn't look at the button hears of it"
        # What was copied is what is pasted.
        shown.page.fill("#find", "")
        shown.page.focus("#find")
        shown.page.keyboard.press("Control+v")
        assert shown.page.input_value("#find") == line
    shown.wait(label, "Copy")


def test_where_nothing_may_be_copied_the_command_is_selected(show: Any) -> None:
    shown = show()
    shown.page.evaluate("""() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        document.execCommand = () => false;
    }""")
    shown.page.locator("#case-2 button.copy").first.click()
    assert shown.page.locator("#case-2 button.copy").first.inner_text() == "Selected"
    assert shown.page.evaluate("getSelection().toString()") == "gradcheck run b.grad.yaml::wrong::x --seed 7"


def test_five_hundred_cases_answer_at_once(show: Any, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_text(to_html(of_many(400, 100)), encoding="utf-8")
    shown = show(path=path)
    assert len(shown.rows()) == 500
    milliseconds = shown.page.evaluate("""() => {
        const start = performance.now();
        document.querySelector('th[data-sort="name"] button').click();
        document.querySelector('button.chip[data-group="fail"]').click();
        document.body.offsetHeight;
        return performance.now() - start;
    }""")
    assert len(shown.rows()) == 100
    assert milliseconds < 3000, "a tenth of that on an idle machine"
