"""The pages of findings, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gradcheck_cli.report.json_format import dump
from gradcheck_cli.report.plain import safe

if TYPE_CHECKING:
    from rich.console import Console

    from gradcheck_cli.findings.page import Page

_WIDEST = 100
"""Columns of a terminal beyond which lines of text are hard to read."""


def page_text(page: Page, encoding: str) -> str:
    """Return a page as Markdown, as a pipe gets it."""
    return _encoded(page.markdown, encoding)


def print_page(page: Page, console: Console) -> None:
    """Print a page on a terminal."""
    # Here, since a pipe needs none of it.
    from rich.markdown import Markdown

    text = _encoded(page.markdown, console.encoding)
    console.print(Markdown(text, code_theme="ansi_light"), width=min(console.width, _WIDEST))


def page_json(page: Page) -> str:
    """Return a page as JSON: code, name, verdict, summary, text and the files of the example."""
    return dump(_record(page, in_full=True))


def list_pages(pages: Iterable[Page], families: dict[str, str], encoding: str) -> str:
    """Return one line for each finding, by family."""
    known = list(pages)
    width = max(len(page.name) for page in known)
    lines = []
    for family, words in families.items():
        lines += ["", f"{family}xx  {words}", ""]
        lines += [f"  {p.code}  {p.name:<{width}}  {p.summary}" for p in known if p.code.startswith(family)]
    return _encoded("\n".join(lines[1:]) + "\n", encoding)


def list_json(pages: Iterable[Page]) -> str:
    """Return a JSON list of the findings."""
    return dump([_record(page, in_full=False) for page in pages])


def _record(page: Page, in_full: bool) -> dict[str, object]:
    told: dict[str, object] = {
        "code": page.code,
        "name": page.name,
        "verdict": page.verdict,
        "summary": page.summary,
    }
    return {**told, "page": page.markdown, "example": page.files} if in_full else told


def _encoded(text: str, encoding: str) -> str:
    return "\n".join(safe(line, encoding) for line in text.split("\n"))
