"""Where a value comes from: an option, the environment, the spec, the project's settings, the default."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPEC = "expr: tanh(x)\nparams: {x: [0.5, 1.5]}\n"

OWN = '''
from gradcheck_cli import op

@op
def twice(x):
    """2 x."""
    return 2 * x

@twice.backward
def _(g):
    return 2 * g
'''

Gradcheck = Callable[..., Any]
Write = Callable[[str, str], Path]


def seed_of(ended: Any) -> int:
    (case,) = ended.json["cases"]
    return int(case["seed"])


def test_an_option_goes_before_the_environment_the_spec_and_the_settings(
    write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("run", "a.grad.yaml", "--format", "json")
    write("a.grad.yaml", SPEC)
    assert seed_of(gradcheck(*line)) == 0
    write("pyproject.toml", "[tool.gradcheck]\nseed = 1\n")
    assert seed_of(gradcheck(*line)) == 1
    write("a.grad.yaml", SPEC + "seed: 2\n")
    assert seed_of(gradcheck(*line)) == 2
    monkeypatch.setenv("GRADCHECK_SEED", "3")
    assert seed_of(gradcheck(*line)) == 3
    assert seed_of(gradcheck(*line, "--seed", "4")) == 4


def test_knobs_have_the_same_order(write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch) -> None:
    def checked() -> int:
        (case,) = gradcheck("run", "a.grad.yaml", "--format", "json").json["cases"]
        return int(case["parameters"][0]["checked"])

    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 4 5}\n")
    assert checked() == 20
    write("pyproject.toml", "[tool.gradcheck.check]\nsample = 7\n")
    assert checked() == 7
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 4 5}\ncheck: {sample: 5}\n")
    assert checked() == 5
    monkeypatch.setenv("GRADCHECK_SAMPLE", "3")
    assert checked() == 3


def test_without_paths_those_of_the_settings_are_checked(
    folder: Path, write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("pyproject.toml", "[tool.gradcheck]\npaths = ['specs']\ninclude = ['*.check.yaml']\nexclude = ['old']\n")
    write("specs/a.check.yaml", SPEC)
    write("specs/old/b.check.yaml", SPEC)
    write("specs/c.grad.yaml", SPEC)
    write("d.check.yaml", SPEC)
    assert gradcheck("run", "--list").out == "specs/a.check.yaml::a.check\n"
    assert gradcheck("run", "--list", ".").out == "d.check.yaml::d.check\nspecs/a.check.yaml::a.check\n"
    assert gradcheck("run", "--list", "specs/c.grad.yaml").out == "specs/c.grad.yaml::c\n"  # named, so it is taken
    monkeypatch.chdir(folder / "specs" / "old")
    assert gradcheck("run", "--list").out == "../a.check.yaml::a.check\n"


def test_isolated_takes_no_notice_of_settings(
    write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.grad.yaml", SPEC)
    write("pyproject.toml", "[tool.gradcheck]\nseed = 'wrong'\n")
    assert gradcheck("run").code == 2
    assert seed_of(gradcheck("run", "--isolated", "--format", "json")) == 0
    monkeypatch.setenv("GRADCHECK_ISOLATED", "1")
    assert seed_of(gradcheck("run", "--format", "json")) == 0


def test_a_file_of_settings_can_be_named(write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.grad.yaml", SPEC)
    write("pyproject.toml", "[tool.gradcheck]\nseed = 1\n")
    write("ci/settings.toml", "[tool.gradcheck]\nseed = 8\n")
    line = ("run", "a.grad.yaml", "--format", "json")
    assert seed_of(gradcheck(*line, "--config", "ci/settings.toml")) == 8
    monkeypatch.setenv("GRADCHECK_CONFIG", "ci/settings.toml")
    assert seed_of(gradcheck(*line)) == 8


@pytest.mark.parametrize("order", [("--isolated", "--config", "a.toml"), ("--config", "a.toml", "--isolated")])
def test_no_settings_and_named_settings_contradict(write: Write, gradcheck: Gradcheck, order: tuple[str, ...]) -> None:
    write("a.toml", "[tool.gradcheck]\n")
    ended = gradcheck("run", *order)
    assert (ended.code, ended.out) == (2, "")
    assert "leave one of them out" in ended.err


@pytest.mark.parametrize("command", [("run",), ("check-ops",), ("list-ops",), ("show-op", "tanh"), ("graph", "a.yaml")])
def test_wrong_settings_are_said_by_every_command_that_reads_them(
    write: Write, gradcheck: Gradcheck, command: tuple[str, ...]
) -> None:
    write("a.yaml", SPEC)
    write("pyproject.toml", "[tool.gradcheck]\njbs = 2\n")
    ended = gradcheck(*command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "pyproject.toml:2:1: error: unknown key 'jbs' [settings]\n  jbs = 2\n  ^\n  hint: did you mean 'jobs'?\n"
    )


def test_operator_files_of_the_settings_hold_for_every_command(
    folder: Path, write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("own.py", OWN)
    write("deep/a.grad.yaml", "expr: twice(x)\nparams: {x: 3}\n")
    write("pyproject.toml", "[tool.gradcheck]\nops = 'own.py'\n")
    monkeypatch.chdir(folder / "deep")
    assert gradcheck("run").code == 0
    assert "own.py" in gradcheck("show-op", "twice").out
    assert "twice" in gradcheck("list-ops").out
    checked = gradcheck("check-ops", "--format", "json").json
    assert [each["name"] for each in checked["operators"]] == ["twice"]
    assert gradcheck("graph", "a.grad.yaml").code == 0
    assert gradcheck("run", "--isolated").code == 2


def test_strictness_and_colour_can_be_set(write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.grad.yaml", "expr: abs(x)\nparams: {x: [0.0]}\n")
    assert gradcheck("run").code == 0
    write("pyproject.toml", "[tool.gradcheck]\nstrict = true\ncolor = 'always'\n")
    ended = gradcheck("run")
    assert ended.code == 1
    assert "\x1b[" in ended.out
    assert "\x1b[" not in gradcheck("run", "--color", "never").out
    monkeypatch.setenv("GRADCHECK_COLOR", "never")
    assert "\x1b[" not in gradcheck("run").out


def test_a_wrong_variable_is_a_usage_error_that_names_it(
    write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.grad.yaml", SPEC)
    monkeypatch.setenv("GRADCHECK_RTOL", "7")
    ended = gradcheck("run")
    assert (ended.code, ended.out) == (2, "")
    assert "GRADCHECK_RTOL" in ended.err
    assert "rtol should be a number between 0 and 1" in ended.err


def test_check_ops_takes_the_knobs_that_it_has(write: Write, gradcheck: Gradcheck) -> None:
    write("pyproject.toml", "[tool.gradcheck]\nseed = 5\n[tool.gradcheck.check]\nrtol = 1e-5\nsample = 3\n")
    assert gradcheck("check-ops", "tanh", "--format", "json").json["seed"] == 5
    assert gradcheck("check-ops", "tanh", "--format", "json", "--seed", "6").json["seed"] == 6


def test_a_flag_goes_before_a_variable_that_says_otherwise(
    write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.grad.yaml", SPEC)
    write("eight.toml", "[tool.gradcheck]\nseed = 8\n")
    line = ("run", "a.grad.yaml", "--format", "json")
    with monkeypatch.context() as patch:
        patch.setenv("GRADCHECK_ISOLATED", "1")
        assert seed_of(gradcheck(*line, "--config", "eight.toml")) == 8
    with monkeypatch.context() as patch:
        patch.setenv("GRADCHECK_CONFIG", "missing.toml")
        assert gradcheck(*line).code == 2
        assert seed_of(gradcheck(*line, "--isolated")) == 0
    monkeypatch.setenv("GRADCHECK_ISOLATED", "1")
    monkeypatch.setenv("GRADCHECK_CONFIG", "eight.toml")
    ended = gradcheck(*line)
    assert (ended.code, ended.out) == (2, "")
    assert "leave one of them out" in " ".join(ended.err.split())
    monkeypatch.setenv("GRADCHECK_ISOLATED", "0")
    assert seed_of(gradcheck(*line)) == 8


@pytest.mark.parametrize("command", [("list-ops", "tanh"), ("show-op", "tanh"), ("explain", "GC203")])
def test_the_format_of_runs_is_that_of_no_other_command(
    gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    plain = gradcheck(*command).out
    for name in ("junit", "json"):
        monkeypatch.setenv("GRADCHECK_FORMAT", name)
        ended = gradcheck(*command)
        assert (ended.code, ended.out) == (0, plain)


def test_variables_that_hold_several_values(
    folder: Path, write: Write, gradcheck: Gradcheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.grad.yaml", "expr: twice(thrice(x))\nparams: {x: 3}\n")
    write("own.py", OWN)
    write("more ops.py", OWN.replace("twice", "thrice"))
    monkeypatch.setenv("GRADCHECK_OPS", os.pathsep.join(["own.py", "more ops.py"]))
    monkeypatch.setenv("GRADCHECK_REPORT", "junit=a.xml 'json=my report.json' markdown=\"b c.md\"")
    assert gradcheck("run", "a.grad.yaml").code == 0
    assert {"a.xml", "my report.json", "b c.md"} <= {path.name for path in folder.iterdir()}
    monkeypatch.setenv("GRADCHECK_REPORT", "junit='a.xml")
    ended = gradcheck("run", "a.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "GRADCHECK_REPORT: no closing quotation" in " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("setting", "command", "said"),
    [
        ("report = ['jsn=a']", ("run",), "report: 'jsn=a' should be FORMAT=PATH"),
        ("report = ['json=a', 'junit=./a']", ("run",), "report: two reports would go to one file"),
        ("ops = 'own.py'", ("run", "--data-only"), "--data-only refuses the operator files of ops"),
        ("ops = 'own.py'", ("graph", "a.grad.yaml", "--data-only"), "--data-only refuses the operator files of ops"),
        ("paths = 'specs'", ("run",), "paths: no such file or folder: 'specs'"),
        ("ops = 'none.py'", ("run",), "ops: no operator file '"),
        ("ops = 'none.py'", ("check-ops",), "ops: no operator file '"),
        ("ops = 'none.py'", ("list-ops",), "ops: no operator file '"),
    ],
)
def test_what_settings_ask_for_wrongly_is_said_with_their_file(
    write: Write, gradcheck: Gradcheck, setting: str, command: tuple[str, ...], said: str
) -> None:
    write("a.grad.yaml", SPEC)
    write("own.py", OWN)
    write("pyproject.toml", f"[tool.gradcheck]\n{setting}\n")
    ended = gradcheck(*command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("pyproject.toml: error: ")
    assert said in ended.err


def test_what_is_missing_on_the_command_line_is_no_fault_of_the_settings(write: Write, gradcheck: Gradcheck) -> None:
    write("pyproject.toml", "[tool.gradcheck]\npaths = 'specs'\n")
    assert gradcheck("run", "spec").err.startswith("error: no such file or folder: 'spec'")
