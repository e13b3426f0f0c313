from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli.records import Finding, Verdict
from gradcheck_cli.report.expectation import case_word, difference, expected_of, is_off, verdict_word
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, PASS, SKIP

Make = Callable[..., Any]


@pytest.mark.parametrize(
    ("expected", "ok", "verdicts", "words"),
    [
        ("pass", True, [PASS, PASS], ["PASS", "PASS"]),
        ("pass", False, [FAIL, PASS], ["FAIL", "PASS"]),
        ("pass", False, [INCONCLUSIVE, PASS], ["INCONCLUSIVE", "PASS"]),
        ("pass", False, [ERROR, SKIP], ["ERROR", "SKIP"]),
        ("fail", True, [FAIL, PASS], ["FAIL (expected)", "PASS"]),
        ("fail", True, [FAIL, INCONCLUSIVE], ["FAIL (expected)", "INCONCLUSIVE"]),
        ("fail", False, [PASS, PASS], ["PASS (unexpected)", "PASS (unexpected)"]),
        ("fail", False, [INCONCLUSIVE, PASS], ["INCONCLUSIVE", "PASS"]),
        ("inconclusive", True, [INCONCLUSIVE, PASS], ["INCONCLUSIVE (expected)", "PASS"]),
        ("inconclusive", False, [FAIL, PASS], ["FAIL", "PASS"]),
        ("GC203", True, [FAIL, PASS], ["FAIL (expected)", "PASS"]),
        ("GC203", False, [FAIL, PASS], ["FAIL", "PASS"]),
        ("w: fail", True, [FAIL, PASS], ["FAIL (expected)", "PASS"]),
        ("w: fail", False, [PASS, PASS], ["PASS (unexpected)", "PASS"]),
        ("w: fail", False, [FAIL, FAIL], ["FAIL (expected)", "FAIL"]),
        ("w: fail, b: inconclusive", True, [FAIL, INCONCLUSIVE], ["FAIL (expected)", "INCONCLUSIVE (expected)"]),
        ("w: fail, b: inconclusive", False, [FAIL, PASS], ["FAIL (expected)", "PASS (unexpected)"]),
    ],
)
def test_a_verdict_says_whether_it_was_expected(
    case: Make, parameter: Make, expected: str, ok: bool, verdicts: list[Verdict], words: list[str]
) -> None:
    parameters = [parameter(name, verdict) for name, verdict in zip("wb", verdicts, strict=True)]
    result = case(*parameters, expected=expected, ok=ok)
    assert [verdict_word(result, each) for each in parameters] == words


@pytest.mark.parametrize(
    ("expected", "ok", "verdicts", "off"),
    [
        ("pass", True, [PASS, PASS], []),
        ("pass", False, [FAIL, PASS], ["w"]),
        ("pass", False, [PASS, SKIP], []),
        ("fail", True, [FAIL, FAIL], []),
        ("fail", False, [PASS, PASS], []),
        ("fail", False, [INCONCLUSIVE, PASS], ["w"]),
        ("w: fail", False, [PASS, FAIL], ["w", "b"]),
        ("w: fail", False, [FAIL, FAIL], ["b"]),
    ],
)
def test_only_parameters_that_are_to_blame_are_off(
    case: Make, parameter: Make, expected: str, ok: bool, verdicts: list[Verdict], off: list[str]
) -> None:
    parameters = [parameter(name, verdict) for name, verdict in zip("wb", verdicts, strict=True)]
    result = case(*parameters, expected=expected, ok=ok)
    assert [each.name for each in parameters if is_off(result, each)] == off


def test_a_failure_found_before_an_interrupt_is_off(case: Make, parameter: Make) -> None:
    w, b = parameter("w", FAIL), parameter("b", SKIP)
    interrupted = case(w, b, verdict=SKIP, ok=True, error="interrupted")
    assert is_off(interrupted, w)
    assert verdict_word(interrupted, w) == "FAIL"
    assert not is_off(interrupted, b)


@pytest.mark.parametrize(
    ("expected", "name", "wanted"),
    [
        ("pass", "w", "pass"),
        ("fail", "w", "fail"),
        ("w: fail, b: inconclusive", "b", "inconclusive"),
        ("w: fail", "b", "pass"),
    ],
)
def test_what_a_parameter_should_be(case: Make, parameter: Make, expected: str, name: str, wanted: str) -> None:
    assert expected_of(case(parameter(name), expected=expected), name) == wanted


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"expected": "pass", "verdict": FAIL, "ok": False}, ""),
        ({"expected": "fail", "verdict": FAIL, "ok": True}, ""),
        ({"expected": "fail", "verdict": SKIP, "ok": True}, ""),
        ({"expected": "fail", "verdict": PASS, "ok": False}, "expected fail, got pass"),
        ({"expected": "fail", "verdict": ERROR, "ok": False}, "expected fail, got error"),
        ({"expected": "w: fail", "verdict": PASS, "ok": False}, "expected w: fail; got w: pass"),
        ({"expected": "b: fail", "verdict": FAIL, "ok": False}, "expected b: fail, got fail for the whole case"),
    ],
)
def test_a_surprise_is_put_in_words(case: Make, parameter: Make, changes: dict[str, Any], text: str) -> None:
    assert difference(case(parameter("w"), **changes)) == text


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"expected": "pass", "verdict": FAIL, "ok": False}, "FAIL"),
        ({"expected": "fail", "verdict": FAIL, "ok": True}, "FAIL (expected)"),
        ({"expected": "fail", "verdict": PASS, "ok": False}, "PASS (unexpected)"),
        ({"expected": "w: fail", "verdict": FAIL, "ok": False}, "FAIL"),
    ],
)
def test_a_case_has_a_word_too(case: Make, parameter: Make, changes: dict[str, Any], word: str) -> None:
    assert case_word(case(parameter("w", SKIP), **changes)) == word


@pytest.mark.parametrize(
    ("verdict", "found", "off", "word"),
    [
        (FAIL, "missing-term", False, "FAIL (expected)"),
        (FAIL, "transposed", True, "FAIL"),
        (INCONCLUSIVE, "missing-term", True, "INCONCLUSIVE"),
        (PASS, "vacuous", True, "PASS (unexpected)"),
    ],
)
def test_an_expected_finding_is_no_blame_where_another_parameter_fails(
    case: Make, parameter: Make, verdict: Verdict, found: str, off: bool, word: str
) -> None:
    w = parameter("w", verdict, findings=(Finding(found, ""),), expected="missing-term")
    result = case(w, parameter("b", FAIL, expected="pass"), ok=False)
    assert is_off(result, w) is off
    assert verdict_word(result, w) == word
