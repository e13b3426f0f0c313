"""What README and the pages of the documentation show is what comes."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.documents import ROOT, Command, File, run, steps, without_seconds

PAGES = ("README.md", "docs/bridges.md", "docs/graph.md")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who has the checkout installed."""
    programs = tmp_path / "bin"
    programs.mkdir()
    script = programs / "gradcheck"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradcheck_cli "$@"\n')
    script.chmod(0o755)
    found = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": found, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_what_comes(page: str, tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    shown = 0
    for step in steps(ROOT / page):
        match step:
            case File(name, text):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            case Command(line, output):
                came, expected = run(step, folder, environment)
                if output is not None:
                    shown += 1
                    assert came == expected, f"{page}: {line}"
    assert shown >= 1


def test_only_the_seconds_may_differ() -> None:
    """The partner of the test above."""
    text = "1 failed, 26 evaluations in 0.05 s\n"
    assert without_seconds(text) == without_seconds(text.replace("0.05", "12.3"))
    assert without_seconds(text) != without_seconds(text.replace("26", "27"))


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, heading = target.partition("#")
        if "://" in file:
            continue
        there = page if not file else page.parent / file
        assert there.exists(), target
        if heading:
            assert heading in _anchors(there), target


def _anchors(page: Path) -> set[str]:
    """Return the names by which the headings of a page can be linked to, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}
