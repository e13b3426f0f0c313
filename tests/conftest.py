"""What holds for every test: the environment decides nothing, and drawn examples are the same each time.

Files are written below a temporary folder, which is the current one where a test asks for `folder`.
"""

import os
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Read by rich and typer, some of them on import. Removed rather than patched, so that child processes agree.
for variable in list(os.environ):
    if variable.startswith(("GITHUB_", "GRADCHECK_")) and variable != "GRADCHECK_MERMAID":
        os.environ.pop(variable)
for variable in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE"):
    os.environ.pop(variable, None)

# No deadline: a machine that runs other things beside the tests is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("repeatable")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a file of the folder, its text without the indentation that it has in the test; return its path."""

    def write_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write_file
