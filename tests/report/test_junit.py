"""JUnit's XML as others read it: by junitparser, and by what the schemas of Jenkins and pytest's form allow."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from gradcheck_cli.errors import Location
from gradcheck_cli.records import CaseResult, Finding, RunResult
from gradcheck_cli.report.block import View
from gradcheck_cli.report.junit import to_junit
from gradcheck_cli.report.xml_text import xml_text
from tests.report.conftest import make_case, make_parameter
from tests.report.hostile import hostile_text
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, PASS, SKIP

Make = Callable[..., Any]
CONTRACT = Finding("input-modified", "it wrote to x", Location("my_ops.py", 3), "backward of f")

ATTRIBUTES = {
    "testsuites": ["name", "tests", "failures", "errors", "time"],
    "testsuite": ["name", "tests", "failures", "errors", "skipped", "time"],
    "testcase": ["classname", "name", "file", "line", "time"],
    "failure": ["message", "type"],
    "error": ["message", "type"],
    "skipped": ["message", "type"],
    "system-out": [],
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase", "system-out"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}


def report(*cases: CaseResult, **options: Any) -> str:
    return to_junit(RunResult(None, cases), **options)


def suites(*cases: CaseResult) -> list[TestSuite]:
    return list(JUnitXml.fromstring(report(*cases).encode()))


def read_by_name(*cases: CaseResult) -> dict[str, TestCase]:
    """Return all tests by name, which is unique."""
    found = [test for suite in suites(*cases) for test in suite]
    by_name = {test.name: test for test in found}
    assert len(by_name) == len(found)
    return by_name


def attributes(test: TestCase) -> dict[str, str]:
    return dict(test._elem.attrib)


@pytest.fixture
def every_kind(layer_norm: CaseResult) -> tuple[CaseResult, ...]:
    w = make_parameter("w")
    return (
        replace(layer_norm, seconds=0.5),
        make_case(w, name="right"),
        make_case(make_parameter("w", FAIL), name="known", expected="fail", ok=True),
        make_case(w, name="surprise", expected="fail", ok=False),
        make_case(
            make_parameter("w", SKIP),
            make_parameter("b"),
            name="contract",
            verdict=FAIL,
            ok=False,
            findings=(CONTRACT,),
        ),
        make_case(make_parameter("w", SKIP), name="raised", verdict=ERROR, ok=False, error="a.py:3: error: no"),
        make_case(make_parameter("w", INCONCLUSIVE), name="unsure", ok=False),
        make_case(make_parameter("w", SKIP), name="later", ok=True, error="interrupted"),
        make_case(name="empty", verdict=PASS, ok=True),
    )


def test_counts_agree_with_what_is_there(every_kind: tuple[CaseResult, ...]) -> None:
    read = JUnitXml.fromstring(report(*every_kind).encode())
    assert (read.tests, read.failures, read.errors) == (15, 4, 1)
    for suite in read:
        results = [result for test in suite for result in test.result]
        assert suite.tests == len(list(suite))
        assert suite.failures == sum(isinstance(result, Failure) for result in results)
        assert suite.errors == sum(isinstance(result, Error) for result in results)
        assert suite.skipped == sum(isinstance(result, Skipped) for result in results)
        assert suite.time == pytest.approx(sum(test.time for test in suite), abs=1e-9)
    assert read.time == pytest.approx(sum(suite.time for suite in read), abs=1e-9)


def test_elements_and_attributes_are_those_that_servers_know(every_kind: tuple[CaseResult, ...]) -> None:
    root = ElementTree.fromstring(report(*every_kind))
    assert root.tag == "testsuites"
    seen = set()
    for element in root.iter():
        allowed = ATTRIBUTES[element.tag]
        assert list(element.attrib) == [name for name in allowed if name in element.attrib]
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        seen.add(element.tag)
    assert seen >= {"testsuites", "testsuite", "testcase", "failure", "error", "skipped"}


def test_a_file_is_a_suite_and_a_parameter_a_test(layer_norm: CaseResult, case: Make, parameter: Make) -> None:
    other = case(parameter("w", line=12), file="b.grad.yaml", name="b", seconds=0.25)
    again = replace(layer_norm, name="again", id="specs/layer_norm.grad.yaml::again")
    first, second = suites(layer_norm, other, again)
    assert (first.name, first.tests) == ("specs/layer_norm.grad.yaml", 6)
    assert (second.name, second.tests) == ("b.grad.yaml", 1)
    assert attributes(next(iter(second))) == {
        "classname": "b",
        "name": "b::w",
        "file": "b.grad.yaml",
        "line": "12",
        "time": "0.250",
    }


def test_a_failure_says_what_is_wrong_and_shows_the_block(layer_norm: CaseResult) -> None:
    found = JUnitXml.fromstring(report(layer_norm, view=View(options=("--rtol", "1e-6"))).encode())
    (result,) = {test.name: test for suite in found for test in suite}["layer_norm::x"].result
    assert isinstance(result, Failure)
    assert result.type == "fail"
    assert result.message == (
        "FAIL: x[0,4] analytic +0.260035 numeric -0.103406 ± 2e-11; GC203 missing-term: "
        "The difference is constant along axis 1: a mean or a sum over it is missing."
    )
    lines = result.text.splitlines()
    assert lines[2] == " x           4\N{MULTIPLICATION SIGN}8      32/32        1.0e+00        1e-07   FAIL"
    assert lines[-1] == " rerun    gradcheck run specs/layer_norm.grad.yaml::layer_norm::x --seed 7 --rtol 1e-6"
    assert "gamma" not in result.text


def test_each_outcome_has_its_element(every_kind: tuple[CaseResult, ...]) -> None:
    found = {
        name: [(type(each), each.type) for each in test.result] for name, test in read_by_name(*every_kind).items()
    }
    assert found == {
        "layer_norm::x": [(Failure, "fail")],
        "layer_norm::gamma": [],
        "layer_norm::beta": [],
        "right::w": [],
        "known::w": [(Skipped, "expected failure")],
        "surprise": [(Failure, "unexpected pass")],
        "surprise::w": [],
        "contract": [(Failure, "fail")],
        "contract::w": [(Skipped, "skip")],
        "contract::b": [],
        "raised": [(Error, "error")],
        "raised::w": [(Skipped, "skip")],
        "unsure::w": [(Failure, "inconclusive")],
        "later::w": [(Skipped, "skip")],
        "empty": [],
    }


def test_a_note_on_what_is_right_is_kept(case: Make, parameter: Make) -> None:
    kink = Finding("kink-at-point", "3 elements lie at a kink")
    quiet, noted = case(parameter("w")), case(parameter("w", findings=(kink,)), notes=("it is slow",), name="noted")
    (suite,) = suites(quiet, noted)
    assert "GC301 kink-at-point" in read_by_name(noted)["noted::w"].system_out
    assert read_by_name(quiet)["a case::w"].system_out is None
    assert " note: it is slow" in suite._elem.findtext("system-out")
    assert suites(quiet)[0]._elem.find("system-out") is None


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("specs/deep/net.grad.yaml", "specs.deep.net"),
        ("net.yml", "net"),
        ("/home/me/net.grad.yaml", "home.me.net"),
        ("../net.grad.yaml", "...net"),
        ("odd.txt", "odd.txt"),
        ("-", "stdin"),
        ("", "gradcheck"),
    ],
)
def test_a_class_is_named_as_a_module(case: Make, parameter: Make, file: str, name: str) -> None:
    assert read_by_name(case(parameter("w"), file=file))["a case::w"].classname == name


def test_a_case_of_no_file_has_no_file(case: Make, parameter: Make) -> None:
    found = attributes(read_by_name(case(parameter("w"), file="", line=0))["a case::w"])
    assert set(found) == {"classname", "name", "time"}


def test_files_that_would_be_the_same_class_are_told_apart(case: Make, parameter: Make) -> None:
    long, short = case(parameter("w"), file="a.grad.yaml"), case(parameter("w"), file="a.yaml")
    assert set(read_by_name(long, short)) == {"a case::w", "a case::w (2)"}


def test_no_case_is_an_empty_report() -> None:
    assert ElementTree.fromstring(report()).attrib["tests"] == "0"
    assert len(JUnitXml.fromstring(report().encode())) == 0


def test_any_locale_can_print_it(case: Make, parameter: Make) -> None:
    text = report(case(parameter("größe", FAIL), name="末"))
    assert text.isascii()
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n')
    assert text.endswith("</testsuites>\n")
    assert "末::größe" in read_by_name(case(parameter("größe", FAIL), name="末"))


@given(hostile_text, hostile_text, hostile_text, hostile_text)
def test_hostile_text_comes_back_and_adds_nothing(name: str, file: str, parameter: str, message: str) -> None:
    wrong = make_parameter(parameter, FAIL, findings=(Finding("unexplained", message, Location(file, 1), message),))
    raised = make_case(name=name, file=file, verdict=ERROR, ok=False, error=message)
    text = report(make_case(wrong, name=name, file=file, notes=(message,)), raised)
    root = ElementTree.fromstring(text)
    found = [test.attrib["name"] for test in root.iter("testcase")]
    assert found == [xml_text(f"{name}::{parameter}"), xml_text(name)]
    assert [suite.attrib["name"] for suite in root] == [{"": "gradcheck", "-": "stdin"}.get(file, xml_text(file))]
    assert sorted(element.tag for element in root.iter()) == [
        *("error", "failure", "testcase", "testcase", "testsuite", "testsuites")
    ]
    for message in (element.attrib["message"] for element in root.iter() if "message" in element.attrib):
        assert len(message.splitlines()) <= 1
    read = JUnitXml.fromstring(text.encode())
    assert [test.name for suite in read for test in suite] == found
