"""What every node of an operator does, given which of its operands need a gradient: worked out once, then looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.light_dataclass import dataclass

if TYPE_CHECKING:
    from gradcheck_cli.core.arguments import Attribute
    from gradcheck_cli.core.node import Node
    from gradcheck_cli.core.operator import Operator, Rule
    from gradcheck_cli.core.variable import Variable

SHAPE = "_shape"
"""What a rule asks for by the name of an input with this behind it: the shape of that input."""

_Where: TypeAlias = int | slice
_Origin: TypeAlias = "tuple[Node, int] | Variable | None"


@dataclass(frozen=True, eq=False)
class NodePlan:
    """Rules to run and values to save.

    `tracked` flags the operands that get a parent; `partial` says that there are others that would need one.
    `names` are those that the rules ask for, cotangents apart, in the order in which a node saves them: the inputs
    at `inputs`, the outputs at `outputs`, the `attributes`, the values that the forward `kept`, and those it may
    have kept but are otherwise the `shapes` of inputs.
    `arguments` has, for every rule, the position in `names` of each value that it asks for, or `~output` for the
    cotangent of that output.
    """

    operator: Operator
    tracked: tuple[bool, ...]
    partial: bool
    rules: tuple[Rule, ...]
    arguments: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    inputs: tuple[_Where, ...]
    outputs: tuple[int, ...]
    attributes: tuple[Attribute, ...]
    kept: tuple[str, ...]
    shapes: tuple[tuple[str, _Where], ...]

    def parents(self, origins: Sequence[_Origin]) -> list[_Origin]:
        """Return the parents among the origins of all operands: None where no gradient flows."""
        return [origin if needed else None for origin, needed in zip(origins, self.tracked, strict=True)]

    def others(self, attributes: Mapping[str, Any], kept: Mapping[str, Any]) -> list[Any]:
        """Return the attributes and kept values to save. Raises OperatorError for one that was not kept."""
        values = [attributes.get(each.name, each.default) for each in self.attributes]
        for name in self.kept:
            if name not in kept:
                message = f"the forward of {self.operator.name} kept no '{name}', which its backward asks for"
                hint = f"return keep(..., {name}={name}) on every path"
                raise OperatorError(Problem(message, self.operator.location, "unknown-name", hint))
            values.append(kept[name])
        return values


def shape_at(layouts: Sequence[tuple[Any, Any] | None], where: _Where) -> Any:
    """Return the shape of an input, a tuple of them for a variadic one; None for one that was not given."""
    if isinstance(where, slice):
        return tuple(layout and layout[0] for layout in layouts[where])
    layout = layouts[where]
    return layout and layout[0]


def make_plan(operator: Operator, flags: tuple[bool, ...]) -> NodePlan:
    """Choose the rules that a node needs for the gradients of the flagged operands, and what they ask for.

    Raises OperatorError where there is no rule for one of them.
    """
    tracked = tuple(flag and operator.input_at(slot).domain.differentiable for slot, flag in enumerate(flags))
    rules = _needed(operator, tracked)
    asked = {name: None for rule in rules for name in rule.asks if operator.cotangent_output(name) is None}
    places: dict[str, _Where] = {
        item.name: slice(slot, None) if item.variadic else slot for slot, item in enumerate(operator.inputs)
    }
    inputs = [name for name in places if name in asked]
    outputs = [name for name in operator.outputs if name in asked and name not in inputs]
    direct = {*inputs, *outputs}
    attributes = [each for each in operator.attributes if each.name in asked and each.name not in direct]
    direct.update(each.name for each in attributes)
    others = [name for name in asked if name not in direct]
    shapes = [name for name in others if name.removesuffix(SHAPE) in places and name.endswith(SHAPE)]
    kept = [name for name in others if name not in shapes]
    names = (*inputs, *outputs, *(each.name for each in attributes), *kept, *shapes)
    return NodePlan(
        operator=operator,
        tracked=tracked,
        partial=tracked != flags,
        rules=rules,
        arguments=tuple(tuple(_position(operator, names, name) for name in rule.asks) for rule in rules),
        names=names,
        inputs=tuple(places[name] for name in inputs),
        outputs=tuple(operator.outputs.index(name) for name in outputs),
        attributes=tuple(attributes),
        kept=tuple(kept),
        shapes=tuple((name, places[name.removesuffix(SHAPE)]) for name in shapes),
    )


def _needed(operator: Operator, tracked: tuple[bool, ...]) -> tuple[Rule, ...]:
    """Return the rules that give the gradients of tracked operands, each of which must have one."""
    count = len(tracked)
    rules = tuple(rule for rule in operator.rules if any(tracked[slot] for slot in operator.slots_of(rule, count)))
    served = {slot for rule in rules for slot in operator.slots_of(rule, count)}
    for slot in range(count):
        if tracked[slot] and slot not in served:
            name = operator.input_at(slot).name
            message = f"{operator.name} has no backward for '{name}'"
            hint = f"write one with @{operator.name}.backward, or declare {name}=arr(nondiff=True)"
            raise OperatorError(Problem(message, operator.location, "no-backward", hint))
    return rules


def _position(operator: Operator, names: Sequence[str], name: str) -> int:
    output = operator.cotangent_output(name)
    return names.index(name) if output is None else ~output
