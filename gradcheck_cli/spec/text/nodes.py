"""What a YAML file says, with the position of every key and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias


class Mark(NamedTuple):
    """A position in the file; line and column count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """One value: a number, a text, true or false, or None where it is empty.

    `text` is what was written, without quotes; `style` is empty for a plain scalar, else the quote
    or the indicator of a block. A `broken` scalar stands for something that was reported already.
    """

    mark: Mark
    value: str | int | float | bool | None
    text: str = ""
    style: str = ""
    broken: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """A list of values."""

    mark: Mark
    items: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A mapping of texts to values; `keys` holds the position of every key."""

    mark: Mark
    items: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Mark] = field(default_factory=dict)

    def without(self, names: set[str]) -> Table:
        """Return the mapping with some of its keys left out."""
        kept = {name: node for name, node in self.items.items() if name not in names}
        return Table(self.mark, kept, {name: self.keys[name] for name in kept})


Node: TypeAlias = Scalar | Listing | Table


def plain(node: Node) -> Any:
    """Return the value without its positions, as dicts, lists and scalars."""
    if isinstance(node, Table):
        return {name: plain(item) for name, item in node.items.items()}
    if isinstance(node, Listing):
        return [plain(item) for item in node.items]
    return node.value


def merged(below: Table, above: Table) -> Table:
    """Put one mapping over another: mappings merge key by key, everything else is replaced."""
    items, keys = dict(below.items), dict(below.keys)
    for name, node in above.items.items():
        default = items.get(name)
        items[name] = merged(default, node) if isinstance(default, Table) and isinstance(node, Table) else node
        keys[name] = above.keys[name]
    return Table(above.mark, items, keys)


def resolve(node: Node, path: Sequence[str | int]) -> tuple[list[str | int], Node]:
    """Follow `path` as far as it leads, skipping the steps that lead nowhere.

    Returns the steps that were taken and the value there.
    """
    taken: list[str | int] = []
    for step in path:
        inner = _entry(node, step)
        if inner is not None:
            node = inner
            taken.append(step)
    return taken, node


def _entry(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Table) and isinstance(step, str):
        return node.items.get(step)
    if isinstance(node, Listing) and isinstance(step, int) and step < len(node.items):
        return node.items[step]
    return None


def holds_broken(node: Node) -> bool:
    """Tell whether something in the value was reported already."""
    if isinstance(node, Scalar):
        return node.broken
    return any(holds_broken(item) for item in (node.items.values() if isinstance(node, Table) else node.items))


def describe(node: Node) -> str:
    """Say in words what a value is, for a message: `the number 3`, `a list`."""
    if isinstance(node, Table):
        return "a mapping"
    if isinstance(node, Listing):
        return "a list"
    if node.value is None:
        return "empty"
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    if isinstance(node.value, str):
        return f"the text '{shortened(node.value)}'"
    return f"the number {shortened(node.text)}"


def shortened(text: str, limit: int = 40) -> str:
    """Return `text`, cut off after `limit` characters and at the end of its first line."""
    first = text.partition("\n")[0]
    return text if len(text) <= limit and first == text else first[:limit] + "..."
