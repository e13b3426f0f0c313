"""What docs/editor.md tells people to write is right."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest
import typer
from jsonschema import Draft7Validator

from gradcheck_cli.cli.main import app
from gradcheck_cli.spec.json_schema import spec_schema
from tests.references.pages import DOCS
from tests.spec.spec_texts import documents_of

TEXT = (DOCS / "editor.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return what the page shows in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def lines() -> list[str]:
    """Return every call of the program on the page."""
    found = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("gradcheck")]
    return found + re.findall(r"`(gradcheck [^`]*)`", TEXT)


@pytest.mark.parametrize("line", lines())
def test_a_call_on_the_page_has_commands_and_options_that_there_are(line: str) -> None:
    tree: Any = typer.main.get_command(app)
    words = shlex.split(line.replace("<TAB>", "").partition(" >")[0])[1:]
    command = tree if words[0].startswith("-") else tree.commands[words[0]]
    options = {name for each in command.params for name in each.opts}
    assert {word for word in words if word.startswith("-")} <= options


def test_settings_are_json_and_name_one_file() -> None:
    (settings,) = map(json.loads, blocks("json"))
    assert settings["yaml.schemas"] == {"./gradcheck.schema.json": ["*.grad.yaml"]}
    assert len(re.findall(r"gradcheck\.schema\.json", TEXT)) > 4


def test_the_spec_with_the_comment_is_right() -> None:
    (spec,) = blocks("yaml")
    assert spec.startswith("# yaml-language-server: $schema=")
    (document,) = documents_of(spec)
    assert list(Draft7Validator(spec_schema()).iter_errors(document)) == []
