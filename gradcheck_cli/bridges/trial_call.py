"""One call of an operator on chosen operands, to see what its backward returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcheck_cli.bridges.functions.conventions import CODE
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.draw import draw
from gradcheck_cli.core.execution import Execution, trying, using
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import ContractViolation, GradcheckError, Skipped

_COMMON = ("n", "d")


def declared_operand(item: Input, sizes: dict[str, int], rng: np.random.Generator) -> Variable:
    """Draw an operand from its domain; `sizes` are those of the shape words so far."""
    words = _COMMON if item.domain.words is None else item.domain.words
    below = item.domain.below
    for word in (*words, *([below] if isinstance(below, str) else [])):
        sizes.setdefault(word, int(word) if word.isdecimal() else 2 + len(sizes))
    limit = sizes[below] if isinstance(below, str) else below
    array = draw(item.domain, tuple(sizes[word] for word in words), rng, limit)
    return Variable(array, requires_grad=item.domain.differentiable)


def raw_gradients(operator: Operator, operands: Sequence[Any]) -> tuple[Any, ...] | str:
    """Run forward and backward once and return what the backward returned, or the name of what went wrong.

    Raises Skipped, and OperatorError for a mistake that no input would help against.
    """
    attributes = {each.name: each.values[0] for each in operator.attributes if each.values}
    raw = _RawGradients()
    try:
        with using(raw), np.errstate(all="ignore"), trying():
            outputs = operator.apply(operands, attributes)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            if not any(out.requires_grad for out in outputs):
                return "no gradient"
            if not all(np.isfinite(out.data).all() for out in outputs):
                return "not finite"
            first = next(out for out in outputs if out.requires_grad)
            first.backward(np.ones_like(first.data))
    except Skipped:
        raise
    except ContractViolation as violation:
        return violation.finding
    except GradcheckError as error:
        if any(problem.code == CODE for problem in error.problems) or _is_mistake(error.__cause__):
            raise
        return "raised"
    return tuple(raw.returned)


def _is_mistake(cause: BaseException | None) -> bool:
    """Tell whether code raised what no input would help against: a name that isn't there, or not on its own object."""
    if isinstance(cause, AttributeError):
        return cause.obj is not None and not isinstance(cause.obj, np.ndarray | np.generic | int | float | tuple)
    return isinstance(cause, NameError | ImportError)


class _RawGradients(Execution):
    """Notes what a backward returns, and lets the shapes be what they are."""

    def __init__(self) -> None:
        self.returned: Sequence[Any] = ()

    def rule(self, node: Node, rule: Rule, values: Sequence[Any]) -> dict[int, Array]:
        """Call the rule; zeros stand for its gradients."""
        self.returned = self.called(node, rule, values)
        return {
            slot: np.zeros(layout[0], layout[1])
            for slot, layout in enumerate(node.inputs)
            if layout is not None and node.parents[slot] is not None
        }
