"""Arrays that a spec writes out: numbers and nested lists of them."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array, read_only
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.arrays.files import MOST_AXES
from gradcheck_cli.spec.text.nodes import Listing, Node, Scalar, Table, describe
from gradcheck_cli.spec.text.problems import Problems
from gradcheck_cli.spec.text.scalars import read_plain

_INT64 = np.iinfo(np.int64)


@dataclass(eq=False)
class GivenValues:
    """Reads the values of one file, each once: many cases may share one."""

    problems: Problems
    _read: dict[int, tuple[Node, Array | None]] = field(default_factory=dict)
    _cast: dict[tuple[int, str], tuple[Array, Array | None]] = field(default_factory=dict)

    def read(self, node: Node, label: str) -> Array | None:
        """Return the numbers of `node` as a read-only array of float64, int64 or bool.

        It is of integers if all are written as whole numbers, of booleans if all are true or
        false. None if it is no array of numbers, which is said.
        """
        if id(node) not in self._read:
            array = self._array(node, label)
            self._read[id(node)] = (node, None if array is None else read_only(array))
        return self._read[id(node)][1]

    def cast(self, array: Array, dtype: str) -> Array | None:
        """Return `array` in another type; None if it holds numbers that are too large for it."""
        key = (id(array), dtype)
        if key not in self._cast:
            with np.errstate(over="ignore", invalid="ignore"):
                converted = array.astype(dtype)
            lost = array.dtype.kind == "f" and bool((np.isinf(converted) & ~np.isinf(array)).any())
            self._cast[key] = (array, None if lost else read_only(converted))
        return self._cast[key][1]

    def _array(self, node: Node, label: str) -> Array | None:
        shape: list[int] = []
        inner = node
        while isinstance(inner, Listing):
            shape.append(len(inner.items))
            if not inner.items:
                break
            inner = inner.items[0]
        if len(shape) > MOST_AXES:
            self.problems.add(node.mark, f"an array has at most {MOST_AXES} axes, not {len(shape)}", "too-large")
            return None
        numbers: list[Scalar] = []
        if not self._collect(node, label, tuple(shape), numbers):
            return None
        values: list[Any] = [number.value for number in numbers]
        if values and all(isinstance(value, bool) for value in values):
            return np.array(values, dtype=np.bool_).reshape(shape)
        mixed = next((number for number in numbers if isinstance(number.value, bool)), None)
        if mixed is not None:
            self.problems.add(mixed.mark, f"{label} mixes numbers with {describe(mixed)}", "wrong-type")
            return None
        whole = values and all(isinstance(value, int) and _INT64.min <= value <= _INT64.max for value in values)
        return np.array(values, dtype=np.int64 if whole else np.float64).reshape(shape)

    def _collect(self, node: Node, label: str, shape: tuple[int, ...], numbers: list[Scalar]) -> bool:
        """Append the scalars in order; report what is ragged or no number."""
        if isinstance(node, Table):
            self.problems.add(node.mark, f"{label} holds a mapping among its numbers", "wrong-type")
            return False
        if isinstance(node, Scalar):
            if shape:
                message = f"ragged list: here is {describe(node)}, where the first item is a list"
                return self._ragged(node, message)
            if isinstance(node.value, str) or node.value is None:
                if not node.broken:
                    hint = _hint(str(node.value)) if node.value else ""
                    self.problems.add(node.mark, f"{label} should be numbers, not {describe(node)}", "wrong-type", hint)
                return False
            numbers.append(node)
            return True
        if not shape:
            return self._ragged(node, "ragged list: here is a list, where the first item is a number")
        if len(node.items) != shape[0]:
            return self._ragged(node, f"ragged list: {_elements(len(node.items))} here, {shape[0]} in the first one")
        sound = True
        for item in node.items:
            sound = self._collect(item, label, shape[1:], numbers) and sound
        return sound

    def _ragged(self, node: Node, message: str) -> bool:
        self.problems.add(node.mark, message, "ragged-list", "all lists of one level have the same length")
        return False


def _elements(count: int) -> str:
    return f"{count} element{'s' * (count != 1)}"


def _hint(text: str) -> str:
    """Say how numbers are written, for a text in the place of one."""
    words = text.split()
    try:
        numbers = len(words) > 1 and all(isinstance(read_plain(word), int | float) for word in words)
    except ValueError:
        numbers = False
    if numbers:
        return f"commas go between numbers: [{', '.join(words)}]"
    return "a number is written in decimal digits"
