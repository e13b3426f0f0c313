"""Which reference pages there are, and which of them are stale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.references.commands import commands_page
from tests.references.operators import operators_page
from tests.references.spec import spec_page

DOCS = Path(__file__).parents[2] / "docs"
PAGES: dict[str, tuple[Path, Callable[[], str]]] = {
    name: (DOCS / name, make)
    for name, make in (("cli.md", commands_page), ("spec.md", spec_page), ("operators.md", operators_page))
}


def stale() -> list[str]:
    """Name the pages that are not what the program says now."""
    return [
        name for name, (path, make) in PAGES.items() if not path.is_file() or path.read_text(encoding="utf-8") != make()
    ]
