"""Variables of the environment mean the same without a command line as with one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import typer

from gradcheck_cli.cli.main import app
from gradcheck_cli.run.environment import read_environment
from gradcheck_cli.settings import Settings
from gradcheck_cli.settings_file import SettingsError

SET = Settings(ops=(Path("set.py"),), require_device=("cuda",), seed=4, strict=True, knobs={"rtol": 1e-3})


def test_an_empty_environment_leaves_what_is_set() -> None:
    environment = read_environment({"HOME": "/", "GRADCHECK_SEED": ""})
    options = environment.options(SET)
    assert (options.ops, options.require_devices, options.strict) == (SET.ops, ("cuda",), True)
    assert (options.seed, options.knobs, options.settings, environment.words) == (None, {}, SET, ())


def test_the_environment_goes_before_what_is_set() -> None:
    environment = read_environment(
        {
            "GRADCHECK_OPS": os.pathsep.join(["a.py", "b c.py"]),
            "GRADCHECK_SEED": "7",
            "GRADCHECK_STRICT": "no",
            "GRADCHECK_REQUIRE_DEVICE": "mps cpu",
            "GRADCHECK_RTOL": "1e-5",
            "GRADCHECK_SAMPLE": "3",
            "GRADCHECK_BUDGET": "none",
        }
    )
    options = environment.options(SET)
    assert options.ops == (Path("a.py"), Path("b c.py"))
    assert (options.seed, options.strict, options.require_devices) == (7, False, ("mps", "cpu"))
    assert options.knobs == {"rtol": 1e-5, "sample": 3, "budget": float("inf")}
    given = ("--ops", "a.py", "--ops", "b c.py", "--require-device", "mps", "--require-device", "cpu")
    assert environment.words == (*given, "--rtol", "1e-5", "--sample", "3", "--budget", "none")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("SEED", "-1", "seed should be a whole number, 0 or more, not '-1'"),
        ("SEED", "many", "seed should be a whole number, 0 or more, not 'many'"),
        ("STRICT", "perhaps", "strict should be true or false, not 'perhaps'"),
        ("RTOL", "tight", "rtol should be a number between 0 and 1, not 'tight'"),
        ("SAMPLE", "2.5", "sample should be a whole number of elements, 1 or more, not '2.5'"),
        ("TIMEOUT", "0", "timeout should be a positive number, not '0'"),
    ],
)
def test_what_makes_no_sense_is_said_with_its_name(name: str, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_environment({f"GRADCHECK_{name}": text, "GRADCHECK_EPS": "2"})
    assert len(caught.value.problems) == 2
    assert f"error: GRADCHECK_{name}: {said} [settings]" in str(caught.value)


def test_a_file_of_settings_can_be_named_or_left_alone(tmp_path: Path) -> None:
    near, named = tmp_path / "pyproject.toml", tmp_path / "other.toml"
    near.write_text("[tool.gradcheck]\nseed = 1\n")
    named.write_text("[tool.gradcheck]\nseed = 2\n")
    assert read_environment({}).settings_for(tmp_path).seed == 1
    assert read_environment({"GRADCHECK_CONFIG": str(named)}).settings_for(tmp_path).seed == 2
    assert read_environment({"GRADCHECK_ISOLATED": "1"}).settings_for(tmp_path) == Settings()
    with pytest.raises(SettingsError, match="leave one of them out"):
        read_environment({"GRADCHECK_ISOLATED": "1", "GRADCHECK_CONFIG": str(named)})


# What a run that has no output of its own, and no processes, has no use for.
FOR_THE_COMMAND_LINE = {"FORMAT", "REPORT", "COLOR", "JOBS"}


def test_every_variable_of_the_command_line_is_understood() -> None:
    command = typer.main.get_command(app).commands["run"]  # type: ignore[attr-defined]
    names = {each.envvar.removeprefix("GRADCHECK_") for each in command.params if each.envvar}
    understood = {name for name in names if told_apart(name)}
    assert names - understood == FOR_THE_COMMAND_LINE


def told_apart(name: str) -> bool:
    """Tell whether a variable makes a difference, be it by being refused."""
    try:
        return read_environment({f"GRADCHECK_{name}": "some text"}) != read_environment({})
    except SettingsError:
        return True
