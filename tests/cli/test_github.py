"""The runner of GitHub Actions takes annotations for commands, and nothing else, however it reads the streams."""

from __future__ import annotations

import itertools
import json
import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli.github import annotate, append_summary, commands_stopped, summary_room, workspace
from gradcheck_cli.cli.streams import harmless, say

LOUD = '''
import os
from gradcheck_cli import op

@op
def loud(x):
    """x."""
    print("::error::printed")
    os.write(2, b"::warning::past Python\\n##[error]old\\nworking...")
    return 1 * x

@loud.backward
def _(g):
    return 2 * g
'''
SPEC = "ops: [loud.py]\nparams: {x: [1.0]}\ncases: [{name: '::error::name', expr: loud(x)}]\n"
HOSTILE = "::error::file.grad.yaml"


def heard(lines: Iterable[str]) -> tuple[list[str], bool]:
    """Return the lines that the runner takes for commands, and whether it takes any at the end."""
    commands, token = [], ""
    for line in lines:
        bare = line.strip()
        if token:
            token = "" if bare == f"::{token}::" else token
        elif bare.startswith("::stop-commands::"):
            token = bare.removeprefix("::stop-commands::")
        elif bare.startswith("::") or "##[" in bare:
            commands.append(bare)
    return commands, not token


def merged(seed: int, *streams: list[str]) -> list[str]:
    """Return the lines of all streams in an order in which they may be read."""
    order = [number for number, lines in enumerate(streams) for _ in lines]
    random.Random(seed).shuffle(order)
    waiting = [iter(lines) for lines in streams]
    return [next(waiting[number]) for number in order]


@pytest.fixture
def hostile(write: Callable[..., Path], process: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    """Run a spec whose names and operators look like commands, as a step of GitHub Actions."""
    write("loud.py", LOUD)
    write(HOSTILE, SPEC)
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(folder)}
    return lambda *words: process("run", HOSTILE, *words, env=environment)


def test_text_is_guarded_in_every_order_of_the_streams(hostile: Callable[..., Any]) -> None:
    ended = hostile("-v")
    assert ended.code == 1
    assert "\\u003a:error::file.grad.yaml  " in ended.out
    out, err = ended.out.splitlines(), ended.err.splitlines()
    for seed in range(300):
        commands, open_again = heard(merged(seed, out, err))
        assert [each.partition(",title=")[0] for each in commands] == ["::error file=loud.py,line=12"], f"seed {seed}"
        assert open_again, f"seed {seed}"


@pytest.mark.parametrize("name", ["json", "junit", "markdown"])
def test_formats_for_programs_are_no_commands_and_mean_the_same(hostile: Callable[..., Any], name: str) -> None:
    ended = hostile("--format", name, "--no-annotations")
    assert heard(ended.out.splitlines()) == ([], True)
    assert heard(ended.err.splitlines()) == ([], True)
    if name == "json":
        assert json.loads(ended.out)["cases"][0]["name"] == "::error::name"
    if name == "junit":
        (case,) = ElementTree.fromstring(ended.out).iter("testcase")
        assert "::error::name" in case.attrib["name"]


def test_annotations_on_standard_output_are_the_only_commands_in_every_order(hostile: Callable[..., Any]) -> None:
    ended = hostile("--format", "github")
    out, err = ended.out.splitlines(), ended.err.splitlines()
    commands, open_again = heard([*err, *out])  # as they are written
    assert [each.partition(",title=")[0] for each in commands] == ["::error file=loud.py,line=12"]
    assert open_again
    assert commands == out
    for seed in range(300):
        commands, open_again = heard(merged(seed, out, err))
        assert set(commands) <= set(out), f"seed {seed}"
        assert open_again, f"seed {seed}"  # what comes next in the step has commands, too


def test_what_was_printed_without_an_end_of_line_hides_no_token(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    with commands_stopped():
        sys.stderr.write("working...")
        annotate("::error file=a::wrong\n")
        sys.stderr.write("still working...")
    err = capsys.readouterr().err
    assert heard(err.splitlines()) == (["::error file=a::wrong"], True)


def test_elsewhere_nothing_is_added(capsys: pytest.CaptureFixture[str]) -> None:
    with commands_stopped():
        annotate("")
        say("::error::x")
    assert capsys.readouterr().err == "::error::x\n"
    assert workspace() == ""


def test_harmless_text_is_no_command_and_other_text_stays_as_it_is() -> None:
    lines = ["::a::", "  ::a", "\t::", "##[b]", "x ##[b", "a::b", "####[c]", ": :", "# [", "::", "\r::a::", ""]
    for parts in itertools.permutations(lines, 2):
        assert heard(harmless("\n".join(parts)).replace("\r", "\n").splitlines()) == ([], True)
    untouched = "a::b\n# [x]\n: :a\n"
    assert harmless(untouched) == untouched
    assert harmless("::b", fresh=False) == "::b"
    assert json.loads(harmless(json.dumps({"a": "##[x]\\##["}))) == {"a": "##[x]\\##["}


def test_the_summary_starts_on_a_line_of_its_own_and_knows_its_room(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert summary_room() == 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "s.md"))
    assert summary_room() == 1_000_000
    append_summary("one")
    append_summary("two\n")
    append_summary("three\n")
    assert (folder / "s.md").read_text() == "one\ntwo\nthree\n"
    assert summary_room() == 1_000_000 - len("one\ntwo\nthree\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "none" / "s.md"))
    append_summary("four")
    assert "the summary can't be written" in capsys.readouterr().err
