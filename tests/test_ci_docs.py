"""docs/ci.md: its recipes are read by the programs that they are for, and name only what there is."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.main import app
from gradcheck_cli.settings_file import settings_in
from tests.scratch import OPERATOR, ROOT, SPEC, WRONG_OPERATOR, Scratch, run_module

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
INPUTS: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = "OWNER/gradcheck@"


@dataclass(frozen=True)
class Block:
    """A fenced block of the page: its language, the file that it is, its text."""

    language: str
    file: str
    text: str


BLOCKS = [
    Block(*found) for found in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
]
WORKFLOWS = [block for block in BLOCKS if block.file.startswith(".github/workflows/")]
PRE_COMMIT = [block for block in BLOCKS if block.file == ".pre-commit-config.yaml"]


def named(file: str) -> Block:
    (block,) = (block for block in BLOCKS if block.file == file)
    return block


def table(heading: str) -> list[list[str]]:
    """Return the cells of the table whose first column has this heading."""
    rows = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, flags=re.MULTILINE)
    assert rows is not None, heading
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1].splitlines()]


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in parsed YAML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts_in(part)


def steps(document: Any) -> list[dict[str, Any]]:
    """Return the steps of a workflow, or of a piece of one."""
    if isinstance(document, list):
        return document
    return [step for job in document["jobs"].values() for step in job["steps"]]


@cache
def options_of(command: str) -> frozenset[str]:
    """Return the options that a command has, those of its short forms included."""
    found = get_command(app).commands[command]  # type: ignore[attr-defined]
    return frozenset(name for each in found.params for name in (*each.opts, *each.secondary_opts))


def wrong_options(command: str, words: list[str]) -> list[str]:
    return [word for word in words if re.match("--?[a-z]", word) and word.partition("=")[0] not in options_of(command)]


def commands_in(text: str) -> list[list[str]]:
    """Return the words of every gradcheck command line in a text, after `gradcheck`."""
    plain = re.sub(r"\$\{\{.*?\}\}", "1", text)
    lines = re.findall(r"^[^`#\n]*?\bgradcheck ((?:run|check-ops)\b[^\n`]*)", plain, flags=re.MULTILINE)
    lines += re.findall(r"`[^`\n]*?\bgradcheck ((?:run|check-ops)\b[^`\n]*)`", plain)
    return [shlex.split(re.sub(r"\{posargs:(.*)\}", r"\1", line)) for line in lines]


def test_the_page_has_what_it_promises() -> None:
    assert len(WORKFLOWS) == 4
    assert len(PRE_COMMIT) == 2
    assert {".gitlab-ci.yml", "Makefile", "tox.ini", "noxfile.py", "pyproject.toml"} <= {block.file for block in BLOCKS}
    assert PAGE.count("```") == 2 * len(BLOCKS)


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == "yaml"], ids=lambda block: block.file)
def test_yaml_is_yaml(block: Block) -> None:
    assert yaml.safe_load(block.text)


def test_every_command_has_the_options_that_the_page_gives_it() -> None:
    commands = commands_in(PAGE)
    assert len(commands) == 8
    assert [(words, wrong) for words in commands if (wrong := wrong_options(words[0], words[1:]))] == []
    assert wrong_options("run", ["-j", "auto", "--shards", "1/3"]) == ["--shards"]


def test_every_option_in_a_sentence_is_one() -> None:
    known = options_of("run") | options_of("check-ops")
    sentences = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    found = {word for code in re.findall("`([^`]+)`", sentences) for word in code.split() if word.startswith("--")}
    assert len(found) >= 8
    assert {word.partition("=")[0] for word in found} - known == set()


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if f"uses: {ACTION}" in block.text], ids=lambda block: block.file
)
def test_the_action_is_given_inputs_and_options_that_it_has(block: Block) -> None:
    used = [step for step in steps(yaml.safe_load(block.text)) if step.get("uses", "").startswith(ACTION)]
    assert used
    for step in used:
        given = step["with"]
        assert set(given) <= set(INPUTS)
        arguments = re.sub(r"\$\{\{.*?\}\}", "1", given.get("args", ""))
        assert wrong_options(given.get("command", "run"), shlex.split(arguments)) == []


def test_the_table_of_inputs_is_that_of_the_action() -> None:
    rows = {name.strip("`"): default.strip("`") for name, default, _ in table("input")}
    assert rows == {name: each.get("default", "") for name, each in INPUTS.items()}
    for name, _, meaning in table("input"):
        first = re.sub("[`.]", "", INPUTS[name.strip("`")]["description"]).lower()
        assert re.sub("[`.]", "", meaning).lower() == first, name


def test_the_table_of_exit_codes_is_complete() -> None:
    assert [int(code) for code, *_ in table("exit code")] == [code.value for code in ExitCode]


def test_the_table_of_hooks_is_complete() -> None:
    assert [name.strip("`") for name, *_ in table("hook")] == [hook["id"] for hook in HOOKS]


def test_the_settings_are_settings(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(named("pyproject.toml").text, encoding="utf-8")
    settings = settings_in(file)
    assert (settings.jobs, settings.strict, settings.knobs) == ("auto", True, {"timeout": 120})


@pytest.mark.parametrize("block", [*WORKFLOWS, named(".gitlab-ci.yml")], ids=lambda block: block.file)
def test_a_recipe_meets_the_schema_of_the_service(tmp_path: Path, block: Block) -> None:
    pytest.importorskip(
        "check_jsonschema", reason="check-jsonschema is not installed (it is one of the dev dependencies)"
    )
    file = tmp_path / Path(block.file).name
    schema = "vendor.gitlab-ci" if "gitlab" in block.file else "vendor.github-workflows"
    for text, status in ((block.text, 0), (block.text.replace("gradients:", "gradients: 7 #"), 1)):
        file.write_text(text, encoding="utf-8")
        done = run_module("check_jsonschema", "--builtin-schema", schema, file)
        assert done.returncode == status, done.stdout


@pytest.mark.parametrize("block", WORKFLOWS, ids=lambda block: block.file)
def test_workflows_ask_for_few_rights_and_pin_their_actions(block: Block) -> None:
    document = yaml.safe_load(block.text)
    assert document["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in document["jobs"].values())
    used = [step["uses"] for step in steps(document) if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z/-]+@v\d+|OWNER/gradcheck@v[\d.]+", each) for each in used)
    # Numbers of the runner's and words of ours, nothing that somebody else may write.
    expressions = {each for text in texts_in(document) for each in re.findall(r"\$\{\{ (.*?) \}\}", text)}
    assert all(re.fullmatch(r"matrix\.\w+|github\.run_(id|attempt)( > 1 && .*)?", each) for each in expressions)


@pytest.mark.parametrize("block", PRE_COMMIT, ids=["local", "ours"])
def test_a_configuration_of_pre_commit_is_valid(tmp_path: Path, block: Block) -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed (it is one of the dev dependencies)")
    file = tmp_path / ".pre-commit-config.yaml"
    file.write_text(block.text, encoding="utf-8")
    done = run_module("pre_commit", "validate-config", file)
    assert done.returncode == 0, done.stdout
    ours = [hook for repo in yaml.safe_load(block.text)["repos"] if repo["repo"] != "local" for hook in repo["hooks"]]
    assert {hook["id"] for hook in ours} <= {hook["id"] for hook in HOOKS}


def test_make_fails_on_a_wrong_operator_and_passes_on_a_right_one(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    scratch = Scratch(tmp_path)
    scratch.write("Makefile", named("Makefile").text)
    scratch.write("softsign.grad.yaml", SPEC)
    scratch.write("my_ops.py", OPERATOR)
    done = scratch.run(["make", "gradients"])
    assert done.returncode == 0, done.stdout
    scratch.write("my_ops.py", WRONG_OPERATOR)
    done = scratch.run(["make", "gradients"])
    assert done.returncode != 0
    assert "GC201 sign-flipped" in done.stdout
    assert re.search(r"gradients\] Error 1$", done.stdout, flags=re.MULTILINE)


def test_tox_and_nox_get_files_that_they_can_read() -> None:
    parser = configparser.ConfigParser()
    parser.read_string(named("tox.ini").text)
    assert parser["testenv:gradients"]["commands"] == "gradcheck run {posargs:-j auto}"
    compile(named("noxfile.py").text, "noxfile.py", "exec")


def test_one_version_stands_in_all_recipes() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert set(re.findall(r"OWNER/gradcheck@v([\d.]+)|rev: v([\d.]+)", PAGE)) == {(version, ""), ("", version)}
