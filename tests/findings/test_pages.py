"""Every finding has a page, and every page's example fires it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from gradcheck_cli.codes import FINDING_CODES
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.findings.page import FAMILIES, find_page, pages
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import Selected, collect
from gradcheck_cli.run.options import Options

NEEDS = {"differs-from-reference": "torch"}
BY_GRAPH = {name for name, finding in FINDING_CODES.items() if finding.code.startswith("GC4")} - {"disconnected"}
UNDECIDED = {"truncation-dominates": "rounding-dominates"}
"""A reason for an undecided gradient, and the one that comes in its place: which limit is met first is a close call."""

WRONG = re.compile(r"^( *)\S.*  # wrong: should be (.+)$", re.MULTILINE)
"""A line of an example that is wrong, with the right one behind it."""

MARKED = [name for name, finding in FINDING_CODES.items() if finding.code[:3] in ("GC1", "GC2")] + ["float32-inside"]


def write_example(name: str, folder: Path, repaired: bool = False) -> Selected:
    for file, text in pages()[name].files.items():
        (folder / file).write_text(WRONG.sub(r"\1\2", text) if repaired else text, encoding="utf-8")
    (selected,) = collect(Options(paths=(str(folder / "case.grad.yaml"),)))
    return selected


def names_in(result: CaseResult) -> list[str]:
    return [
        *(finding.name for finding in result.findings),
        *(finding.name for parameter in result.parameters for finding in parameter.findings),
    ]


def test_every_finding_has_a_page_and_none_is_left_over():
    assert list(pages()) == list(FINDING_CODES)
    assert all(page.code[:3] in FAMILIES for page in pages().values())


@pytest.mark.parametrize("name", FINDING_CODES)
def test_a_page_says_why_how_to_see_it_and_what_to_do(name):
    page = pages()[name]
    assert page.summary.endswith(".")
    assert "\n" not in page.summary
    positions = [page.body.find(f"**{part}**") for part in ("Why it happens.", "How to see it.", "Repair.", "Example.")]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert "case.grad.yaml" in page.files
    assert page.markdown.count("```") == 2 * len(page.files)
    assert all(len(line) <= 120 for line in page.markdown.splitlines())


@pytest.mark.parametrize("name", sorted(set(FINDING_CODES) - BY_GRAPH))
def test_an_example_fires_its_finding(name, tmp_path):
    framework = NEEDS.get(name)
    if framework and importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    selected = write_example(name, tmp_path)
    result = check_case(selected.case, selected.parameters, Options())
    assert result.error is None
    found = names_in(result)
    if FINDING_CODES[name].code.startswith("GC2"):
        assert found[0] == name
    assert name in found or UNDECIDED.get(name) in found
    assert result.verdict == FINDING_CODES[name].outcome


@pytest.mark.parametrize("name", MARKED)
def test_an_example_says_which_line_is_wrong_and_passes_with_the_right_one(name, tmp_path):
    framework = NEEDS.get(name)
    if framework and importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    selected = write_example(name, tmp_path, repaired=True)
    result = check_case(selected.case, selected.parameters, Options())
    assert (result.verdict, result.error) == (Verdict.PASS, None)
    assert name not in names_in(result)


def test_one_line_of_an_example_is_wrong_where_a_line_is():
    marked = {name: sum(len(WRONG.findall(text)) for text in page.files.values()) for name, page in pages().items()}
    assert {name: count for name, count in marked.items() if count} == dict.fromkeys(MARKED, 1)


@pytest.mark.parametrize("name", sorted(BY_GRAPH))
def test_an_example_for_the_health_of_a_graph_fires_its_finding(name, tmp_path):
    selected = write_example(name, tmp_path)
    result = check_case(selected.case, selected.parameters[:1], Options(health=True))
    assert result.error is None
    assert name in [finding.name for finding in result.health]
    assert result.verdict is (Verdict.FAIL if name == "origin-of-nan" else Verdict.PASS)


@pytest.mark.parametrize("text", ["GC203", "gc203", "missing-term", "Missing-Term"])
def test_a_page_is_found_by_code_and_by_name(text):
    assert find_page(text).name == "missing-term"


@pytest.mark.parametrize(
    ("text", "hint"),
    [("GC2003", "'GC20"), ("mising-term", "'missing-term'"), ("zzz", "lists them all"), ("", "lists them all")],
)
def test_another_name_is_refused_with_a_near_one(text, hint):
    with pytest.raises(GradcheckError) as refused:
        find_page(text)
    assert hint in refused.value.problems[0].hint
