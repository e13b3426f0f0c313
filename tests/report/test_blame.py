"""How blame is written: who, where, and what is known of the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.errors import Location
from gradcheck_cli.records import Blame, CaseResult, Culprit, ParameterResult, RunResult, Verdict
from gradcheck_cli.report.blame import blame_notes, blame_record, blame_sentences
from gradcheck_cli.report.block import View, case_text
from gradcheck_cli.report.json_format import to_json

HERE = str(Path.cwd() / "my_ops.py")
CALLS = (Location("net.grad.yaml", 8, 7), Location("net.grad.yaml", 4, 9))
RELU = Culprit("relu", "x", 2, CALLS, Location(HERE, 16))
BLAME = Blame(applications=12, wrong=2, right=10, culprits=(RELU,), resolution=2.1e-7, evaluations=700)


def test_a_culprit_is_named_with_its_backward_and_its_calls() -> None:
    assert blame_sentences(BLAME) == [
        "my_ops.py:16, backward of relu for x, called at net.grad.yaml:8:7 and 4:9",
        "the other 10 applications on the path are right alone, to within 3e-07",
    ]


@pytest.mark.parametrize(
    ("changes", "called"),
    [
        ({"places": CALLS[:1], "applications": 1}, ", called at net.grad.yaml:8:7"),
        ({"places": CALLS[:1], "applications": 3}, ", called 3 times at net.grad.yaml:8:7"),
        ({"places": (), "applications": 3}, ", called 3 times"),
        ({"places": (), "applications": 1}, ""),
        (
            {"places": tuple(Location(f"{n}.py", n) for n in range(1, 6)), "applications": 5},
            ", called at 1.py:1, 2.py:2, 3.py:3 and 2 more",
        ),
    ],
)
def test_calls_are_listed_shortly(changes: dict[str, Any], called: str) -> None:
    (sentence, *_) = blame_sentences(replace(BLAME, culprits=(replace(RELU, **changes),)))
    assert sentence == f"my_ops.py:16, backward of relu for x{called}"


@pytest.mark.parametrize(
    ("blame", "sentence"),
    [
        (replace(BLAME, wrong=11, right=1, resolution=None), "the other application on the path is right alone"),
        (replace(BLAME, right=4, resolution=None), "4 of the 10 other applications on the path are right alone"),
        (
            Blame(3, 0, 3, resolution=1e-7),
            "all 3 applications on the path are right alone, to within 1e-07: what is wrong lies between them",
        ),
        (Blame(1, 0, 1), "the only application on the path is right alone"),
        (Blame(3, 0, 2), "2 of the 3 applications on the path are right alone"),
        (Blame(0, 0, 0), "no application of an operator stands between the parameter and the value"),
    ],
)
def test_the_others_are_counted(blame: Blame, sentence: str) -> None:
    assert blame_notes(blame) == [sentence]


def test_an_only_application_that_is_wrong_says_no_more() -> None:
    assert blame_notes(Blame(1, 1, 0, culprits=(RELU,))) == []


def test_what_is_undecided_is_said_and_shortened() -> None:
    undecided = tuple(f"tanh at {HERE}:{n}: why" for n in range(5))
    said = blame_sentences(replace(BLAME, right=5, undecided=undecided, notes=("a note",)))[2:]
    assert said == [
        *(f"undecided: tanh at my_ops.py:{n}: why" for n in range(3)),
        "undecided: 2 more applications",
        "a note",
    ]


def test_more_than_a_gradient_has_a_sentence_of_its_own() -> None:
    broken = Culprit("relu", "", 1, message="relu: two calls differ\nturn randomness off")
    assert blame_sentences(Blame(1, 1, 0, culprits=(broken,))) == [
        "backward of relu",
        "relu: two calls differ",
        "turn randomness off",
    ]


def wrong_case(
    case: Callable[..., CaseResult], parameter: Callable[..., ParameterResult], **changes: Any
) -> CaseResult:
    return case(parameter("x", Verdict.FAIL), blame=BLAME, **changes)


def test_a_block_shows_blame_also_where_a_failure_is_expected(
    case: Callable[..., CaseResult], parameter: Callable[..., ParameterResult]
) -> None:
    for changes in ({}, {"expected": "fail", "ok": True}):
        lines = case_text(wrong_case(case, parameter, **changes)).split("\n")
        at = next(number for number, line in enumerate(lines) if line.startswith(" blame    "))
        assert lines[at] == " blame    my_ops.py:16, backward of relu for x, called at net.grad.yaml:8:7 and 4:9"
        assert lines[at + 1] == "          the other 10 applications on the path are right alone, to within 3e-07"
    assert "blame" not in case_text(case(parameter("x", Verdict.FAIL)))


def test_a_narrow_screen_wraps_blame_under_itself(
    case: Callable[..., CaseResult], parameter: Callable[..., ParameterResult]
) -> None:
    lines = case_text(wrong_case(case, parameter), View(width=60)).split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(" blame    "))
    assert all(len(line) <= 60 for line in lines[at : at + 4])
    assert lines[at + 1].startswith("          ")


def test_json_has_the_culprits_and_what_else_is_said(
    case: Callable[..., CaseResult], parameter: Callable[..., ParameterResult]
) -> None:
    document = json.loads(to_json(RunResult(0, (wrong_case(case, parameter),))))["cases"][0]
    assert document["blame"] == [
        {
            "operator": "relu",
            "argument": "x",
            "location": {"file": "net.grad.yaml", "line": 8, "column": 7},
            "backward": {"file": HERE, "line": 16, "column": None},
            "applications": 2,
            "right": 10,
        }
    ]
    assert document["blame_notes"] == ["the other 10 applications on the path are right alone, to within 3e-07"]
    assert (blame_record(None), blame_notes(None)) == ([], [])
    nowhere = Blame(1, 1, 0, culprits=(Culprit("relu", "", 1),))
    (record,) = blame_record(nowhere)
    assert (record["argument"], record["location"], record["backward"]) == (None, None, None)
