"""The contract, before any number: operators are called with a second look at what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import same_bytes
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.errors import ContractViolation, Location
from gradcheck_cli.numeric.seeding import SeededExecution

REPEAT = 1000
"""Largest difference between identical calls, in units of the machine epsilon."""


class CheckedExecution(SeededExecution):
    """Calls every forward twice, and looks whether bytes of the arguments changed.

    `first_non_finite` describes the first operator whose outputs went bad on finite inputs, and
    `backwards` locates the backward rules that ran.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first_non_finite = ""
        self.backwards: list[str] = []

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward twice from the same state. Raises ContractViolation."""
        where = Location(operator.file, operator.line)
        before = _snapshot(arrays)
        outputs, kept = super().forward(operator, arrays, attributes)
        first = _snapshot(outputs)
        again, _ = super().forward(operator, arrays, attributes)
        for slot, (old, new) in enumerate(zip(before, arrays, strict=True)):
            if not same_bytes(old, new):
                message = f"its forward writes to {operator.slot_name(slot)}"
                hint = "work on a copy: arrays given to an operator belong to the graph"
                raise ContractViolation("input-modified", message, operator.name, where, hint)
        for old, new in zip(first, again, strict=True):
            if old is not None and not agree(old, new):
                message = f"two calls with the same arguments differ{_by_how_much(old, new)}"
                hint = "turn randomness off, or give it a seed; state kept between calls does it too"
                raise ContractViolation("not-repeatable", message, operator.name, where, hint)
        self._note_non_finite(operator, arrays, outputs, where)
        return outputs, kept

    def rule(self, node: Node, rule: Rule, values: Sequence[Any]) -> dict[int, Array]:
        """Run a backward rule and compare the bytes of what it was given. Raises ContractViolation."""
        before = [_copy(value) for value in values]
        gradients = super().rule(node, rule, values)
        where = Location(rule.file, rule.line)
        self.backwards.append(str(where))
        for name, old, new in zip(rule.asks, before, values, strict=True):
            if not same_bytes(old, new):
                message = f"its backward writes to {name}"
                hint = f"work on a copy: {name} is read by others, too"
                raise ContractViolation("input-modified", message, node.operator.name, where, hint)
        for slot, gradient in gradients.items():
            cotangents = [value for ask, value in zip(rule.asks, values, strict=True) if ask.startswith("g")]
            if not np.isfinite(gradient).all() and all(np.isfinite(g).all() for g in cotangents):
                message = f"the gradient of {node.operator.slot_name(slot)} is {_bad_values(gradient)}"
                raise ContractViolation("non-finite", message, node.operator.name, where, _range_hint(values))
        return gradients

    def _note_non_finite(
        self, operator: Operator, arrays: Sequence[Array | None], outputs: Sequence[Array], where: Location
    ) -> None:
        if self.first_non_finite or all(np.isfinite(out).all() for out in outputs):
            return
        inputs = [array for array in arrays if array is not None and array.size]
        if all(np.isfinite(array).all() for array in inputs):
            ranges = ", ".join(f"{array.min():.3g} to {array.max():.3g}" for array in inputs)
            self.first_non_finite = f"first at {operator.name} ({where}), whose inputs range from {ranges}"


def agree(first: Array, second: Array) -> bool:
    """Tell whether two results of identical calls agree up to `REPEAT` epsilons of their size."""
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    if first.dtype.kind != "f":
        return bool(np.array_equal(first, second))
    finite = np.isfinite(first)
    if not np.array_equal(finite, np.isfinite(second)):
        return False
    tolerance = REPEAT * float(np.finfo(first.dtype).eps) * np.maximum(np.abs(first), np.abs(second))
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(first - second) <= tolerance) | ~finite))


def _snapshot(arrays: Sequence[Array | None]) -> list[Array | None]:
    return [None if array is None else np.array(array) for array in arrays]


def _copy(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_copy(part) for part in value)
    return np.array(value) if isinstance(value, np.ndarray) else value


def _by_how_much(first: Array, second: Array) -> str:
    if first.shape != second.shape:
        return f" in shape: {first.shape} and {second.shape}"
    with np.errstate(invalid="ignore"):
        return f" by up to {np.nanmax(np.abs(first.astype(float) - second.astype(float))):.2g}"


def _bad_values(array: Array) -> str:
    kinds = [word for word, test in (("nan", np.isnan), ("infinite", np.isinf)) if test(array).any()]
    bad = int(np.sum(~np.isfinite(array)))
    return f"{' and '.join(kinds)} in {bad} of {array.size} elements"


def _range_hint(values: Sequence[Any]) -> str:
    arrays = [value for value in values if isinstance(value, np.ndarray) and value.size and value.dtype.kind == "f"]
    if not arrays:
        return ""
    low, high = min(float(a.min()) for a in arrays), max(float(a.max()) for a in arrays)
    return f"the values that it was given range from {low:.3g} to {high:.3g}"
