"""Reports: on standard output and in files, whole or not at all, also where specs can't be read."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPEC = """
params: {x: [0.5, 1.5]}
cases:
  - {name: right, expr: tanh(x)}
  - {name: "wrong ::error::", expr: exp(x), expect: fail}
"""

BROKEN = "expr: tanh(x\nparams: {x: 1}\n"

Gradcheck = Callable[..., Any]
Write = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def _spec(write: Write) -> None:
    write("a.grad.yaml", SPEC)


def test_each_format_is_what_standard_output_holds(gradcheck: Gradcheck) -> None:
    assert json.loads(gradcheck("run", "--format", "json").out)["summary"]["ok"] is False
    assert ElementTree.fromstring(gradcheck("run", "--format", "junit").out).tag == "testsuites"
    assert gradcheck("run", "--format", "github").out.startswith("::error file=a.grad.yaml,line=4,")
    assert gradcheck("run", "--format", "markdown").out.startswith("## gradcheck: 1 failed, 1 passed")


def test_reports_are_written_beside_it_and_their_folders_are_made(gradcheck: Gradcheck, folder: Path) -> None:
    wanted = ["text=out/a.txt", "json=out/deep/a.json", "junit=a.xml", "github=a.log", "markdown=a.md"]
    ended = gradcheck("run", *(word for each in wanted for word in ("--report", each)))
    assert ended.code == 1
    assert ended.out.splitlines()[0] == "a.grad.yaml  right"
    assert (folder / "out" / "a.txt").read_text().splitlines()[0] == "a.grad.yaml  right"
    assert json.loads((folder / "out" / "deep" / "a.json").read_text())["summary"]["fail"] == 0
    assert ElementTree.parse(folder / "a.xml").getroot().attrib["failures"] == "1"
    assert "::error" in (folder / "a.log").read_text()
    assert (folder / "a.md").read_text().startswith("## gradcheck")
    assert not [path for path in folder.rglob("*") if path.name.startswith(".a.")]


def test_the_text_report_is_that_of_the_screen(gradcheck: Gradcheck, folder: Path) -> None:
    ended = gradcheck("run", "-v", "--report", "text=a.txt")
    assert (folder / "a.txt").read_text() == ended.out


def test_a_report_replaces_the_last_one_and_keeps_a_link(gradcheck: Gradcheck, folder: Path) -> None:
    (folder / "real.json").write_text("old")
    (folder / "link.json").symlink_to("real.json")
    gradcheck("run", "--report", "json=link.json")
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "real.json").read_text())["cases"]


def test_a_report_may_go_to_a_pipe(gradcheck: Gradcheck, folder: Path) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as stream:
        assert gradcheck("run", "--report", f"github=/dev/fd/{writer}").code == 1
        os.close(writer)
        assert stream.read().startswith("::error")


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("a.xml", "'a.xml' should be FORMAT=PATH, with a format of text, json, junit, github, markdown, html."),
        ("jsn=a", "did you mean 'json'?"),
        ("json=", "should be FORMAT=PATH"),
        ("json=-", "standard output is for --format"),
    ],
)
def test_what_is_no_report_is_refused(gradcheck: Gradcheck, report: str, said: str) -> None:
    ended = gradcheck("run", "--report", report)
    assert (ended.code, ended.out) == (2, "")
    assert said in " ".join(ended.err.split())


def test_a_report_that_cannot_be_written_is_an_error_after_all_others(gradcheck: Gradcheck, folder: Path) -> None:
    (folder / "file").write_text("")
    ended = gradcheck("run", "--report", "json=file/a.json", "--report", "junit=a.xml")
    assert ended.code == 2
    assert "file/a.json: error: the report can't be written: " in ended.err
    assert ended.out.splitlines()[-1].startswith("1 failed, 1 passed")
    assert (folder / "a.xml").exists()


def test_what_cannot_be_read_is_reported_as_well(gradcheck: Gradcheck, write: Write, folder: Path) -> None:
    write("b.grad.yaml", BROKEN)
    ended = gradcheck("run", "--format", "json", "--report", "junit=a.xml", "--report", "github=a.log")
    assert ended.code == 2
    (problem,) = ended.json["problems"]
    assert (problem["file"], problem["line"]) == ("b.grad.yaml", 1)
    assert (ended.json["cases"], ended.json["summary"]["ok"]) == ([], False)
    assert "b.grad.yaml:1" in ended.err
    suite = ElementTree.parse(folder / "a.xml").getroot()[0]
    assert (suite.attrib["name"], suite.attrib["errors"]) == ("b.grad.yaml", "1")
    assert (folder / "a.log").read_text().startswith("::error file=b.grad.yaml,line=1,")


def test_nothing_selected_is_a_report_without_cases(gradcheck: Gradcheck) -> None:
    ended = gradcheck("run", "-k", "nothing", "--format", "json")
    assert (ended.code, ended.json["cases"]) == (5, [])


def test_any_locale_gets_utf8_where_readers_expect_it(process: Gradcheck, write: Write) -> None:
    write("a.grad.yaml", "name: größer\nexpr: tanh(x)\nparams: {x: 2}\nexpect: fail\n")
    ended = process("run", "--format", "markdown", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert ended.code == 1
    assert "größer" in ended.out


# GitHub Actions


@pytest.fixture
def on_github(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be a step of GitHub Actions; return the file of its summary."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    return folder / "summary.md"


def commands(ended: Any) -> list[str]:
    """Return the lines of a log that the runner takes for commands."""
    heard, token = [], None
    for line in ended.err.splitlines():
        bare = line.strip()
        if token:
            token = None if bare == f"::{token}::" else token
        elif bare.startswith("::stop-commands::"):
            token = bare.removeprefix("::stop-commands::")
        elif bare.startswith("::"):
            heard.append(bare)
    assert token is None
    return heard


def test_annotations_and_a_summary_come_by_themselves(
    gradcheck: Gradcheck, write: Write, folder: Path, on_github: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_github.write_text("from another step, without an end of line")
    write("deep/b.grad.yaml", SPEC)
    monkeypatch.chdir(folder / "deep")
    ended = gradcheck("run", "b.grad.yaml")
    assert ended.out.startswith("b.grad.yaml  right")
    (command,) = commands(ended)
    assert command.startswith("::error file=deep/b.grad.yaml,line=4,title=gradcheck unexpected pass::")
    lines = on_github.read_text().splitlines()
    assert lines[0] == "from another step, without an end of line"
    assert lines[1].startswith("## gradcheck: 1 failed")


def test_annotations_can_be_left_out(gradcheck: Gradcheck, on_github: Path) -> None:
    assert commands(gradcheck("run", "--no-annotations")) == []
    assert on_github.read_text().startswith("## gradcheck")


def test_the_format_of_annotations_says_them_once(gradcheck: Gradcheck, on_github: Path) -> None:
    ended = gradcheck("run", "--format", "github")
    assert ended.out.count("::error file") == 1
    assert commands(ended) == []


def test_specs_that_cannot_be_read_are_annotated(gradcheck: Gradcheck, write: Write, on_github: Path) -> None:
    write("b.grad.yaml", "::error file=x::y\n")
    ended = gradcheck("run")
    assert ended.code == 2
    assert [command.partition(",title")[0] for command in commands(ended)] == ["::error file=b.grad.yaml,line=1,col=1"]


def test_no_text_of_a_user_is_a_command(gradcheck: Gradcheck, write: Write, on_github: Path) -> None:
    write("a.grad.yaml", "name: '::error::x'\nexpr: log(x)\nparams: {x: -1}\n")
    assert [each for each in commands(gradcheck("run")) if not each.startswith("::error file=a.grad.yaml")] == []
    ended = gradcheck("show-op", "::error::x")
    assert ended.code == 2
    assert commands(ended) == []


def test_a_summary_that_cannot_be_written_is_no_fault(
    gradcheck: Gradcheck, on_github: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(on_github / "nowhere" / "a.md"))
    ended = gradcheck("run", "-k", "right")
    assert ended.code == 0
    assert "note: the summary can't be written" in ended.err
