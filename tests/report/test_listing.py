"""What a run would check: ids a line each, and JSON that programs read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gradcheck_cli.report.json_format import SCHEMA_VERSION
from gradcheck_cli.report.listing import Chosen, list_json, list_text
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options

SPEC = """params: {x: 2, y: 3}
cases:
  - {name: first, expr: x * y, tags: [slow, gpu]}
  - {name: "größe 2", expr: tanh(x) + y, expect: {x: fail}}
"""


@pytest.fixture
def chosen(folder: Path, write: Callable[[str, str], Path]) -> Callable[..., list[Chosen]]:
    """Return the cases of a spec that ids select."""
    write("a.grad.yaml", SPEC)

    def read(*ids: str) -> list[Chosen]:
        found = collect(Options(paths=ids or ("a.grad.yaml",)))
        return [(item.case, item.parameters) for item in found]

    return read


def test_ids_of_cases_are_listed_in_their_order(chosen: Callable[..., Sequence[Chosen]]) -> None:
    assert list_text(chosen(), False, "utf-8") == "a.grad.yaml::first\na.grad.yaml::größe 2\n"


def test_parameters_are_listed_too_that_are_chosen(chosen: Callable[..., Sequence[Chosen]]) -> None:
    some = chosen("a.grad.yaml::first", "a.grad.yaml::größe 2::y")
    assert list_text(some, True, "utf-8").splitlines() == [
        "a.grad.yaml::first::x",
        "a.grad.yaml::first::y",
        "a.grad.yaml::größe 2::y",
    ]


def test_no_line_comes_twice_and_nothing_gives_no_line(chosen: Callable[..., Sequence[Chosen]]) -> None:
    assert list_text([*chosen(), *chosen()], False, "utf-8") == list_text(chosen(), False, "utf-8")
    assert list_text([], True, "utf-8") == ""


def test_what_a_screen_does_not_have_is_escaped(chosen: Callable[..., Sequence[Chosen]]) -> None:
    listed = list_text(chosen(), False, "ascii")
    assert listed.isascii()
    assert listed.splitlines()[1].startswith("a.grad.yaml::gr")


def test_json_has_what_is_known_before_a_check(chosen: Callable[..., Sequence[Chosen]]) -> None:
    listed = json.loads(list_json(chosen("a.grad.yaml::first::y", "a.grad.yaml::größe 2")))
    assert listed == {
        "schema_version": SCHEMA_VERSION,
        "cases": [
            {
                "id": "a.grad.yaml::first",
                "file": "a.grad.yaml",
                "line": 3,
                "name": "first",
                "tags": ["slow", "gpu"],
                "expected": "pass",
                "parameters": ["y"],
            },
            {
                "id": "a.grad.yaml::größe 2",
                "file": "a.grad.yaml",
                "line": 4,
                "name": "größe 2",
                "tags": [],
                "expected": "x: fail",
                "parameters": ["x", "y"],
            },
        ],
    }
    assert json.loads(list_json([]))["cases"] == []
