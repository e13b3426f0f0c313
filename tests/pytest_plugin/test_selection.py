"""Which cases run: by keyword, tag, marker and last failure, and what the settings of a project say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pytest_plugin.conftest import Project

Write = Callable[[str, str], Path]

TANH = "expr: tanh(x)\nparams: {x: 3}\n"
TAGGED = """
    params: {x: 3}
    cases:
      - {name: quick one, expr: tanh(x), tags: fast}
      - {name: wrong, expr: tanh(x), expect: fail, tags: [slow, nightly-run]}
      - {name: odd, expr: tanh(x), tags: [skip, usefixtures, _private, "a:b", slow]}
"""
QUICK, WRONG, ODD = (f"a.grad.yaml::{name}" for name in ("quick one", "wrong", "odd"))
PYTEST = "[tool.pytest.ini_options]\n"


def test_tags_select_by_keyword_and_by_marker(project: Project, write: Write) -> None:
    write("a.grad.yaml", TAGGED)
    strict = ("--strict-markers", "-W", "error")
    assert project.pytest(*strict).tests == {QUICK: "passed", WRONG: "failed", ODD: "passed"}
    assert project.pytest(*strict, "-m", "slow and not nightly-run").tests == {ODD: "passed"}
    assert project.pytest(*strict, "-k", "fast or quick").tests == {QUICK: "passed"}
    assert project.pytest(*strict, "-k", "usefixtures and not wrong").tests == {ODD: "passed"}


def test_the_last_failure_runs_again_alone(project: Project, write: Write) -> None:
    write("a.grad.yaml", TAGGED.replace("name: wrong", 'name: "wrong [a::b] λ"'))
    first = project.pytest()
    failed = {name: outcome for name, outcome in first.tests.items() if outcome == "failed"}
    assert list(failed) == ["a.grad.yaml::wrong [a::b] λ"]
    assert project.pytest("--lf").tests == failed
    assert project.pytest("--lf", "-n", "2").tests == failed


def test_settings_say_which_files_are_specs(project: Project, write: Write) -> None:
    write("pyproject.toml", f'{PYTEST}[tool.gradcheck]\ninclude = ["*.gradient"]\nexclude = ["old", "draft.*"]\n')
    for name in ("a.gradient", "deep/b.gradient", "deep/draft.gradient", "old/c.gradient", "d.grad.yaml"):
        write(name, TANH)
    write("old/test_old.py", "def test_old(): pass\n")
    walked = project.pytest().tests
    assert set(walked) == {"a.gradient::a.gradient", "deep/b.gradient::b.gradient", "old/test_old.py::test_old"}
    named = project.pytest("deep/draft.gradient", "d.grad.yaml", "old").tests
    assert set(named) == {
        "deep/draft.gradient::draft.gradient",
        "d.grad.yaml::d",
        "old/c.gradient::c.gradient",
        "old/test_old.py::test_old",
    }


def test_settings_hold_for_the_specs_below_them(project: Project, write: Write) -> None:
    write(
        "near/my_ops.py",
        "from gradcheck_cli import op\n\n@op\ndef same(x):\n    return x\n\n@same.backward\ndef _(g):\n    return g\n",
    )
    write(
        "near/pyproject.toml",
        '[tool.gradcheck]\nops = "my_ops.py"\nseed = 5\nstrict = true\ncheck = {kinks = "fail"}\n',
    )
    write("near/a.grad.yaml", "params: {x: 3}\ncases: [{name: same, expr: same(x)}, {name: kink, expr: relu(x - x)}]\n")
    write("far/a.grad.yaml", "params: {x: 3}\ncases: [{name: kink, expr: relu(x - x)}]\n")
    write("far/b.grad.yaml", "params: {x: 3}\ncases: [{name: same, expr: same(x)}]\n")
    ran = project.pytest("--continue-on-collection-errors", "-rP")
    assert ran.tests == {
        "far/a.grad.yaml::kink": "passed",
        "near/a.grad.yaml::kink": "failed",
        "near/a.grad.yaml::same": "passed",
    }
    assert "unknown operator 'same'" in ran.out
    command = next(line for line in ran.out.splitlines() if line.startswith(" rerun "))
    assert command == " rerun    gradcheck run near/a.grad.yaml::kink::x --seed 5 --config near/pyproject.toml"
    assert project.gradcheck(*command.split()[2:]).returncode == 1


def test_wrong_settings_are_said_once_and_in_words(project: Project, write: Write) -> None:
    write("pyproject.toml", f"{PYTEST}[tool.gradcheck]\nsed = 3\n")
    write("specs/a.grad.yaml", TANH)
    write("test_plain.py", "def test_plain(): pass\n")
    ran = project.pytest()
    assert ran.status == pytest.ExitCode.INTERRUPTED
    assert ran.out.count("pyproject.toml:3:1: error: unknown key 'sed' [settings]\n  sed = 3\n  ^\n  hint:") == 1
    assert "Traceback" not in ran.out
    assert "pytest_plugin.py" not in ran.out


def test_the_environment_goes_before_settings(project: Project, write: Write) -> None:
    write("pyproject.toml", f"{PYTEST}[tool.gradcheck]\nseed = 5\n")
    write("a.grad.yaml", "params: {x: 3}\ncases: [{name: kink, expr: relu(x - x)}]\n")
    write("other.toml", '[tool.gradcheck]\ninclude = "*.yaml"\n')
    strict = project.pytest(GRADCHECK_STRICT="1", GRADCHECK_SEED="8", GRADCHECK_SAMPLE="1")
    assert strict.tests == {"a.grad.yaml::kink": "failed"}
    assert " rerun    gradcheck run a.grad.yaml::kink::x --seed 8 --strict --sample 1\n" in strict.out
    write("b.yaml", TANH)
    assert len(project.pytest(GRADCHECK_CONFIG="other.toml").tests) == 2
    wrong = project.pytest(GRADCHECK_SEED="many")
    assert "error: GRADCHECK_SEED: seed should be a whole number, 0 or more, not 'many' [settings]\n" in wrong.out
    assert "Traceback" not in wrong.out
