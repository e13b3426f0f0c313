"""Right operators pass on every variant; each wrong twin is convicted, on the variant that shows its fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.operator_records import OperatorResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.check_operators import check_operator
from gradcheck_cli.run.operator_options import OperatorOptions

OPERATORS = {operator.name: operator for operator in Loader().file(Path(__file__).with_name("operator_twins.py"))}
SEEDS = (0, 1)

# The wrong twin, the first words of the variant that convicts it, and the finding if it is no number that does.
FAULTS = {
    "wrong_cube": ("as declared", ""),
    "wrong_product": ("x has an axis fewer", "gradient-shape"),
    "wrong_flip": ("as declared", "layout-dependent"),
    "wrong_scatter": ("in Fortran order", ""),
    "wrong_power": ("as declared, power=3", ""),
    "wrong_scalar": ("0-d", ""),
    "wrong_shift": ("n = 1", "gradient-shape"),
    "wrong_double": ("as declared", "input-modified"),
    "wrong_mean": ("without weights", ""),
    "wrong_norm": ("two leading axes", ""),
    "wrong_exponentials": ("k = 1", "non-finite"),
    "wrong_sum": ("first axis of size 0", "gradient-shape"),
}


def check(name: str, seed: int) -> OperatorResult:
    return check_operator(OPERATORS[name], OperatorOptions(seed=seed))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [name for name in OPERATORS if name.startswith("right")])
def test_a_right_operator_passes_on_every_variant(name: str, seed: int) -> None:
    result = check(name, seed)
    assert [(each.words, each.case.error) for each in result.faults] == []
    assert result.verdict is Verdict.PASS
    assert result.ok
    assert len(result.counted) >= 5
    assert result.elements > 20


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_twin_is_convicted_where_its_fault_shows(name: str) -> None:
    words, finding = FAULTS[name]
    result = check(name, seed=0)
    assert result.verdict is Verdict.FAIL
    first = result.faults[0]
    assert first.words.startswith(words)
    found = [each.name for each in first.case.findings]
    assert found == ([finding] if finding else [])
    if not finding:
        wrong = [each for each in first.case.parameters if each.verdict is Verdict.FAIL]
        assert wrong
        assert all(each.worst and each.sweep for each in wrong)


@pytest.mark.parametrize("seed", range(3))
def test_assigned_gradients_of_repeated_indices_are_convicted_whatever_is_drawn(seed: int) -> None:
    assert check("right_lookup", seed).verdict is Verdict.PASS
    result = check("wrong_lookup", seed)
    assert result.verdict is Verdict.FAIL
    assert all(each.verdict is Verdict.FAIL for each in result.faults[0].case.parameters)


def test_every_operator_here_is_asked_for() -> None:
    wrong = {name for name in OPERATORS if name.startswith("wrong")}
    assert wrong == {*FAULTS, "wrong_lookup"}
    assert {name.replace("wrong", "right") for name in wrong} <= set(OPERATORS)
