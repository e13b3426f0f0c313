"""The report for CI servers: JUnit's XML as pytest writes it and GitLab, Jenkins and others read it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from gradcheck_cli.records import CaseResult, RunResult
from gradcheck_cli.report.block import View, case_text
from gradcheck_cli.report.outcome import Kind, Outcome, outcome_text, outcomes, sentence
from gradcheck_cli.report.xml_text import xml_text
from gradcheck_cli.spec.naming import stem_of

_NO_FILES = {"": "gradcheck", "-": "stdin"}
_TAGS = {
    Kind.ERROR: "error",
    Kind.FAILED: "failure",
    Kind.UNEXPECTED: "failure",
    Kind.INCONCLUSIVE: "failure",
    Kind.SKIPPED: "skipped",
    Kind.EXPECTED: "skipped",
}


def to_junit(run: RunResult, view: View | None = None) -> str:
    """Return a run as JUnit XML: a suite for each file, a test for each parameter of each case.

    What belongs to a case as a whole (an error, a broken contract) is a test named as the case; its parameters
    are skipped where it kept them from being compared. `view` says how a case is run again.
    All characters are ASCII, others written as references, so that any locale can print it.
    """
    by_file: dict[str, list[CaseResult]] = {}
    for case in run.cases:
        by_file.setdefault(case.file, []).append(case)
    suites = [_suite(file, cases, view or View()) for file, cases in by_file.items()]
    _tell_apart([test for suite in suites for test in suite.iter("testcase")])
    root = ElementTree.Element("testsuites", {"name": "gradcheck", **_totals(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _suite(file: str, cases: Sequence[CaseResult], view: View) -> ElementTree.Element:
    tests = [test for case in cases for test in _tests(case, view)]
    tags = [child.tag for test in tests for child in test]
    attributes = {
        "name": _NO_FILES.get(file) or xml_text(file),
        "tests": str(len(tests)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
        "time": _seconds(sum(map(_milliseconds, cases))),
    }
    suite = ElementTree.Element("testsuite", attributes)
    suite.extend(tests)
    if told := [case_text(replace(case, parameters=()), view) for case in cases if _has_notes(case)]:
        ElementTree.SubElement(suite, "system-out").text = xml_text("\n\n".join(told))
    return suite


def _has_notes(case: CaseResult) -> bool:
    """Tell whether there is something to read about a case as a whole that no failure says."""
    return case.ok and bool(case.notes or case.findings or case.health)


def _totals(suites: Sequence[ElementTree.Element]) -> dict[str, str]:
    totals = {name: str(sum(int(suite.attrib[name]) for suite in suites)) for name in ("tests", "failures", "errors")}
    milliseconds = sum(round(float(suite.attrib["time"]) * 1000) for suite in suites)
    return {**totals, "time": _seconds(milliseconds)}


def _tests(case: CaseResult, view: View) -> list[ElementTree.Element]:
    """Return the tests of a case, which share its time evenly: nothing measures that of one parameter."""
    found = outcomes(case)
    each, rest = divmod(_milliseconds(case), len(found))
    return [_test(outcome, each + (number < rest), view) for number, outcome in enumerate(found)]


def _test(outcome: Outcome, milliseconds: int, view: View) -> ElementTree.Element:
    attributes = {"classname": xml_text(_class_name(outcome.case.file)), "name": xml_text(outcome.name)}
    if outcome.case.file:
        attributes["file"] = xml_text(outcome.case.file)
    if outcome.line:
        attributes["line"] = str(outcome.line)
    test = ElementTree.Element("testcase", {**attributes, "time": _seconds(milliseconds)})
    if outcome.kind is not Kind.PASSED:
        message = xml_text(sentence(outcome))
        child = ElementTree.SubElement(test, _TAGS[outcome.kind], {"message": message, "type": str(outcome.kind)})
        if outcome.kind.bad:
            child.text = xml_text(outcome_text(outcome, view))
    if outcome.parameter and outcome.parameter.findings and not outcome.kind.bad:
        ElementTree.SubElement(test, "system-out").text = xml_text(outcome_text(outcome, view))
    return test


def _class_name(file: str) -> str:
    """Write a file as pytest writes a module: servers take what is before the last dot for a package."""
    if file in _NO_FILES:
        return _NO_FILES[file]
    path = PurePath(file)
    parts = (*path.parts[:-1], stem_of(path.name))
    return ".".join(parts[1:] if path.anchor else parts)


def _tell_apart(tests: Sequence[ElementTree.Element]) -> None:
    """Number tests of the same name, which `a.yaml` and `a.grad.yaml` may give: servers keep the first of them."""
    seen: Counter[tuple[str, str]] = Counter()
    for test in tests:
        key = (test.attrib["classname"], test.attrib["name"])
        seen[key] += 1
        if seen[key] > 1:
            test.attrib["name"] += f" ({seen[key]})"


def _milliseconds(case: CaseResult) -> int:
    return round(case.seconds * 1000)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}"
