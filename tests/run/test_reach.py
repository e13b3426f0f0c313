"""How a spec in some folder names operator files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcheck_cli.run.reach import named_from


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("project/pyproject.toml", "project/ops/my_ops.py", "project/specs/a.txt", "elsewhere/other.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
    return tmp_path


def test_files_below_the_folder_and_in_the_project_are_named(files: Path) -> None:
    own = files / "project/ops/my_ops.py"
    assert named_from(files / "project", [own]) == ("ops/my_ops.py",)
    assert named_from(files / "project/specs", [own]) == ("../ops/my_ops.py",)


def test_relative_paths_count_from_the_current_folder(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files / "project/ops")
    assert named_from(Path("../specs"), [Path("my_ops.py")]) == ("../ops/my_ops.py",)


def test_what_a_spec_cannot_reach_is_not_named(files: Path) -> None:
    own, other = files / "project/ops/my_ops.py", files / "elsewhere/other.py"
    assert named_from(files / "project", [other]) == ()
    assert named_from(files / "elsewhere", [own]) == ()
    assert named_from(files / "project", [own, other]) == ()  # all of them or none


def test_lists_of_operators_are_named_as_files_are(files: Path) -> None:
    assert named_from(files / "project", [files / "project/ops/bridges.yaml"]) == ("ops/bridges.yaml",)


def test_no_files_need_no_names(files: Path) -> None:
    assert named_from(files, []) == ()
