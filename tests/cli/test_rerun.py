"""The line that runs a case again: what the project's settings give by themselves isn't repeated."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.cli.options import options_text
from gradcheck_cli.settings import Settings

Gradcheck = Callable[..., Any]
Write = Callable[[str, str], Path]

WRONG = '''
from gradcheck_cli import op

@op
def twice(x):
    """2 x."""
    return 2 * x

@twice.backward
def _(g):
    return 3 * g
'''
SPEC = "expr: twice(x)\nparams: {x: [0.5, 1.5]}\n"
SETTINGS = "[tool.gradcheck]\nops = ['my_ops.py']\nstrict = true\nrequire-device = ['cpu', 'gpu']\nseed = 4\n"


@pytest.fixture
def again(write: Write, gradcheck: Gradcheck) -> Callable[..., list[str]]:
    """Return the words of the line that runs the wrong case again."""
    write("my_ops.py", WRONG)
    write("a.grad.yaml", SPEC)

    def words(*arguments: str) -> list[str]:
        ended = gradcheck("run", "a.grad.yaml", *arguments)
        assert ended.code == 1, ended.err
        line = next(line for line in ended.out.splitlines() if line.startswith(" rerun "))
        said = shlex.split(line)[1:]
        repeated = gradcheck(*said[1:])
        assert repeated.code == 1, repeated.err
        assert line in repeated.out
        return said[3:]

    return words


def test_what_the_settings_give_is_left_out(write: Write, again: Callable[..., list[str]]) -> None:
    assert again("--ops", "my_ops.py", "--strict") == ["--seed", "0", "--ops", "my_ops.py", "--strict"]
    write("pyproject.toml", SETTINGS)
    assert again() == ["--seed", "4"]
    assert again("--strict", "--require-device", "cpu", "--require-device", "gpu") == ["--seed", "4"]


def test_what_the_command_line_says_otherwise_is_kept(write: Write, again: Callable[..., list[str]]) -> None:
    write("pyproject.toml", SETTINGS + "[tool.gradcheck.check]\nrtol = 1e-6\n")
    write("other_ops.py", WRONG)
    given = ["--ops", "other_ops.py", "--rtol", "1e-06", "--require-device", "cpu"]
    assert again("--seed", "5", *given) == ["--seed", "5", *given]


def test_settings_that_are_not_found_are_named(write: Write, again: Callable[..., list[str]]) -> None:
    write("ci.toml", SETTINGS)
    assert again("--config", "ci.toml") == ["--seed", "4", "--config", "ci.toml"]
    write("pyproject.toml", SETTINGS)
    assert again("--config", "pyproject.toml") == ["--seed", "4"]
    assert again("--isolated", "--ops", "my_ops.py") == ["--seed", "0", "--ops", "my_ops.py", "--isolated"]


def test_settings_that_could_not_be_read_are_not_those_that_were_used(folder: Path, write: Write) -> None:
    write("pyproject.toml", "[tool.gradcheck]\nsede = 3\n")
    assert options_text({}, (), False, (), Settings()) == ("--isolated",)


def test_without_settings_nothing_is_left_out() -> None:
    words = options_text({"budget": float("inf"), "sample": 7}, (Path("a.py"),), True, ("cpu",))
    assert words == ("--ops", "a.py", "--budget", "none", "--sample", "7", "--require-device", "cpu", "--strict")
