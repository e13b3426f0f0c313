"""What a spec says about one array, and what it is read with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradcheck_cli.core.domain import Domain
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.arrays.files import ArrayFiles
from gradcheck_cli.spec.arrays.given import GivenValues
from gradcheck_cli.spec.text.nodes import Mark, Node, Scalar, Table, plain
from gradcheck_cli.spec.text.problems import Problems


@dataclass(frozen=True, eq=False)
class Setting:
    """What the arrays of one case are read with.

    `domains` are those that operators declare for arrays, None where the expression wasn't
    understood; `indices` are the arrays that stand as an index; `dtype` is the floating type of the case.
    """

    dims: Mapping[str, Any]
    domains: Mapping[str, Domain] | None
    indices: frozenset[str]
    dtype: str
    files: ArrayFiles
    values: GivenValues
    problems: Problems


@dataclass(frozen=True, eq=False)
class Entry:
    """One array of a case in its long form; `mark` is where its name stands."""

    name: str
    keys: Table
    mark: Mark
    is_parameter: bool
    setting: Setting

    @property
    def given(self) -> str:
        """The key that gives the numbers, `value` or `file`; empty for an array that is drawn."""
        return next((key for key in ("value", "file") if key in self.keys.items), "")

    @property
    def declared(self) -> Domain:
        """What operators declare for the array."""
        return (self.setting.domains or {}).get(self.name, Domain())

    def or_floats(self, hint: str = "") -> str:
        """Add to a hint about integers where floating-point numbers belong in their place, if that is known."""
        return "; ".join(filter(None, (hint, self.declared.floats)))

    def __contains__(self, key: str) -> bool:
        return key in self.keys.items

    def plain(self, key: str) -> Any:
        """Return what a key says, None if it isn't there."""
        return plain(self.keys.items[key]) if key in self.keys.items else None

    def say(self, key: str, message: str, code: str, hint: str = "") -> None:
        """Note a problem with a key, or with the array as a whole."""
        self.setting.problems.add(self.keys.keys.get(key, self.mark), message, code, hint)

    def say_of_value(self, key: str, message: str, code: str, hint: str = "") -> None:
        """Note a problem with the value of a key."""
        self.setting.problems.add(self.keys.items[key].mark, message, code, hint)


def array_keys(node: Node) -> Table:
    """Return the long form of a parameter or an input: numbers are a value, a text is a shape."""
    if isinstance(node, Table):
        return node
    key = "shape" if isinstance(node, Scalar) and isinstance(node.value, str) else "value"
    return Table(node.mark, {key: node}, {key: node.mark})
