"""The built-in operators are right on all that they declare, and on the variants of that."""

from __future__ import annotations

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.check_operators import check_operator
from gradcheck_cli.run.operator_options import OperatorOptions

OPERATORS = Loader().built_in


@pytest.mark.parametrize("name", OPERATORS)
def test_a_built_in_operator_passes(name: str) -> None:
    result = check_operator(OPERATORS[name], OperatorOptions(samples=1))
    assert [(each.words, each.case.error) for each in result.faults] == []
    assert result.verdict is Verdict.PASS
    assert result.notes == ()
    assert {Kind.BASE, Kind.LAYOUT} <= {each.kind for each in result.counted}
    assert len(result.counted) >= 0.9 * len(result.variants)
    tried = {(name, repr(value)) for each in result.counted for name, value in each.attributes.items()}
    for attribute in OPERATORS[name].attributes:
        assert {(attribute.name, repr(value)) for value in attribute.values} <= tried
