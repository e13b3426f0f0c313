"""Mechanical mistakes in the backward of built-in operators are caught by check-ops.

Of every eighth operator here; `python -m tests.operator_mutants` plants every mistake in all of them.
"""

from __future__ import annotations

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.run.check_operators import check_operator
from gradcheck_cli.run.operator_options import OperatorOptions
from tests.operator_mutants.__main__ import PAGE
from tests.operator_mutants.mutate import KINDS, Mutant, mutants
from tests.operator_mutants.survivors import explained

OPERATORS = Loader().built_in


def chosen(number: int, name: str) -> Mutant:
    """Return one mutant of an operator, the kinds taking turns."""
    found = [each for each in mutants(OPERATORS[name]) if not explained(name, each.kind, each.code)]
    return next((each for each in found if each.kind == KINDS[number % len(KINDS)]), found[0])


WITH_RULES = [name for name in OPERATORS if OPERATORS[name].rules and name != "sign"]
MUTANTS = [chosen(number, name) for number, name in enumerate(WITH_RULES[::8])]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.operator.name}-{mutant.kind}")
def test_a_planted_mistake_is_caught(mutant: Mutant) -> None:
    assert not check_operator(mutant.operator, OperatorOptions(samples=1)).ok, mutant.code


def test_every_kind_of_mistake_is_planted() -> None:
    for kind in KINDS:
        assert sum(mutant.kind == kind for mutant in MUTANTS) >= 2, kind


def test_what_is_changed_is_one_place() -> None:
    found = [(each.kind, each.code) for each in mutants(OPERATORS["tanh"])]
    assert ("dropped term", "1 * 1") in found
    assert ("swapped arguments", "out * out - 1") in found
    assert ("sign", "return _several(lambda part: -part, g * (1 - out * out))") in found


def test_the_page_counts_the_mutants_that_there_are() -> None:
    """It is written anew by a command of its own, since planting all of them takes minutes."""
    planted = sum(1 for operator in OPERATORS.values() for _ in mutants(operator))
    assert f"Of {planted} twins" in PAGE.read_text("utf-8"), "python -m tests.operator_mutants --write"
    assert "not explained" not in PAGE.read_text("utf-8")
