"""Nodes: one application of an operator, with what its backward will need and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy import dtype, ndarray

from gradcheck_cli.core.arrays import Array, byte_count
from gradcheck_cli.core.node_plan import shape_at

if TYPE_CHECKING:
    from gradcheck_cli.core.node_plan import NodePlan
    from gradcheck_cli.core.operator import Operator, Rule
    from gradcheck_cli.core.variable import Variable

Layout: TypeAlias = tuple[tuple[int, ...], dtype[Any]]
"""Shape and dtype of an array."""


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
        origins: list[tuple[Node, int] | Variable | None],
        arrays: Sequence[Any],
        attributes: Mapping[str, Any],
        outputs: Sequence[Array],
        kept: Mapping[str, Any],
    ) -> None:
        self.plan = plan
        self.parents = plan.parents(origins) if plan.partial else origins
        # Plain loops instead of comprehensions, each of which would cost a call.
        inputs: list[Layout | None] = []
        for array in arrays:
            inputs.append((array.shape, array.dtype) if isinstance(array, ndarray) else None)  # noqa: PERF401
        self.inputs = inputs
        out = outputs[0]
        layouts: list[Layout] = [(out.shape, out.dtype)]
        if len(outputs) > 1:
            layouts += [(out.shape, out.dtype) for out in outputs[1:]]
        self.outputs = layouts
        values: list[Any] = []
        for where in plan.inputs:
            values.append(arrays[where])  # noqa: PERF401
        for index in plan.outputs:
            values.append(outputs[index])  # noqa: PERF401
        if plan.attributes or plan.kept:
            values += plan.others(attributes, kept)
        for name, place in plan.shapes:
            if kept and name in kept:
                values.append(kept[name])
            elif type(place) is int and (layout := inputs[place]):
                values.append(layout[0])
            else:
                values.append(shape_at(inputs, place))
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
