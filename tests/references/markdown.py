"""Tables of Markdown, and text that can't break them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table. Columns without any text are left out; no rows are no table."""
    filled = [column for column in range(len(heads)) if any(row[column] for row in rows)]
    lines = [[heads[column] for column in filled], ["---" for _ in filled]]
    lines += [[row[column] for column in filled] for row in rows]
    return "\n".join(f"| {' | '.join(cell(text) for text in line)} |" for line in lines) if rows else ""


def cell(text: str) -> str:
    """Return a text as it stands in a table: on one line, and without an end of the cell."""
    return re.sub(r"\s+", " ", text).strip().replace("\\|", "|").replace("|", "\\|")


def code(text: str) -> str:
    """Return a text as code, whatever quotes it holds; an empty text stays empty."""
    fence = "`" * (1 + max((len(found) for found in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}" if text else ""


def anchor(heading: str) -> str:
    """Return the anchor that a page gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def plain(text: str) -> str:
    """Return a text that is no Markdown so that it is shown as it is."""
    return re.sub(r"([*<\[\]])", r"\\\1", text)


def wrapped(text: str) -> str:
    """Return a paragraph in lines that are not too long to be read."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)
