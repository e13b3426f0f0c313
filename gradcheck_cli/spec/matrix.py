"""`matrix:` multiplies a case: one for each combination of the values that it lists."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from gradcheck_cli.knobs import read_knob
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.text.nodes import Listing, Node, Scalar, Table
from gradcheck_cli.spec.text.problems import Problems

MOST_CASES = 10_000


@dataclass(frozen=True)
class Combination:
    """One value for each key of a matrix; `suffix` tells it in the case's name: `[slope=0.1,n=3]`."""

    values: Mapping[str, Any] = field(default_factory=dict)
    suffix: str = ""


def read_matrix(table: Table | None, sizes: set[str], problems: Problems) -> list[Combination]:
    """Return the combinations of a matrix in order, the last key's values changing first.

    `sizes` are the keys that are dims. There is always at least one. What is wrong with the matrix is
    said, and a key without a right value has the value `...`.
    """
    if table is None:
        return [Combination()]
    columns = {name: _column(name, node, name in sizes, problems) for name, node in table.items.items()}
    lost = dict.fromkeys((name for name, column in columns.items() if not column), ...)
    columns = {name: column for name, column in columns.items() if column}
    if math.prod(len(column) for column in columns.values()) > MOST_CASES:
        message = f"the matrix makes more than {MOST_CASES:,} cases"
        problems.add(table.mark, message, "too-large", "list fewer values")
        columns = {name: column[:1] for name, column in columns.items()}
    return [
        Combination(
            {name: value for name, (_, value) in zip(columns, chosen, strict=True)} | lost,
            _suffix([f"{name}={label}" for name, (label, _) in zip(columns, chosen, strict=True)]),
        )
        for chosen in itertools.product(*columns.values())
    ]


def _suffix(parts: list[str]) -> str:
    return f"[{','.join(parts)}]" if parts else ""


def _column(name: str, node: Node, is_size: bool, problems: Problems) -> list[tuple[str, Any]]:
    """Return the values of one key, each with its label, leaving out what is wrong."""
    items = node.items if isinstance(node, Listing) else []
    if not items:
        problems.add(node.mark, f"the matrix lists no values for '{name}'", "no-values", "leave it out")
    if len(items) > MOST_CASES:
        message = f"the matrix lists more than {MOST_CASES:,} values for '{name}'"
        problems.add(node.mark, message, "too-large", "list fewer values")
        items = items[:1]
    column: list[tuple[str, Any]] = []
    labels: set[str] = set()
    for item in items:
        if _holds_mapping(item):
            message = f"'{name}' can't be a mapping: a matrix lists numbers, texts, booleans and lists"
            problems.add(item.mark, message, "wrong-type")
            continue
        value, label = _value(item), _label(item)
        if label in labels:
            problems.add(item.mark, f"the matrix lists {label} twice for '{name}'", "duplicate-value", "keep one")
        elif "\n" in label or "\t" in label:
            problems.add(item.mark, "a value of a matrix is written on one line", "wrong-type")
        elif is_size and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            problems.add(item.mark, f"{name} should be a size: a whole number, 0 or more, not {label}", "wrong-type")
        else:
            column.append((label, value))
            labels.add(label)
            if name == "dtype":
                _check_dtype(item, value, problems)
    return column


def _check_dtype(item: Node, value: Any, problems: Problems) -> None:
    try:
        read_knob("dtype", value)
    except ValueError as error:
        problems.add(item.mark, str(error), "wrong-knob")


def _holds_mapping(node: Node) -> bool:
    return isinstance(node, Table) or (isinstance(node, Listing) and any(map(_holds_mapping, node.items)))


def _value(node: Node) -> Any:
    """Return what a value is in an expression: a list is a tuple, which every attribute takes."""
    if isinstance(node, Listing):
        return tuple(_value(item) for item in node.items)
    return node.value if isinstance(node, Scalar) else None


def _label(node: Node) -> str:
    """Write a value as the file does, without spaces between the items of a list."""
    if isinstance(node, Listing):
        return f"[{','.join(map(_label, node.items))}]"
    if isinstance(node, Scalar):
        return node.text if node.text or node.value is not None else "null"
    return ""
