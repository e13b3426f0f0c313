"""Help and refusals of options: the words that a person writes, and what was meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli.cli.choices import ReportFormat
from gradcheck_cli.cli.options import help_of
from gradcheck_cli.knobs import Knobs
from tests.references.commands import commands, program

Gradcheck = Callable[..., Any]
COMMANDS = sorted(commands(program()))


def help_text(gradcheck: Gradcheck, command: str) -> str:
    """Return the help of a command as one line."""
    return re.sub(r"\s+", " ", gradcheck(*command.split(), "--help").out)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_values_as_a_person_writes_them(gradcheck: Gradcheck, command: str) -> None:
    text = help_text(gradcheck, command)
    assert text.startswith("Usage: ")
    assert re.findall(r"<(?:int|float|str|list|bool|path|None)\b[^>]*>", text) == []
    assert re.findall(r"x\s*[<>]=?|[<>]=?\s*x\b", text) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            "run",
            ["[PATH]...", "--seed N ", "--rtol NUMBER ", "--sample N ", "--max-failures, --maxfail N ", "1 or more"],
        ),
        ("check-ops", ["[NAME]...", "--samples N ", "--accuracy NUMBER ", "[default: 1; 1 or more]"]),
        ("graph", ["{SPEC}...", "--seed N "]),
        ("list-ops", ["[PATTERN]", "--ops FILE "]),
        ("show-op", ["NAME"]),
        ("new spec", ["NAME", "--op NAME "]),
    ],
)
def test_help_has_these_words(gradcheck: Gradcheck, command: str, words: list[str]) -> None:
    text = help_text(gradcheck, command)
    assert [each for each in words if each not in text and each.replace("{SPEC}", "SPEC") not in text] == []


def test_help_shows_the_defaults_of_knobs(gradcheck: Gradcheck) -> None:
    text = help_text(gradcheck, "run")
    for name, words in (("rtol", "1e-7"), ("budget", "60"), ("memory", "256")):
        assert float(words) == getattr(Knobs(), name)
        assert f"[default: {words}]" in text.partition(f"--{name} ")[2].partition(" --")[0], name
    assert help_of("eps", "A step.") == "A step."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run --format html", "--report html=FILE"),
        ("run --format junit=x.xml", "--report junit=x.xml"),
        ("run --format html=a.html", "--report html=a.html"),
        ("check-ops --format html", "--report html=FILE"),
        ("run --format jsn", "did you mean 'json'?"),
        ("list-ops --format html", "'html' is not one of text, json."),
        ("run --color blue", "'blue' is not one of auto, always, never."),
        ("run --seed x", "'x' should be a whole number"),
        ("run --seed -1", "'-1' should be 0 or more"),
        ("run --sample 1.5", "'1.5' should be a whole number"),
        ("check-ops --samples 0", "'0' should be 1 or more"),
        ("run --rtol tight", "'tight' should be a number"),
    ],
)
def test_a_wrong_value_is_answered_in_plain_words(gradcheck: Gradcheck, line: str, said: str) -> None:
    ended = gradcheck(*line.split())
    assert (ended.code, ended.out) == (2, "")
    assert said in re.sub(r"\s+", " ", ended.err)
    assert "Value error" not in ended.err
    assert "Input should" not in ended.err


def test_a_format_that_nobody_knows_is_no_report() -> None:
    assert ReportFormat.meant("xml") == ReportFormat.meant("json") == ReportFormat.meant("xml=a") == ""
    assert ReportFormat.meant("json=") == "A file is written with --report json=FILE"


def test_a_hostile_value_moves_no_cursor(gradcheck: Gradcheck) -> None:
    for option in ("--seed", "--format", "--rtol"):
        ended = gradcheck("run", f"{option}=\x1b[2J")
        assert ended.code == 2
        assert "\x1b" not in ended.err
