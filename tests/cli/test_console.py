"""Colour: when it is used, and that nothing but words carries meaning."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli.choices import Color
from gradcheck_cli.cli.console import is_colored, make_console

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


# The option, the environment, and whether there is colour in a file and on a terminal.
WAYS = [
    ("auto", {}, False, True),
    ("always", {}, True, True),
    ("never", {}, False, False),
    ("auto", {"NO_COLOR": "1"}, False, False),
    ("auto", {"NO_COLOR": ""}, False, True),
    ("always", {"NO_COLOR": "1"}, True, True),
    ("auto", {"FORCE_COLOR": "1"}, True, True),
    ("auto", {"FORCE_COLOR": "3"}, True, True),
    ("auto", {"FORCE_COLOR": "0"}, False, False),
    ("auto", {"FORCE_COLOR": ""}, False, True),
    ("never", {"FORCE_COLOR": "1"}, False, False),
    ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ("auto", {"TERM": "dumb"}, False, False),
    ("auto", {"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
    ("always", {"TERM": "dumb"}, True, True),
    ("auto", {"TTY_COMPATIBLE": "1", "GITHUB_ACTIONS": "true"}, False, True),
]


@pytest.mark.parametrize(("option", "variables", "in_a_file", "on_a_terminal"), WAYS)
def test_colour_follows_option_then_environment_then_stream(
    monkeypatch: pytest.MonkeyPatch, option: str, variables: dict[str, str], in_a_file: bool, on_a_terminal: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for stream, colored in ((io.StringIO(), in_a_file), (Terminal(), on_a_terminal)):
        make_console(stream, Color(option)).print("word", style="bold red")
        assert bool(ESCAPE.search(stream.getvalue())) == colored
        assert is_colored(stream, Color(option)) == colored
        assert ESCAPE.sub("", stream.getvalue()) == "word\n"


def test_names_are_no_markup() -> None:
    stream = io.StringIO()
    make_console(stream, Color.ALWAYS).print("[red]:smile: 12[/red]")
    assert stream.getvalue() == "[red]:smile: 12[/red]\n"


SPEC = """
params: {x: [0.5, 1.5]}
cases:
  - {name: right, expr: tanh(x)}
  - {name: "[bold]wrong[/bold]", expr: exp(x), expect: fail}
"""


def test_off_a_terminal_there_are_no_escapes(write: Callable[..., Path], process: Callable[..., Any]) -> None:
    write("a.grad.yaml", SPEC)
    for arguments in (["--sweep", "-v"], ["--format", "json"]):
        ended = process("run", "a.grad.yaml", *arguments, env={"TERM": "xterm-256color"})
        assert ended.code == 1
        assert "\x1b" not in ended.out + ended.err


def test_colour_only_repeats_what_a_word_says(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", SPEC)
    plain = gradcheck("run", "a.grad.yaml", "--color", "never").out
    colored = gradcheck("run", "a.grad.yaml", "--color", "always").out
    assert ESCAPE.search(colored)

    def words(text: str) -> str:
        return re.sub(r"in \d+\.\d+ s", "", ESCAPE.sub("", text))

    assert words(colored) == words(plain)
    assert "[bold]wrong[/bold]" in plain


def test_nothing_is_cut_off_a_terminal(write: Callable[..., Path], process: Callable[..., Any]) -> None:
    name = "a long name " * 16
    write("a.grad.yaml", f"name: {name.strip()}\nexpr: tanh(x)\nparams: {{x: 3}}\nexpect: fail\n")
    ended = process("run", "a.grad.yaml", env={"COLUMNS": "40"})
    assert f"a.grad.yaml  {name.strip()}\n" in ended.out


def test_json_has_no_colour_even_if_it_is_forced(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", SPEC)
    ended = gradcheck("run", "a.grad.yaml", "--format", "json", "--color", "always")
    assert ended.verdicts == {"right": "pass", "[bold]wrong[/bold]": "pass"}
