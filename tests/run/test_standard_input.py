"""A spec on standard input: as far as one may be long, and what is said where there is none."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.standard_input import standard_input
from gradcheck_cli.spec.text.yaml_reader import LARGEST_FILE

TWO = "params: {x: 2, y: 3}\ncases: [{name: first, expr: x * y}, {name: second, expr: tanh(x) + y}]\n"


@pytest.mark.parametrize(
    "stream", [io.StringIO(TWO), io.TextIOWrapper(io.BytesIO(TWO.encode()), "ascii")], ids=["text", "bytes"]
)
def test_standard_input_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch, stream: io.TextIOBase) -> None:
    monkeypatch.setattr("sys.stdin", stream)
    found = collect(Options(paths=("-", "-::first")))
    assert [(item.case.id, item.parameters) for item in found] == [
        ("-::first", ("x", "y")),
        ("-::second", ("x", "y")),
    ]


def test_standard_input_is_read_as_far_as_a_spec_may_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a" * (LARGEST_FILE + 100))))
    assert len(standard_input()) == LARGEST_FILE + 1


def test_standard_input_that_can_not_be_read_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            raise OSError(5, "Input/output error")

    for stream, said in ((None, "standard input is closed"), (Broken(), "can't be read: Input/output error")):
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(SpecError, match=said):
            standard_input()
