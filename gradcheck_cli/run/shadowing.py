"""Say which operators hide others of their name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.spec.case import Case


def shadowed(selected: Sequence[Selected]) -> list[str]:
    """Describe which operators of the selected cases hide others of their name."""
    notes = {
        f"{operator.location} {operator.name} is used in place of {hidden.location}": None
        for item in selected
        for operator in item.case.expression.operators
        for hidden in _hidden_by(operator, item.case)
    }
    return list(notes)


def _hidden_by(operator: Operator, case: Case) -> Iterator[Operator]:
    # A method is always the built-in operator: it hides nothing, a nearer one of its name hides it.
    if operator in case.scope.builtins.values():
        return
    for hidden in case.scope.shadows(operator.name):
        # The spec and the command line may name one file.
        if hidden.location != operator.location:
            yield hidden
