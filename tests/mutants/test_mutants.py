"""The first finding names the planted mistake, and right twins fire nothing."""

from __future__ import annotations

from collections import Counter

import pytest

from gradcheck_cli.codes import FINDING_CODES
from tests.mutants.counting import confusion, is_named, share
from tests.mutants.page import DOCUMENT, counts_in, document
from tests.mutants.runs import KINDS, UNSEEN, Seen, drawn_cases, see

WRONG = {name for name, finding in FINDING_CODES.items() if finding.code.startswith("GC2")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_mistake_is_named_first_and_its_twin_is_silent(kind: str) -> None:
    seen = list(see(kind, 0))
    assert [each for each in seen if not is_named(each)] == []
    assert any(each.planted for each in seen)


def test_every_finding_has_three_mutants_and_as_many_right_twins() -> None:
    planted: Counter[str] = Counter()
    for kind in KINDS:
        cases = drawn_cases(kind, 0)
        wrong = [case for case in cases if case.expect.parameters]
        planted.update(name for case in wrong for name in set(case.expect.parameters.values()))
        operators = {case.expression.operators[0].name for case in cases}
        assert len(operators) == len(cases)
        assert len(cases) - len(wrong) >= 3
    assert set(planted) == WRONG
    assert min(planted.values()) >= 3


def test_draws_have_sizes_of_their_own() -> None:
    shapes = {drawn_cases("transposed", draw)[0].parameters[0].shape for draw in range(6)}
    assert len(shapes) > 2


def test_right_twins_of_operators_that_are_new_to_the_detectors_are_silent_and_most_mistakes_are_named() -> None:
    seen = list(see(UNSEEN, 0))
    assert [each for each in seen if not each.planted and not is_named(each)] == []
    assert share(seen) >= 0.85


def test_the_documented_counts_are_good_enough() -> None:
    counts = counts_in(DOCUMENT.read_text(encoding="utf-8"))
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in counts.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if row[1].isdigit()]
    assert {row[0] for row in rows} == {*WRONG, "(right)"}
    assert all(row[2] == row[3] for row in rows if row[0] == "(right)")
    checks, named = (sum(int(row[column]) for row in rows if row[0] != "(right)") for column in (2, 3))
    assert named / checks >= 0.95


def test_the_page_is_current() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == document(counts_in(text)), "python -m tests.mutants --write --pages"


def test_a_mistake_that_is_named_otherwise_is_counted() -> None:
    right = Seen("a", "x", 0, "transposed", "fail", ("transposed", "some-elements"))
    wrong = Seen("b", "x", 0, "transposed", "fail", ("some-elements", "transposed"))
    loud = Seen("c", "x", 0, "", "pass", ("vacuous",))
    assert [is_named(each) for each in (right, wrong, loud)] == [True, False, False]
    assert share([right, wrong, loud]) == 0.5
    assert confusion([right, wrong, loud]) == [
        ("transposed", 2, 2, "1", "some-elements 1"),
        ("(right)", 1, 1, "0", "vacuous 1"),
    ]
