"""What docs/editor.md tells people to write is right."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from jsonschema import Draft7Validator

from gradcheck_cli.cli.main import app
from gradcheck_cli.spec.json_schema import spec_schema
from tests.references.commands import commands
from tests.references.pages import DOCS
from tests.scratch import ROOT, Scratch
from tests.spec.spec_texts import documents_of

TEXT = (DOCS / "editor.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return what the page shows in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def lines() -> list[str]:
    """Return every call of the program on the page."""
    found = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("gradcheck")]
    return found + re.findall(r"`(gradcheck [^`]*)`", TEXT)


def words_of(line: str) -> list[str]:
    """Return the words of a call, without where its output goes; one that is being completed has an open end."""
    words = line.partition(" >")[0]
    if "<TAB>" in line:
        words = line.replace("<TAB>", "")
        words += "'" * (words.count("'") % 2)
    return shlex.split(words)


@pytest.mark.parametrize("line", lines())
def test_a_call_on_the_page_has_commands_and_options_that_there_are(line: str) -> None:
    tree: Any = typer.main.get_command(app)
    words = words_of(line)[1:]
    found = commands(tree)
    command = tree if words[0].startswith("-") else found.get(" ".join(words[:2])) or found[words[0]]
    options = {name for each in command.params for name in each.opts}
    assert {word for word in words if word.startswith("-")} <= options


RUNNABLE = [line for line in blocks("sh") for line in line.splitlines() if "--install-completion" not in line]
RUNNABLE += [line for line in lines() if line == "gradcheck schema --operators"]


@pytest.fixture
def project(tmp_path: Path) -> Scratch:
    """A project with specs in their folder, and a program that is started as people start it."""
    scratch = Scratch(tmp_path)
    scratch.write("specs/a.grad.yaml", "cases: [{expr: tanh(x)}]\nparams: {x: 2 3}\n")
    scratch.write("specs/b.grad.yaml", "cases: [{expr: exp(x), tags: gpu}]\nparams: {x: [1, 2]}\n")
    start = "import sys; sys.argv[0] = 'gradcheck'; from gradcheck_cli.cli.main import main; main()"
    scratch.program("gradcheck", f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -c "{start}" "$@"')
    module = f'exec "{sys.executable}" -m check_jsonschema "$@"'
    scratch.program("check-jsonschema", module)
    return scratch


def run(project: Scratch, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line in the project, as a shell does."""
    assert shutil.which("sh") is not None
    return project.run(["sh", "-c", line])


def test_there_are_lines_to_run() -> None:
    assert len(RUNNABLE) == 3
    assert "gradcheck schema > gradcheck.schema.json" in RUNNABLE


@pytest.mark.parametrize("line", RUNNABLE)
def test_a_line_of_the_page_runs(project: Scratch, line: str) -> None:
    if line.startswith("check-jsonschema"):
        pytest.importorskip("check_jsonschema", reason="check-jsonschema is one of the dev dependencies")
    schema = project.folder / "gradcheck.schema.json"
    assert run(project, "gradcheck schema > gradcheck.schema.json").returncode == 0
    assert json.loads(schema.read_text("utf-8")) == spec_schema()
    done = run(project, line)
    assert done.returncode == 0, done.stdout
    if line.startswith("check-jsonschema"):
        project.write("specs/bad.grad.yaml", "expr: tanh(x)\nparms: {x: 2 3}\n")
        done = run(project, line)
        assert done.returncode == 1
        assert "parms" in done.stdout


OFFERED = {
    "gradcheck show-op lo<TAB>": "log_softmax",
    "gradcheck new spec a --op lo<TAB>": "log_softmax",
    "gradcheck explain missing<TAB>": "missing-term",
    "gradcheck run specs/a.grad.yaml::<TAB>": "specs/a.grad.yaml::tanh(x)",
    "gradcheck graph specs/a.grad.yaml --case <TAB>": "tanh(x)",
    "gradcheck run specs --tag 'slow and g<TAB>": "slow and gpu",
    "gradcheck run --report h<TAB>": "html=",
    "gradcheck run --format <TAB>": "junit",
}


def test_every_line_of_the_table_is_known() -> None:
    assert [line for line in lines() if "<TAB>" in line] == list(OFFERED)


@pytest.mark.parametrize("line", OFFERED)
def test_what_the_table_says_is_offered(project: Scratch, line: str) -> None:
    words = words_of(line) + [""] * line.endswith(" <TAB>")
    variables = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    program = project.run(["gradcheck"], {"_GRADCHECK_COMPLETE": "complete_bash", **variables})
    offered = [re.sub(r"\\(.)", r"\1", each) for each in program.stdout.splitlines()]
    assert any(OFFERED[line] in each for each in offered), program.stdout


def test_settings_are_json_and_name_one_file() -> None:
    (settings,) = map(json.loads, blocks("json"))
    assert settings["yaml.schemas"] == {"./gradcheck.schema.json": ["*.grad.yaml"]}
    assert len(re.findall(r"gradcheck\.schema\.json", TEXT)) > 4


def test_the_spec_with_the_comment_is_right() -> None:
    (spec,) = blocks("yaml")
    assert spec.startswith("# yaml-language-server: $schema=")
    (document,) = documents_of(spec)
    assert list(Draft7Validator(spec_schema()).iter_errors(document)) == []
