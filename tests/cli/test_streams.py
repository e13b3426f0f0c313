"""The standard streams: what holds the format, what holds the rest, and what happens where one is missing or full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli.streams import say, user_output_to_stderr

TALKER = '''
import ctypes
import json
import os
import subprocess
import sys
from gradcheck_cli import op

print("from the import")

@op
def talker(x):
    """x."""
    print("from print")
    sys.stdout.write("from sys.stdout\\n")
    if sys.__stdout__ is not None:
        sys.__stdout__.write("from sys.__stdout__\\n")
    subprocess.run([sys.executable, "-c", "print('from a child')"])
    ctypes.CDLL(None).printf(b"from C\\n")
    return 1 * x

@talker.backward
def _(g):
    print("from the backward")
    return g
'''
SAID = ["the import", "print", "sys.stdout", "sys.__stdout__", "a child", "C", "the backward"]
ONCE = "ops: [talker.py]\nexpr: talker(x)\nparams: {x: [1.0]}\ncheck: {sample: 1}\n"


def test_what_user_code_prints_goes_to_standard_error(write: Callable[..., Path], process: Callable[..., Any]) -> None:
    """Also past Python: by a child process, and by C, which may write as late as the end of the process."""
    write("talker.py", TALKER)
    write("a.grad.yaml", ONCE)
    ended = process("run", "a.grad.yaml", "--format", "json")
    assert ended.code == 0
    assert ended.verdicts == {"a": "pass"}
    for who in SAID:
        assert f"from {who}\n" in ended.err


def test_text_is_not_mixed_with_what_user_code_prints(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    """The same where another program has replaced the streams of Python, as pytest does."""
    write("talker.py", TALKER.replace('    subprocess.run([sys.executable, "-c", "print(\'from a child\')"])\n', ""))
    write("a.grad.yaml", ONCE)
    ended = gradcheck("run", "a.grad.yaml")
    assert ended.code == 0
    assert "from" not in ended.out
    assert "from print\n" in ended.err
    assert "from the backward\n" in ended.err


@pytest.mark.parametrize("command", [["list-ops", "talk*"], ["show-op", "talker"]], ids=lambda words: words[0])
def test_other_commands_keep_standard_output_clean_too(
    write: Callable[..., Path], process: Callable[..., Any], command: list[str]
) -> None:
    write("talker.py", TALKER)
    ended = process(*command, "--ops", "talker.py", "--format", "json")
    assert ended.code == 0
    assert "talker" in str(ended.json)
    assert ended.err == "from the import\n"


MANY = "params: {x: 3}\ncases:\n" + "".join(f"  - {{name: case {n}, expr: tanh(x)}}\n" for n in range(300))


def leave(started: subprocess.Popen[bytes]) -> int:
    """Read one line, as `| head -1` does, and nothing more; return the exit code. Nobody complains."""
    assert started.stdout is not None
    assert started.stderr is not None
    assert started.stdout.readline()
    started.stdout.close()
    assert started.stderr.read() == b""
    started.stderr.close()
    return started.wait(timeout=60)


@pytest.mark.parametrize(
    "command",
    [["run", "a.grad.yaml"], ["run", "a.grad.yaml", "--format", "json"], ["list-ops"], ["run", "--help"]],
    ids=["text", "json", "list-ops", "help"],
)
def test_a_reader_that_leaves_early_causes_no_complaint(
    write: Callable[..., Path], start: Callable[..., subprocess.Popen[bytes]], command: list[str]
) -> None:
    write("a.grad.yaml", MANY)
    assert leave(start(*command)) == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_reports_are_written_and_failures_count_when_the_reader_has_left(
    write: Callable[..., Path], folder: Path, start: Callable[..., subprocess.Popen[bytes]], jobs: str
) -> None:
    write("a.grad.yaml", MANY)
    assert leave(start("run", "a.grad.yaml", "--report", "json=a.json", "-j", jobs)) == 0
    assert len(json.loads((folder / "a.json").read_text())["cases"]) == 300
    write("a.grad.yaml", MANY + "  - {name: last, expr: tanh(x), expect: fail}\n")
    assert leave(start("run", "a.grad.yaml", "--report", "json=a.json", "-j", jobs)) == 1
    assert len(json.loads((folder / "a.json").read_text())["cases"]) == 301


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        ["run", "a.grad.yaml"],
        ["run", "a.grad.yaml", "--format", "json"],
        ["list-ops"],
        ["show-op", "relu"],
        ["--version"],
    ],
    ids=["text", "json", "list-ops", "show-op", "version"],
)
def test_a_full_disk_is_said_in_one_line(
    write: Callable[..., Path], process: Callable[..., Any], command: list[str]
) -> None:
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    with open("/dev/full", "w") as full:
        ended = process(*command, stdout=full)
    assert (ended.code, ended.err) == (2, "error: No space left on device\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", [["run", "a.grad.yaml"], ["check-ops", "tanh"]], ids=["run", "check-ops"])
def test_reports_are_written_though_standard_output_is_full(
    write: Callable[..., Path], folder: Path, process: Callable[..., Any], command: list[str]
) -> None:
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    with open("/dev/full", "w") as full:
        ended = process(*command, "--report", "json=a.json", stdout=full)
    assert (ended.code, ended.err) == (2, "error: No space left on device\n")
    assert json.loads((folder / "a.json").read_text())["summary"]["ok"] is True


@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1], [0, 1, 2]], ids=str)
@pytest.mark.parametrize(
    ("spec", "code"), [("expr: tanh(x)\nparams: {x: 3}\n", 0), ("expr: tahn(x)\nparams: {x: 3}\n", 2)]
)
def test_streams_may_be_closed(
    write: Callable[..., Path], process: Callable[..., Any], closed: list[int], spec: str, code: int
) -> None:
    write("a.grad.yaml", spec)
    ended = process("run", "a.grad.yaml", closed=closed)
    assert ended.code == code
    assert ("PASS" in ended.out) == (code == 0 and 1 not in closed)
    assert ("unknown operator" in ended.err) == (code == 2 and 2 not in closed)
    assert "Traceback" not in ended.err


def test_an_ascii_screen_gets_escapes(write: Callable[..., Path], process: Callable[..., Any]) -> None:
    write("größe.grad.yaml", "params: {größe: 2 3}\ncases: [{name: für alle → ☕, expr: tanh(größe)}]\n")
    write("bad.yaml", "expr: tanh(größer)\nparams: {größe: 2 3}\n")
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    ended = process("run", ".", "--sweep", "-v", env=ascii_only)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.isascii()
    assert "gr\\xf6\\xdfe" in ended.out
    bad = process("run", "bad.yaml", env=ascii_only)
    assert (bad.code, bad.out) == (2, "")
    assert bad.err.startswith("bad.yaml:1:12: error: undefined name 'gr\\xf6\\xdfer'")
    shown = process("show-op", "matmul", env=ascii_only)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.isascii()


@pytest.mark.parametrize(
    ("arguments", "selected"),
    [
        (["-k", "é"], ["é", "other"]),
        (["-k", "é and not other"], ["é"]),
        (["--tag", "dauß"], ["other"]),
        (["café.grad.yaml::é"], ["é"]),
        (["café.grad.yaml::é::x"], ["é"]),
    ],
    ids=range(5),
)
def test_words_are_utf8_in_every_locale(
    write: Callable[..., Path], process: Callable[..., Any], arguments: list[str], selected: list[str]
) -> None:
    write(
        "café.grad.yaml", "params: {x: 2}\ncases: [{name: é, expr: tanh(x)}, {name: other, expr: exp(x), tags: dauß}]\n"
    )
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": None}
    ended = process("run", "--format", "json", *arguments, env=locale)
    assert (ended.code, ended.err) == (0, "")
    assert list(ended.verdicts) == selected
    drawn = process("graph", "café.grad.yaml", "--case", "é", "--format", "json", env=locale)
    assert (drawn.code, drawn.err) == (0, "")


@pytest.mark.parametrize("coerce", ["0", "1"])
def test_the_c_locale_is_no_obstacle(write: Callable[..., Path], process: Callable[..., Any], coerce: str) -> None:
    write("größe.grad.yaml", "params: {größe: 2 3}\nexpr: tanh(größe)\n")
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": coerce, "PYTHONUTF8": coerce, "PYTHONIOENCODING": None}
    ended = process("run", "größe.grad.yaml", env=locale)
    assert (ended.code, ended.err) == (0, "")
    assert "PASS" in ended.out


def test_a_file_name_may_hold_bytes_that_are_no_text(folder: Path, gradcheck: Callable[..., Any]) -> None:
    name = os.fsdecode(b"caf\xe9.grad.yaml")
    try:
        (folder / name).write_text("expr: sum(tanh(x))\nparams: {x: 2 3}\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    ended = gradcheck("run", name)
    assert (ended.code, ended.err) == (0, "")
    assert "caf\\udce9.grad.yaml" in ended.out
    assert gradcheck("run", ".", "--format", "json").ids == [f"{name}::caf\udce9::x"]


def test_user_output_goes_to_the_error_stream(capsys: pytest.CaptureFixture[str]) -> None:
    with user_output_to_stderr() as stdout:
        sys.stdout.write("a user's\n")
        stdout.write("ours\n")
    sys.stdout.write("afterwards\n")
    assert capsys.readouterr() == ("ours\nafterwards\n", "a user's\n")


def test_say_writes_where_it_can(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    say("one\ntwo")
    assert capsys.readouterr() == ("", "one\ntwo\n")
    monkeypatch.setattr("sys.stderr", None)
    say("nobody hears")
    assert capsys.readouterr().out == ""
