"""Files that a command writes: whole, and never over somebody else's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gradcheck_cli.cli.save import require_free
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.files import write_whole

MARK = "# Written by us"


def test_what_is_not_there_is_free(tmp_path: Path) -> None:
    require_free(tmp_path / "a.yaml", MARK)


def test_what_carries_the_mark_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"{MARK}: more\n", encoding="utf-8")
    require_free(path, MARK)


@pytest.mark.parametrize("content", [b"", b"expr: tanh(x)\n", b"# Written by them", b"\xff\xfe"])
def test_what_somebody_else_wrote_is_not(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(content)
    with pytest.raises(GradcheckError, match="exists") as caught:
        require_free(path, MARK)
    assert "another name" in caught.value.problems[0].hint


def test_a_folder_is_no_file_and_a_missing_one_has_none(tmp_path: Path) -> None:
    with pytest.raises(GradcheckError, match="is a folder"):
        require_free(tmp_path, MARK)
    with pytest.raises(GradcheckError, match="no folder"):
        require_free(tmp_path / "missing" / "a.yaml", MARK)


def test_a_file_is_written_with_the_rights_of_any_other(tmp_path: Path) -> None:
    path, other = tmp_path / "a.yaml", tmp_path / "other"
    other.touch()
    write_whole(path, "x: 1\ny: \N{GREEK SMALL LETTER PI}\n")
    assert path.read_bytes() == "x: 1\ny: \N{GREEK SMALL LETTER PI}\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [path, other]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
