"""Whose gradients code returns: what a person says of it, and what the names in its text tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcheck_cli.bridges.functions.forms import Name
from gradcheck_cli.bridges.gradients import SKIPPED, of_gradient
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.errors import Location, OperatorError, Problem, near


def order_said(returns: Sequence[str] | None, inputs: Sequence[Input], where: Location) -> tuple[str, ...]:
    """Return the inputs in the order of their gradients, as a person says it: by their names or those of gradients.

    Raises OperatorError for what is no input, and for one that is named twice.
    """
    names = [item.name for item in inputs]
    order: list[str] = []
    for word in returns or ():
        name = word if word in (*names, SKIPPED) else of_gradient(word, names)
        if name is None:
            hint = near(word, names) or f"there are: {', '.join(names)}; _ stands for what is no gradient"
            raise OperatorError(Problem(f"returns names '{word}', which is no input", where, "unknown-name", hint))
        if name in order and name != SKIPPED:
            raise OperatorError(Problem(f"returns names '{name}' twice", where, "unknown-name"))
        order.append(name)
    return tuple(order)


def order_told(names: Sequence[Name], inputs: Sequence[Input]) -> tuple[str, ...]:
    """Return the inputs after which all returned gradients are named; none where they aren't."""
    known = [item.name for item in inputs if not item.variadic]
    told = [of_gradient(name, known) if name else None for name in names]
    found = tuple(name for name in told if name)
    return found if len(set(found)) == len(names) else ()


def by_name(returned: Any, told: Sequence[str], inputs: Sequence[Input], operands: Sequence[Any]) -> Any:
    """Return gradients as a mapping where their names say whose they are: fewer than the inputs, in their order.

    Where all inputs have gradients their places decide, whatever they are called. In another order than
    the inputs the names decide only where places can't: the first of `operands` that could have gradients
    are other ones.
    """
    if not told or len(told) == len(inputs):
        return returned
    if not _in_order(told, inputs) and set(told) == set(_differentiable(inputs, operands)[: len(told)]):
        return returned
    parts = returned if isinstance(returned, tuple) or len(told) > 1 else [returned]
    if not isinstance(parts, tuple | list) or len(parts) != len(told):
        return returned
    return dict(zip(told, parts, strict=True))


def order_hints(told: Sequence[str], inputs: Sequence[Input]) -> dict[str, str]:
    """Say of gradients that are named in another order than the inputs that their order counts."""
    if _in_order(told, inputs):
        return {}
    order = f"returns: {' '.join(told)}"
    text = f"the order of the gradients counts, not their names: if theirs is the order that is meant, say {order}"
    return dict.fromkeys(("gradient-shape", "gradient-count", "swapped-inputs"), text)


def _differentiable(inputs: Sequence[Input], operands: Sequence[Any]) -> list[str]:
    """Name the floating-point arrays that nobody declared to have no gradient, in order."""
    items = [inputs[min(slot, len(inputs) - 1)] for slot in range(len(operands))]
    return [
        item.name
        for item, operand in zip(items, operands, strict=True)
        if isinstance(operand, np.ndarray) and operand.dtype.kind == "f" and item.domain.differentiable
    ]


def _in_order(told: Sequence[str], inputs: Sequence[Input]) -> bool:
    return list(told) == [item.name for item in inputs if item.name in told]
