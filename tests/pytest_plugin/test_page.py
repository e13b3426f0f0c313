"""docs/pytest.md: what it shows is what comes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

from tests.pytest_plugin.conftest import ROOT, Project

BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def without_times(text: str) -> list[str]:
    """Return the lines of an output; only the seconds in it may differ, and spaces at the end of a line."""
    return [line.rstrip() for line in re.sub(r"\bin \d+\.\d\ds\b", "in 0.10s", text).splitlines()]


def test_what_the_page_shows_is_what_comes(project: Project, write: Callable[[str, str], Path]) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "pytest.md").read_text("utf-8"))
    (project.folder / "my_ops.py").unlink()
    for _, name, text in blocks:
        if name:
            write(name, text)
    shown = [text for language, _, text in blocks if language == "console"]
    assert len(shown) == 5
    for text in shown:
        command, _, output = text.partition("\n")
        program, *words = shlex.split(command.removeprefix("$ "))
        assert program == "pytest"
        assert without_times(project.pytest(*words).out) == without_times(output), command


def test_a_wrong_output_is_caught() -> None:
    """The partner of the test above."""
    right = "FAILED a\n1 failed, 3 passed in 1.25s\n"
    assert without_times(right) == without_times(right.replace("1.25", "0.07"))
    assert without_times(right) != without_times(right.replace("3 passed", "4 passed"))
