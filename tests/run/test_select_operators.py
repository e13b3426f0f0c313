"""Which operators names and patterns mean."""

from __future__ import annotations

import pytest

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.run.select_operators import select_operators

LOADER = Loader()
OWN = {name: Operator(name, lambda x: x, (Input("x"),)) for name in ("swish", "relu")}


def scope(given: bool = True) -> Scope:
    return Scope(LOADER, given=OWN if given else {})


def test_without_names_and_files_all_are_meant() -> None:
    operators, unmatched = select_operators(scope(given=False), [])
    assert [each.name for each in operators] == scope(given=False).names
    assert len(operators) >= 41
    assert unmatched == []


def test_without_names_only_those_of_the_files_are_meant() -> None:
    operators, _ = select_operators(scope(), [])
    assert operators == list(OWN.values())


def test_names_mean_the_nearest_operator_each_once() -> None:
    operators, _ = select_operators(scope(), ["relu", "tanh", "relu"])
    assert [each.name for each in operators] == ["relu", "tanh"]
    assert operators[0] is OWN["relu"]
    assert operators[1] is LOADER.built_in["tanh"]


def test_patterns_mean_all_that_match_built_in_ones_too() -> None:
    operators, unmatched = select_operators(scope(), ["*max", "swi?h", "zz*"])
    assert [each.name for each in operators] == ["log_softmax", "max", "softmax", "swish"]
    assert unmatched == ["zz*"]


def test_names_that_nobody_has_are_said_all_at_once() -> None:
    with pytest.raises(OperatorError) as caught:
        select_operators(scope(), ["sigmiod", "relu", "qqqq"])
    first, second = caught.value.problems
    assert (first.message, first.hint) == ("no operator is named 'sigmiod'", "did you mean 'sigmoid'?")
    assert second.hint == "gradcheck list-ops lists them"
