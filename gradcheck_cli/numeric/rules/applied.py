"""One application of an operator at the point, as rules see it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array, read_only
from gradcheck_cli.core.batching import Batch
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.returned import read_outputs
from gradcheck_cli.numeric.moved import Bases, Moved

Operands = Sequence[Moved | None]
"""What moves of each operand; None for one that stays."""


class MisfitError(Exception):
    """A forward answered a batch with something else than the batch of its answers."""


class Applied:
    """Operator `operator` applied to the slots `operands`, making the slots `outputs`.

    `cache` holds what a rule works out once. `forward` is called without a look at contracts: it has been seen by
    then, and values here may be outside of any domain.
    """

    def __init__(
        self,
        operator: Operator,
        operands: tuple[int, ...],
        attributes: dict[str, Any],
        outputs: tuple[int, ...],
        bases: Bases,
    ) -> None:
        self.operator = operator
        self.operands = operands
        self.attributes = attributes
        self.outputs = outputs
        self.bases = bases
        self.cache: dict[Any, Any] = {}

    @property
    def batch(self) -> Batch | None:
        """How the operator is declared to take many perturbations."""
        return self.operator.batch

    @property
    def arrays(self) -> list[Any]:
        """The operands at the point."""
        return [self.bases[slot] for slot in self.operands]

    @property
    def out(self) -> Array:
        """The first output at the point."""
        out: Array = self.bases[self.outputs[0]]
        return out

    @cached_property
    def _only_dtype(self) -> np.dtype[Any] | None:
        """The dtype of the only output; None for several."""
        return self.out.dtype if len(self.outputs) == len(self.operator.outputs) == 1 else None

    def attribute(self, name: str) -> Any:
        """Return the value of an attribute, its default where it isn't given."""
        default = next((each.default for each in self.operator.attributes if each.name == name), None)
        return self.attributes.get(name, default)

    def is_linear(self, slots: Sequence[int]) -> bool:
        """Tell whether the operator is declared affine in the operands at `slots`, together."""
        linear = self.operator.linear
        if linear is None or not all(self.operator.input_at(slot).name in linear.names for slot in slots):
            return False
        return linear.jointly or len(slots) == 1

    def forward(self, arrays: Sequence[Any], **changed: Any) -> tuple[Array, ...]:
        """Call the forward on other arrays. Raises what it raises, MisfitError for outputs of another dtype."""
        operator, attributes = self.operator, {**self.attributes, **changed} if changed else self.attributes
        if not operator.trusted:
            arrays = [
                read_only(array) if isinstance(array, np.ndarray) and array.flags.writeable else array
                for array in arrays
            ]
        returned = operator.forward(*arrays, **attributes) if attributes else operator.forward(*arrays)
        if type(returned) is np.ndarray and returned.dtype is self._only_dtype:  # nearly always
            return (returned,)
        outputs, _ = read_outputs(operator, returned)
        for slot, out in zip(self.outputs, outputs, strict=True):
            if out.dtype != self.bases.values[slot].dtype:
                raise MisfitError(f"{self.operator.name} returned {out.dtype}")
        return outputs


def count_of(moved: Operands) -> int:
    """Return the number of perturbations."""
    for each in moved:
        if each is not None:
            return each.count
    raise AssertionError("an operator of which nothing moves")


def moving(moved: Operands) -> list[int]:
    """List the operands that move."""
    return [slot for slot, each in enumerate(moved) if each is not None]


def shaped(values: Array, shape: tuple[int, ...]) -> Array:
    """Return `values` if they have `shape`, counting K; a stretched view where only axes of one number differ.

    Raises MisfitError for another shape.
    """
    if values.shape == shape:
        return values
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise MisfitError(f"a batch of shape {values.shape} instead of {shape}") from None
