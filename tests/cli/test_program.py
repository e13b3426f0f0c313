"""The program as a group of commands: what is no command is answered with the one that was meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from gradcheck_cli.cli.commands import Commands
from gradcheck_cli.cli.main import app
from gradcheck_cli.cli.program import Program


def program() -> Any:
    """Return the command line as a tree of commands."""
    return typer.main.get_command(app)


def test_the_program_has_all_commands_in_their_order() -> None:
    assert isinstance(program(), Program)
    assert list(program().commands) == list(Commands())


@pytest.mark.parametrize("given", ["a.yaml", "A.YML", "a.grad.yaml::case::x", "folder", "folder::x", "é.yaml"])
def test_a_spec_in_the_place_of_a_command_is_answered_with_run(
    folder: Path, gradcheck: Callable[..., Any], given: str
) -> None:
    (folder / "folder").mkdir()
    ended = gradcheck(given)
    assert (ended.code, ended.out) == (2, "")
    assert f"To check it: gradcheck run {given}" in " ".join(ended.err.split())


@pytest.mark.parametrize("given", ["ran", "x.py", "run.yaml.txt", "::a.yaml"])
def test_anything_else_is_no_command(gradcheck: Callable[..., Any], given: str) -> None:
    ended = gradcheck(given)
    assert (ended.code, ended.out) == (2, "")
    assert f"No such command '{given}'" in " ".join(ended.err.split())
    assert "To check it" not in ended.err


def test_a_hostile_name_moves_no_cursor(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("\x1b[2J.yaml")
    assert ended.code == 2
    assert "\x1b" not in ended.err
    assert "\\x1b[2J.yaml" in ended.err


def test_a_broken_request_for_completions_ends_without_a_traceback(process: Callable[..., Any]) -> None:
    ended = process(env={"_PYTHON _M GRADCHECK_CLI_COMPLETE": "complete_zsh"})
    assert ended.code in (0, 1)
    assert "Traceback" not in ended.err
