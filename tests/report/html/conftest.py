"""The report in a real browser, Debian's Chromium, for the tests that look at it there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.report.html.page import to_html
from tests.report.html.runs import of_every_kind
from tests.report.html.screens import DESK

CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HARMLESS = re.compile(r"^(file|data|about):")


@dataclass
class Shown:
    """A page in a browser, and what went wrong on it."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def rows(self) -> list[str]:
        """Return the numbers of the cases that are shown, from the top."""
        return self.page.eval_on_selector_all(
            "tbody.case", "all => all.filter(each => each.offsetParent).map(each => each.dataset.number)"
        )

    def opened(self) -> list[str]:
        return self.page.eval_on_selector_all(
            "tbody.case", "all => all.filter(e => !e.querySelector('.detail').hidden).map(e => e.dataset.number)"
        )

    def wait(self, expression: str, value: object) -> None:
        """Wait until a script gives a value; the page's policy forbids the driver's own way of waiting."""
        for _ in range(200):
            if self.page.evaluate(expression) == value:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{expression} never was {value!r}")

    @property
    def hash(self) -> str:
        return self.page.evaluate("decodeURIComponent(location.hash)")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Run one browser for all tests of this module."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
    )
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(to_html(of_every_kind()), encoding="utf-8")
    return path


@pytest.fixture
def show(browser: Any, report: Path) -> Iterator[Any]:
    """Return a function that shows the report; in the end nothing may have been complained of or asked for."""
    opened: list[tuple[Any, Shown]] = []

    def show_it(state: str = "", path: Path = report, **options: Any) -> Shown:
        context = browser.new_context(**({"viewport": DESK, "color_scheme": "light"} | options))
        shown = Shown(context.new_page())
        opened.append((context, shown))
        shown.page.set_default_timeout(10_000)
        shown.page.on("console", lambda message: shown.complaints.append(f"{message.type}: {message.text}"))
        shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
        shown.page.on("request", lambda request: shown.requests.append(request.url))
        shown.page.goto(path.as_uri() + state)
        return shown

    yield show_it
    for context, shown in opened:
        complaints, requests = shown.complaints, shown.requests
        context.close()
        assert complaints == []
        assert [url for url in requests if not HARMLESS.match(url)] == []
