"""Nodes: one application of an operator, with what its backward will need and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck_cli.core.arrays import Array

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator, Rule
    from gradcheck_cli.core.variable import Variable


class Node:
    """One application of `operator`.

    `parents` has an entry per input array: a pair (node, output index), a leaf Variable, or None
    where no gradient is needed. `saved` maps each name that a needed backward rule asks for to its
    value. `input_shapes` and `input_dtypes` say what each gradient must look like;
    `output_shapes` and `output_dtypes` describe the cotangents.
    """

    __slots__ = (
        "input_dtypes", "input_shapes", "operator", "output_dtypes", "output_shapes", "parents", "rules", "saved",
    )  # fmt: skip

    def __init__(
        self,
        operator: Operator,
        parents: tuple[tuple[Node, int] | Variable | None, ...],
        rules: tuple[Rule, ...],
        saved: Mapping[str, Any],
        inputs: tuple[Array | None, ...],
        outputs: tuple[Array, ...],
    ) -> None:
        self.operator = operator
        self.parents = parents
        self.rules = rules
        self.saved = saved
        self.input_shapes = tuple(None if array is None else array.shape for array in inputs)
        self.input_dtypes = tuple(None if array is None else array.dtype for array in inputs)
        self.output_shapes = tuple(array.shape for array in outputs)
        self.output_dtypes = tuple(array.dtype for array in outputs)

    @property
    def saved_bytes(self) -> int:
        """Bytes of the arrays that this node keeps for its backward."""
        values = [*self.saved.values()]
        flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
        return sum(part.nbytes for part in flat if isinstance(part, np.ndarray))

    def __repr__(self) -> str:
        shapes = ", ".join(str(shape) for shape in self.output_shapes)
        return f"<{self.operator.name} {shapes}>"
