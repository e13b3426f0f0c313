"""Files that a command writes: whole, and never over somebody else's."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from gradcheck_cli.cli.save import create, require_absent, require_free
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


def test_a_new_file_is_written_whole_with_its_folders(tmp_path: Path) -> None:
    path, other = tmp_path / "a" / "b" / "new.py", tmp_path / "other"
    other.touch()
    create(path, "x = 1\n")
    assert path.read_bytes() == b"x = 1\n"
    assert os.listdir(path.parent) == ["new.py"]
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_new_file_never_replaces_one_that_came_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Another program writes it between the look and the writing."""
    path = tmp_path / "new.py"
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    create(path, "mine\n")
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    with pytest.raises(GradcheckError, match="exists already"):
        create(path, "other\n")
    assert path.read_text(encoding="utf-8") == "mine\n"
    assert list(tmp_path.iterdir()) == [path]


def test_of_many_who_write_one_file_at_once_one_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "new.py"
    together = Barrier(8)

    def attempt(name: str) -> str:
        together.wait()
        try:
            create(path, name * 10_000)
        except GradcheckError:
            return ""
        return name

    with ThreadPoolExecutor(8) as pool:
        (winner,) = filter(None, pool.map(attempt, "abcdefgh"))
    assert path.read_text(encoding="utf-8") == winner * 10_000
    assert os.listdir(path.parent) == ["new.py"]


def no_links(*_: object) -> None:
    raise OSError(1, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_half_a_new_file_is_removed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    def half(path: Path, *arguments: Any, **how: Any) -> Any:
        stream = open(path, *arguments, **how)  # noqa: SIM115 (who asked closes it)

        def write(text: str) -> None:
            stream.buffer.write(text.encode()[:10])
            raise OSError(28, "No space left on device")

        if links or path.name == "new.py":
            stream.write = write
        return stream

    monkeypatch.setattr(Path, "open", half)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(OSError, match="No space"):
        create(tmp_path / "new.py", "x" * 100)
    assert list(tmp_path.iterdir()) == []


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 252 + ".py")
    create(path, "new")
    write_whole(path, "newer")
    assert path.read_text(encoding="utf-8") == "newer"


def test_a_new_file_needs_a_folder_above(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GradcheckError, match="is no folder"):
        create(tmp_path / "file" / "new.py", "")
    with pytest.raises(GradcheckError, match="is no folder"):
        create(tmp_path / "file" / "deeper" / "new.py", "")


def test_a_link_that_leads_nowhere_is_there(tmp_path: Path) -> None:
    path = tmp_path / "link"
    require_absent(path)
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(GradcheckError, match="exists already"):
        require_absent(path)
