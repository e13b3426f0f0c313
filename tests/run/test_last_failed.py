"""What failed last is kept between runs, by the path from the project's root, and nothing is kept in vain."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.last_failed import LastFailed
from gradcheck_cli.run.narrow import narrowed
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.shard import Shard
from gradcheck_cli.settings import Settings

SPEC = """
params: {x: [0.5, 1.5]}
cases:
  - {name: one, expr: tanh(x)}
  - {name: two, expr: exp(x)}
  - {name: three, expr: x * x}
"""


Update = Callable[..., None]


def result(name: str, ok: bool, verdict: Verdict = Verdict.PASS, file: str = "a.grad.yaml") -> CaseResult:
    return CaseResult(f"{file}::{name}", file, 1, name, "pass", verdict, ok)


@pytest.fixture
def update(folder: Path, cases: Callable[..., list[Selected]]) -> Update:
    """Take note of results, of each of which `parts` of two parameters were checked."""
    (item,) = cases("expr: x * y\nparams: {x: 1.0, y: 2.0}\n")
    (folder / "a.grad.yaml").unlink()

    def taken(*results: CaseResult, settings: Settings | None = None, parts: int = 2) -> None:
        part = replace(item, parameters=item.parameters[:parts])
        LastFailed(settings or Settings()).update([(part, each) for each in results])

    return taken


@pytest.fixture
def selected(cases: Callable[..., list[Selected]]) -> list[Selected]:
    return cases(SPEC)


def names(selected: list[Selected]) -> list[str]:
    return [item.case.name for item in selected]


def test_what_failed_is_known_until_it_passes(folder: Path, update: Update, selected: list[Selected]) -> None:
    update(result("one", True), result("two", False), result("three", False))
    assert names(LastFailed(Settings()).among(selected)) == ["two", "three"]
    update(result("two", True))
    assert names(LastFailed(Settings()).among(selected)) == ["three"]


def test_what_was_not_checked_stays_as_it_was(folder: Path, update: Update, selected: list[Selected]) -> None:
    update(result("two", False))
    update(result("two", True, Verdict.SKIP), result("one", True))
    assert names(LastFailed(Settings()).among(selected)) == ["two"]


def test_a_case_of_which_a_part_passes_may_still_fail(update: Update, selected: list[Selected]) -> None:
    update(result("one", True), result("two", False))
    update(result("one", True), result("two", True), result("three", False), parts=1)
    assert names(LastFailed(Settings()).among(selected)) == ["two", "three"]
    update(result("two", True), result("three", True))
    assert not LastFailed(Settings()).known()


def test_nothing_is_written_where_nothing_failed(folder: Path, update: Update) -> None:
    update(result("one", True), result("x", False, file="-"))
    assert list(folder.iterdir()) == []


def test_the_folder_keeps_itself_out_of_version_control(folder: Path, update: Update) -> None:
    update(result("one", False))
    assert (folder / ".gradcheck_cache" / ".gitignore").read_text() == "*\n"
    assert sorted(path.name for path in (folder / ".gradcheck_cache").iterdir()) == [
        ".gitignore",
        "README.md",
        "last_failed.json",
    ]


@pytest.mark.parametrize("marker", ["pyproject.toml", ".git"])
def test_it_is_found_from_any_folder_of_the_project(
    folder: Path,
    update: Update,
    write: Callable[[str, str], Path],
    monkeypatch: pytest.MonkeyPatch,
    selected: list[Selected],
    marker: str,
) -> None:
    write(marker, "")
    write("deep/er/b.grad.yaml", SPEC)
    monkeypatch.chdir(folder / "deep")
    update(result("one", False, file="er/b.grad.yaml"))
    monkeypatch.chdir(folder)
    assert LastFailed(Settings()).known() == {"deep/er/b.grad.yaml::one"}
    assert not LastFailed(Settings()).among(selected)


def test_the_settings_say_where(folder: Path, update: Update) -> None:
    settings = Settings(root=folder, file=folder / "pyproject.toml", cache_dir=folder / "kept" / "here")
    update(result("one", False), settings=settings)
    assert LastFailed(settings).known() == {"a.grad.yaml::one"}
    assert not (folder / ".gradcheck_cache").exists()


@pytest.mark.parametrize("kept", ["", "{", "{}", "[1, null]", '"a"', "[" * 100_000], ids=lambda kept: kept[:9])
def test_a_damaged_file_knows_nothing(
    folder: Path, update: Update, write: Callable[[str, str], Path], kept: str
) -> None:
    write(".gradcheck_cache/last_failed.json", kept)
    assert LastFailed(Settings()).known() == set()
    update(result("one", False))
    assert json.loads((folder / ".gradcheck_cache" / "last_failed.json").read_text()) == ["a.grad.yaml::one"]


@pytest.mark.parametrize("place", ["file/kept", "\0"], ids=["below a file", "no name"])
def test_a_place_that_cannot_be_written_is_no_fault(folder: Path, update: Update, place: str) -> None:
    (folder / "file").write_text("")
    settings = Settings(cache_dir=folder / place)
    update(result("one", False), settings=settings)
    assert LastFailed(settings).known() == set()
    assert os.listdir(folder) == ["file"]


def test_a_run_is_narrowed_to_what_failed_last_and_then_to_a_shard(
    folder: Path, update: Update, selected: list[Selected]
) -> None:
    left, notes = narrowed(selected, Options(last_failed=True))
    assert (names(left), notes) == (
        ["one", "two", "three"],
        ["none of the cases failed last: all of them are checked"],
    )
    update(result("two", False), result("three", False))
    left, notes = narrowed(selected, Options(last_failed=True))
    assert (names(left), notes) == (["two", "three"], ["2 of 3 cases failed last: only those are checked"])
    left, _ = narrowed(selected, Options(last_failed=True, shard=Shard(2, 2)))
    assert names(left) == ["three"]
    left, notes = narrowed(selected, Options(shard=Shard(1, 5)))
    assert (left, notes) == ([], ["nothing to check in part 1 of 5"])
