"""Nodes: one application of an operator, with what its backward will need and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array, byte_count

if TYPE_CHECKING:
    from gradcheck_cli.core.node_plan import NodePlan
    from gradcheck_cli.core.operator import Operator, Rule
    from gradcheck_cli.core.variable import Variable

Layout: TypeAlias = tuple[tuple[int, ...], np.dtype[Any]]
"""Shape and dtype of an array."""

_layout = attrgetter("shape", "dtype")


class Node:
    """One application of an operator.

    `parents` has an entry per input array: a pair (node, output index), a leaf Variable, or None
    where no gradient is needed. `values` are those that the needed backward rules ask for, in the order of the
    plan's names. `inputs` has the layout of each input array, which its gradient must have too, and None
    for one that was not given or is a plain value; `outputs` those of the outputs and their cotangents.
    """

    __slots__ = ("inputs", "outputs", "parents", "plan", "values")

    def __init__(
        self,
        plan: NodePlan,
        operands: Sequence[Any],
        arrays: Sequence[Any],
        attributes: Mapping[str, Any],
        outputs: Sequence[Array],
        kept: Mapping[str, Any],
    ) -> None:
        self.plan = plan
        self.parents: list[tuple[Node, int] | Variable | None] = [
            (operand if operand.creator is None else (operand.creator, operand.output_index)) if needed else None
            for operand, needed in zip(operands, plan.tracked)  # noqa: B905 (of one length, and it costs)
        ]
        self.inputs: tuple[Layout | None, ...]
        try:
            self.inputs = tuple(map(_layout, arrays))
        except AttributeError:  # an optional input that was not given, a plain value: rarely, so it costs only then
            self.inputs = tuple(_layout(array) if isinstance(array, np.ndarray) else None for array in arrays)
        self.outputs: tuple[Layout, ...] = tuple(map(_layout, outputs))
        values = [arrays[where] for where in plan.inputs]
        if len(plan.names) > len(values):
            values += [outputs[index] for index in plan.outputs]
            values += plan.rest(attributes, kept, self.inputs)
        self.values = values

    @property
    def operator(self) -> Operator:
        """The operator that was applied."""
        return self.plan.operator

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The backward rules that give the gradients needed."""
        return self.plan.rules

    @property
    def saved(self) -> dict[str, Any]:
        """The values that the rules ask for, by name."""
        return dict(zip(self.plan.names, self.values, strict=True))

    @property
    def input_shapes(self) -> tuple[tuple[int, ...] | None, ...]:
        """Shape of each input array; None for an optional one that was not given."""
        return tuple(layout and layout[0] for layout in self.inputs)

    @property
    def output_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of each output."""
        return tuple(shape for shape, _ in self.outputs)

    @property
    def saved_bytes(self) -> int:
        """Bytes of the arrays that this node keeps for its backward."""
        return sum(map(byte_count, self.values))

    def __repr__(self) -> str:
        shapes = ", ".join(str(shape) for shape in self.output_shapes)
        return f"<{self.operator.name} {shapes}>"
