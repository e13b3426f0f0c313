"""Specs and operator files in a folder of their own, and the cases that are read from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.run.collect import Selected, collect
from gradcheck_cli.run.options import Options


@pytest.fixture
def write(folder: Path, write: Callable[[str, str], Path]) -> Callable[[str, str], Path]:
    """Write a file of the current folder."""
    return write


@pytest.fixture
def cases(write: Callable[[str, str], Path]) -> Callable[..., list[Selected]]:
    """Write a spec, and return its selected cases; keywords are options."""

    def read(text: str, **options: object) -> list[Selected]:
        write("a.grad.yaml", text)
        return collect(Options(paths=("a.grad.yaml",), **options))  # type: ignore[arg-type]

    return read
