"""Commands are made when they are asked for, one at a time, and all of them for `--help`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradcheck_cli.cli.commands import Commands
from gradcheck_cli.cli.program import Program

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", list(Commands()))
def test_every_command_is_made_under_its_name(name: str) -> None:
    command = Commands()[name]
    assert command.name == name
    assert command.help


def test_a_command_is_made_once() -> None:
    commands = Commands()
    assert commands["run"] is commands["run"]
    assert commands.get("rum") is None
    assert "rum" not in commands


def test_the_program_knows_all_commands() -> None:
    program = Program(name="gradcheck")
    assert program.list_commands(None) == list(Commands())
    assert program.get_command(None, "list-ops").name == "list-ops"
    assert len(program.commands) == len(list(Commands()))


def test_asking_for_one_command_imports_no_other() -> None:
    program = (
        "import sys; from gradcheck_cli.cli.commands import Commands; commands = Commands(); commands['list-ops']; "
        "names = [name.replace('-', '_') for name in commands]; "
        "print(*(name for name in names if f'gradcheck_cli.cli.{name}' in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["list_ops"]
