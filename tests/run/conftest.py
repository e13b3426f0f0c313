"""Specs and operator files in a folder of their own, and the cases that are read from them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.run.collect import Selected, collect
from gradcheck_cli.run.options import Options


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Callable[[str, str], Path]:
    """Write a file of the folder, its text without the indentation that it has in the test; return its path."""

    def write_file(name: str, text: str) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write_file


@pytest.fixture
def cases(write: Callable[[str, str], Path]) -> Callable[..., list[Selected]]:
    """Write a spec, and return its selected cases; keywords are options."""

    def read(text: str, **options: object) -> list[Selected]:
        write("a.grad.yaml", text)
        return collect(Options(paths=("a.grad.yaml",), **options))  # type: ignore[arg-type]

    return read
