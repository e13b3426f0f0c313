"""The built-in operators are right on all that they declare, and on the variants of that."""

from __future__ import annotations

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.check_operators import check_operator
from gradcheck_cli.run.operator_options import OperatorOptions

OPERATORS = Loader().built_in

NO_GRADIENT = {"one_hot"}
"""Their outputs are whole numbers."""

KNOWN = {
    "sign": "x: both sides are zero in every draw: a gradient that is zero by mistake looks the same",
}
"""What is said of right operators: of one draw for each combination, and of a gradient that is zero."""

CHOOSY = {"diag": 0.8, "stack": 0.6}
"""The share of variants that they take: matrices and vectors alone, shapes that are all the same."""


@pytest.mark.parametrize("name", sorted(NO_GRADIENT))
def test_a_built_in_operator_without_a_gradient_is_skipped(name: str) -> None:
    result = check_operator(OPERATORS[name], OperatorOptions(samples=1))
    assert result.verdict is Verdict.SKIP
    assert result.error == "nothing to check: no input of it has a gradient"


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - NO_GRADIENT))
def test_a_built_in_operator_passes(name: str) -> None:
    result = check_operator(OPERATORS[name], OperatorOptions(samples=1))
    assert [(each.words, each.case.error) for each in result.faults] == []
    assert result.verdict is Verdict.PASS
    assert result.notes == ((KNOWN[name],) if name in KNOWN else ())
    assert {Kind.BASE, Kind.LAYOUT} <= {each.kind for each in result.counted}
    assert len(result.counted) >= CHOOSY.get(name, 0.9) * len(result.variants)
    tried = {(name, repr(value)) for each in result.counted for name, value in each.attributes.items()}
    for attribute in OPERATORS[name].attributes:
        assert {(attribute.name, repr(value)) for value in attribute.values} <= tried
