"""Texts to begin with: they say what is true of the program, and read well in a narrow window."""

from __future__ import annotations

import ast
import re

import pytest

from gradcheck_cli import knobs
from gradcheck_cli.core.domain import arr, ints, mask
from gradcheck_cli.report.scaffolds import modeline, operator_file, schema_note, spec_file

OPERATOR = operator_file("softsign", "gradcheck check-ops --ops softsign.py", "gradcheck new spec softsign --ops x.py")
SPEC = spec_file("gradcheck run a.grad.yaml")
TEXTS = {"an operator": OPERATOR, "a spec": SPEC, "a spec with a schema": spec_file("gradcheck run a", "../s.json")}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_is_plain_and_narrow(text: str) -> None:
    assert text.isascii()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert [line for line in text.splitlines() if len(line) > 88 or line != line.rstrip()] == []


def test_the_commands_stand_in_the_texts() -> None:
    assert "   gradcheck check-ops --ops softsign.py\n" in OPERATOR
    assert "   gradcheck new spec softsign --ops x.py\n" in OPERATOR
    assert "#     gradcheck run a.grad.yaml\n" in SPEC


def test_the_operator_has_its_name_and_nothing_else_of_it() -> None:
    module = ast.parse(operator_file("bend", "", ""))
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in functions] == ["bend", "_"]
    assert "softsign" not in operator_file("bend", "", "")


def test_the_domains_that_the_comments_name_are_there() -> None:
    named = re.findall(r"^#   (.*?)(?:   |, mask)", OPERATOR, flags=re.MULTILINE)
    assert len(named) == 5
    for words in named:
        assert eval(words, {"arr": arr, "ints": ints, "mask": mask}) is not None
    assert "mask(" in OPERATOR


def test_what_the_spec_says_of_knobs_is_true() -> None:
    assert float(re.findall(r"rtol: (\S+)", SPEC)[0]) == knobs.Knobs().rtol
    assert knobs.Knobs().sample is None


def test_the_modeline_comes_first_or_a_comment_says_how_to_have_it() -> None:
    assert spec_file("", "../s.json").startswith("# yaml-language-server: $schema=../s.json\n")
    assert modeline("") == schema_note("s.json") == ""
    assert schema_note("") in SPEC
    # An editor would take it for the modeline, and complain of a schema that isn't there.
    assert re.search(r"^\s*#\s+yaml-language-server", SPEC, flags=re.MULTILINE) is None
    assert "$schema" in SPEC
