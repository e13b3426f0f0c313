"""Reports of checked operators, and what GitHub Actions shows of them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.checked_operators import RIGHT
from tests.cli.test_reports import commands

Gradcheck = Callable[..., Any]
LINE = ("check-ops", "--ops", "my_ops.py")


def test_every_format_has_the_wrong_operator_at_its_place(
    gradcheck: Gradcheck, mine: Callable[..., Path], folder: Path
) -> None:
    mine("2 * g")
    wanted = ("text=a.txt", "json=a.json", "junit=a.xml", "github=a.log", "markdown=a.md")
    ended = gradcheck(*LINE, *(word for each in wanted for word in ("--report", each)))
    assert ended.code == 1
    assert (folder / "a.txt").read_text() == ended.out
    assert json.loads((folder / "a.json").read_text())["summary"]["fail"] == 1
    suites = ElementTree.parse(folder / "a.xml").getroot()
    assert int(suites.attrib["failures"]) >= 1
    assert suites[0].attrib["name"].endswith("my_ops.py")
    assert (folder / "a.log").read_text().startswith("::error file=my_ops.py,line=")
    assert (folder / "a.md").read_text().startswith("## gradcheck: ")
    assert "gradcheck run" not in (folder / "a.md").read_text()  # no such line checks a variant


@pytest.mark.parametrize("name", ["junit", "github", "markdown"])
def test_a_right_operator_is_no_failure_in_any_format(
    gradcheck: Gradcheck, mine: Callable[..., Path], name: str
) -> None:
    mine(RIGHT)
    ended = gradcheck(*LINE, "--format", name)
    assert ended.code == 0
    assert "::error" not in ended.out
    assert "FAIL" not in ended.out


def test_annotations_come_by_themselves(
    gradcheck: Gradcheck, mine: Callable[..., Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
    mine("2 * g")
    found = commands(gradcheck(*LINE))
    assert found
    assert all(each.startswith("::error file=my_ops.py,line=") or each.startswith("::notice") for each in found)
    assert commands(gradcheck(*LINE, "--no-annotations")) == []
