"""Nodes: one application of an operator, with what its backward will need and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array, byte_count

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator, Rule
    from gradcheck_cli.core.variable import Variable

Layout: TypeAlias = tuple[tuple[int, ...], np.dtype[Any]]
"""Shape and dtype of an array."""

_layout = attrgetter("shape", "dtype")


class Node:
    """One application of `operator`.

    `parents` has an entry per input array: a pair (node, output index), a leaf Variable, or None
    where no gradient is needed. `saved` maps each name that a needed backward rule asks for to its
    value. `inputs` has the layout of each input array, which its gradient must have too, and None
    for one that was not given or is a plain value; `outputs` those of the outputs and their cotangents.
    """

    __slots__ = ("inputs", "operator", "outputs", "parents", "rules", "saved")

    def __init__(
        self,
        operator: Operator,
        parents: Sequence[tuple[Node, int] | Variable | None],
        rules: tuple[Rule, ...],
        saved: Mapping[str, Any],
        inputs: Sequence[Array | None],
        outputs: Sequence[Array],
    ) -> None:
        self.operator = operator
        self.parents = parents
        self.rules = rules
        self.saved = saved
        self.inputs: tuple[Layout | None, ...]
        try:
            self.inputs = tuple(map(_layout, inputs))
        except AttributeError:  # an optional input that was not given, a plain value: rarely, so it costs only then
            self.inputs = tuple(_layout(array) if isinstance(array, np.ndarray) else None for array in inputs)
        self.outputs: tuple[Layout, ...] = tuple(map(_layout, outputs))

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
        return sum(map(byte_count, self.saved.values()))

    def __repr__(self) -> str:
        shapes = ", ".join(str(shape) for shape in self.output_shapes)
        return f"<{self.operator.name} {shapes}>"
