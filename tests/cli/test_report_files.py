"""Where reports go: files, streams of the process, and never two to one place."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli.report_files import own_stream, same_file, write_report

SPEC = "params: {x: [0.5, 1.5]}\ncases: [{name: right, expr: tanh(x)}, {name: wrong, expr: exp(x), expect: fail}]\n"

needs_streams = pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs the streams of Linux")


@pytest.fixture(autouse=True)
def _spec(write: Callable[..., Path]) -> None:
    write("a.grad.yaml", SPEC)


@needs_streams
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/../dev/stdout", "out"])
def test_standard_output_is_the_real_one(process: Callable[..., Any], folder: Path, path: str) -> None:
    (folder / "out").symlink_to("/dev/stdout")
    ended = process("run", "-q", "--report", f"json={path}", "-k", "right")
    text, brace, data = ended.out.partition("{")
    assert (ended.code, ended.err) == (0, "")
    assert text.startswith("0 failed, 1 passed")
    assert json.loads(brace + data)["summary"]["ok"] is True


@needs_streams
def test_a_log_that_is_a_stream_is_appended_to(process: Callable[..., Any], folder: Path) -> None:
    (folder / "log").write_text("before\n")
    with open(folder / "log", "a") as log:
        inode = os.fstat(log.fileno()).st_ino
        ended = process("run", "-k", "right", "--report", "junit=/dev/stderr", stderr=log)
    assert ended.code == 0
    assert (folder / "log").stat().st_ino == inode
    assert (folder / "log").read_text().startswith("before\n<?xml")


@needs_streams
def test_standard_output_that_is_a_file_is_appended_to(process: Callable[..., Any], folder: Path) -> None:
    with open(folder / "out", "w") as out:
        ended = process("run", "-k", "right", "--report", "json=/dev/stdout", stdout=out)
    assert ended.code == 0
    written = (folder / "out").read_text()
    assert written.startswith("a.grad.yaml  right")
    assert written.rstrip().endswith("}")


@needs_streams
def test_which_paths_are_streams(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("/dev/stderr")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "dev").symlink_to("/dev/fd")
    streams = {
        "/dev/stdout": 1,
        "/dev/stderr": 2,
        "/dev/fd/7": 7,
        f"/proc/{os.getpid()}/fd/3": 3,
        str(tmp_path / "one"): 2,
        str(tmp_path / "dev" / "1"): 1,
        "/proc/1/fd/1": None,
        "/dev/null": None,
        str(tmp_path / "round"): None,
        str(tmp_path / "none" / "fd" / "1"): None,
        "fd/1": None,
    }
    assert {path: own_stream(Path(path)) for path in streams} == streams
    assert same_file(tmp_path / "one") == same_file(Path("/dev/fd/2"))


@needs_streams
def test_a_stream_that_is_not_open_is_an_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    os.close(writer)
    with pytest.raises(OSError, match="Bad file descriptor"):
        write_report(Path(f"/dev/fd/{writer}"), "x", io.StringIO())


@pytest.mark.parametrize(
    "second", ["a.xml", "./a.xml", "deep/../a.xml", "link.xml", "hidden/a.xml"], ids=lambda name: name.replace("/", "|")
)
def test_two_reports_to_one_file_are_a_usage_error(gradcheck: Callable[..., Any], folder: Path, second: str) -> None:
    (folder / "link.xml").symlink_to("a.xml")
    (folder / "hidden").symlink_to(".")
    ended = gradcheck("run", "--report", "junit=a.xml", "--report", f"json={second}")
    assert (ended.code, ended.out) == (2, "")
    said = " ".join(ended.err.split())
    assert "two reports would go to one file" in said
    assert not (folder / "a.xml").exists()
    assert gradcheck("check-ops", "tanh", "--report", "junit=a.xml", "--report", f"json={second}").code == 2


def test_two_reports_may_go_nowhere(gradcheck: Callable[..., Any]) -> None:
    assert gradcheck("run", "-k", "right", "--report", "junit=/dev/null", "--report", "json=/dev/null").code == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_a_report_keeps_the_rights_of_the_last_one(gradcheck: Callable[..., Any], folder: Path) -> None:
    (folder / "a.xml").write_text("")
    (folder / "a.xml").chmod(0o600)
    gradcheck("run", "--report", "junit=a.xml", "--report", "json=a.json")
    assert stat.S_IMODE((folder / "a.xml").stat().st_mode) == 0o600
    assert "<testsuites" in (folder / "a.xml").read_text()
