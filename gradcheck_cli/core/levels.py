"""Operators of one level by name: two of one name there are an error that names both."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError, Problem


def levels_of(groups: Sequence[Sequence[Operator]]) -> dict[str, Operator]:
    """Join the operators of one level by name. Raises OperatorError with every name that two of them have."""
    joined: dict[str, Operator] = {}
    problems = []
    for operator in (operator for group in groups for operator in group):
        other = joined.setdefault(operator.name, operator)
        if other is not operator:
            problems.append(same_name(other, operator))
    if problems:
        raise OperatorError(problems)
    return joined


def same_name(first: Operator, second: Operator) -> Problem:
    """Describe two operators of one name at one level."""
    message = f"two operators are named '{first.name}': here and at {first.location}"
    return Problem(message, second.location, "same-name", "rename one of them")
