"""`gradcheck explain`: the page of a finding, and the list of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli.codes import FINDING_CODES


def test_every_finding_is_listed_on_a_line_of_its_own(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("explain")
    assert (ended.code, ended.err) == (0, "")
    listed = [line.split()[:2] for line in ended.out.splitlines() if line.startswith("  GC")]
    assert listed == [[finding.code, finding.name] for finding in FINDING_CODES.values()]


@pytest.mark.parametrize("name", FINDING_CODES)
def test_every_finding_is_explained(gradcheck: Callable[..., Any], name: str) -> None:
    ended = gradcheck("explain", name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"# {FINDING_CODES[name].code} {name}\n")
    for part in ("Why it happens", "How to see it", "Repair", "Example"):
        assert part in ended.out
    assert gradcheck("explain", FINDING_CODES[name].code.lower()).out == ended.out


def test_colour_is_for_those_who_ask(gradcheck: Callable[..., Any]) -> None:
    colored = gradcheck("explain", "GC205", "--color", "always")
    assert (colored.code, "\x1b[" in colored.out) == (0, True)
    assert "# GC205" not in colored.out
    assert "\x1b[" not in gradcheck("explain", "GC205").out


def test_json_holds_the_page_and_its_example(gradcheck: Callable[..., Any]) -> None:
    page = gradcheck("explain", "kink-at-point", "--format", "json").json
    assert (page["code"], page["name"], page["verdict"]) == ("GC301", "kink-at-point", "pass")
    assert page["example"]["case.grad.yaml"].startswith("expr: relu(x)")
    assert page["summary"] in page["page"]
    every = gradcheck("explain", "--format", "json").json
    assert [each["name"] for each in every] == list(FINDING_CODES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mising-term", "did you mean 'missing-term'?"),
        ("GC999", "did you mean 'GC"),
        ("nonsense", "gradcheck explain lists them all"),
    ],
)
def test_an_unknown_finding_is_an_error_with_a_near_one(gradcheck: Callable[..., Any], text: str, said: str) -> None:
    ended = gradcheck("explain", text)
    assert (ended.code, ended.out) == (2, "")
    assert f"no finding is named '{text}'" in ended.err
    assert said in ended.err


@pytest.mark.parametrize("name", ["transposed", "small-everywhere", "missing-chain-factor"])
def test_a_screen_that_knows_ascii_only_gets_a_page(process: Callable[..., Any], name: str) -> None:
    ended = process("explain", name, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"})
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.isascii()
    assert f" {name}" in ended.out
