"""The pages of findings as HTML: of Markdown that which they use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradcheck_cli.report.html.markup import element, text

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*", re.DOTALL)


def page_markup(body: str) -> str:
    """Return a page's text as HTML: paragraphs, `code`, **strong words** and fenced blocks of code."""
    return "".join(_parts(body))


def _parts(body: str) -> Iterator[str]:
    at = 0
    for fence in _FENCE.finditer(body):
        yield from _paragraphs(body[at : fence.start()])
        lines = "\n".join(text(line) for line in fence[2].rstrip("\n").split("\n"))
        yield element("pre", element("code", lines), tabindex=0)
        at = fence.end()
    yield from _paragraphs(body[at:])


def _paragraphs(body: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", body.strip()):
        if paragraph:
            yield element("p", *_spans(" ".join(paragraph.split("\n"))))


def _spans(paragraph: str) -> Iterator[str]:
    at = 0
    for span in _SPAN.finditer(paragraph):
        yield text(paragraph[at : span.start()])
        # Code within strong words is written as they are; no page has any.
        yield element("code", text(span[1])) if span[1] else element("strong", text(span[2]))
        at = span.end()
    yield text(paragraph[at:])
