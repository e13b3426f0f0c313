"""The report in a browser: it renders, can be read, and asks for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.report.html.screens import DESK, PHONE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_it_renders_within_the_width_of_the_screen(show: Any, size: dict[str, int], scheme: str) -> None:
    shown = show(viewport=size, color_scheme=scheme)
    shown.page.click("#open-all")
    for details in shown.page.query_selector_all("details"):
        details.evaluate("each => { each.open = true; }")
    assert shown.page.evaluate("document.documentElement.scrollWidth") == size["width"]
    inside = """all => all.filter(each => each.getBoundingClientRect().right > innerWidth
        && !each.closest('pre, .scroller')).map(each => each.outerHTML.slice(0, 80))"""
    assert shown.page.eval_on_selector_all("main *, header *", inside) == []
    curve = shown.page.query_selector("svg.curve").bounding_box()
    assert curve["width"] > 250
    assert curve["height"] > 150


CONTRAST = """() => {
    const light = (text) => {
        const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((each) => {
            const part = each / 255;
            return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (each) => {
        for (; each; each = each.parentElement) {
            const colour = getComputedStyle(each).backgroundColor;
            if (!/, 0\\)$|transparent/.test(colour)) return light(colour);
        }
        return 1;
    };
    const poor = [];
    const words = 'p, td, th, h1, h2, h3, h4, li, button, label span, select, summary, .badge, .file, code, a, text';
    for (const each of document.querySelectorAll(words)) {
        const style = getComputedStyle(each);
        if (!each.textContent.trim() || !each.getClientRects().length) continue;
        const [one, other] = [light(each.closest('svg') ? style.fill : style.color), ground(each)];
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < 4.5) poor.push(`${each.tagName} ${each.className} ${ratio.toFixed(2)}`);
    }
    return [...new Set(poor)];
}"""
"""Lists what is written with less than the contrast of 4.5 that WCAG 2.1 asks for (AA)."""


def test_colours_follow_the_scheme_and_can_be_read(show: Any) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        shown = show(color_scheme=scheme, reduced_motion="reduce")
        shown.page.click("#open-all")
        assert shown.page.evaluate(CONTRAST) == [], scheme
        shown.page.click('button.chip[data-group="fail"]')
        assert shown.page.evaluate(CONTRAST) == [], scheme
        grounds.append(shown.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]
    shown.page.evaluate("() => { document.querySelector('.summary').style.color = '#666'; }")
    assert any("summary" in poor for poor in shown.page.evaluate(CONTRAST)), "what is hard to read is found"


def test_without_scripts_everything_is_there_to_read(show: Any) -> None:
    shown = show(java_script_enabled=False)
    assert shown.page.is_visible("#detail-1")
    assert shown.page.is_visible("#detail-2 svg.curve")
    assert not shown.page.is_visible(".controls")
    assert not shown.page.is_visible("#case-2 button.copy")


def test_hostile_names_run_nothing(show: Any) -> None:
    shown = show()
    dialogs: list[str] = []
    shown.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    shown.page.reload()
    assert "alert(1)" in shown.page.inner_text("#case-8 button.name")
    assert dialogs == []
    assert shown.page.evaluate("document.scripts.length") == 1


def test_nothing_that_is_put_in_later_can_load_or_run(browser: Any, report: Path) -> None:
    """The policy is a second wall: it holds where an escape would be forgotten."""
    context = browser.new_context()
    page = context.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(report.as_uri())
    page.evaluate("""() => {
        document.body.insertAdjacentHTML('beforeend', '<img src="https://gradcheck.invalid/x.png">'
            + '<p id="styled" style="color: rgb(1, 2, 3)" onclick="window.ran = true">x</p>');
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        document.getElementById('styled').click();
    }""")
    assert page.evaluate("window.ran") is None
    assert page.evaluate("getComputedStyle(document.getElementById('styled')).color") != "rgb(1, 2, 3)"
    assert sum("Content Security Policy" in text for text in refused) >= 3
    context.close()


def test_printed_it_is_black_on_white_without_controls(show: Any) -> None:
    shown = show(color_scheme="dark")
    shown.page.emulate_media(media="print")
    assert shown.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not shown.page.is_visible(".controls")
    assert shown.page.is_visible("#case-2 svg.curve")
    assert shown.page.pdf(format="A4")[:4] == b"%PDF"
