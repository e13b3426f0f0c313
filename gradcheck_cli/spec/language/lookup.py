"""Which operator a name in an expression means: by call, by method or by NumPy's namespace."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property

from gradcheck_cli.core.numpy_names import NUMPY_NAMES, OTHER_MEANINGS
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import OperatorError, Problem, near
from gradcheck_cli.light_dataclass import dataclass

_NAMESPACES = ("np", "numpy")
_DROPPED = ("linalg", "fft")


@dataclass
class Lookup:
    """Finds operators in `scope`, each name once; `problems` gets what is wrong with an installed pack."""

    scope: Scope
    problems: list[Problem]
    _found: dict[str, Operator | None] = field(default_factory=dict)

    @cached_property
    def builtins(self) -> Mapping[str, Operator]:
        """The built-in operators. Raises OperatorError if they can't be collected."""
        return self.scope.builtins

    def called(self, name: str) -> Operator | None:
        """Return the operator that a call by `name` means: the nearest."""
        other = NUMPY_NAMES.get(name, name)
        return self._find(name if self.is_operator(name) or not self.is_operator(other) else other)

    def builtin(self, name: str) -> Operator | None:
        """Return the built-in operator of that name, for arithmetic and methods."""
        return self.builtins.get(name) or self.builtins.get(NUMPY_NAMES.get(name, ""))

    def is_operator(self, name: str) -> bool:
        """Tell whether a name that stands alone is an operator's, without looking into installed packs."""
        return any(name in level for level in (self.scope.own, self.scope.given, self.builtins))

    def suggestion(self, name: str) -> str:
        """Return the hint for an unknown operator: a near name, or where operators come from.

        What is wrong with installed packs is a problem from here on: the name might be one of theirs.
        """
        self._add(self.scope.problems)
        return (
            near(name, [*self._names, *NUMPY_NAMES])
            or "`gradcheck list-ops` lists them; your own come from files under ops:"
        )

    @cached_property
    def _names(self) -> list[str]:
        return self.scope.names

    def _find(self, name: str) -> Operator | None:
        if name not in self._found:
            try:
                self._found[name] = self.scope.find(name)
            except OperatorError as error:
                self._found[name] = None
                self._add(error.problems)
        return self._found[name]

    def _add(self, problems: Iterable[Problem]) -> None:
        self.problems.extend(problem for problem in problems if problem not in self.problems)


def dotted_names(node: ast.expr) -> list[str]:
    """Return the names of `np.linalg.inv` in order; none for what is more than names and dots."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def numpy_name(node: ast.expr, taken: Callable[[str], bool]) -> str | None:
    """Return what is left of `np.exp`, `np.linalg.inv` or `numpy.fft.rfft` without its namespace.

    Returns None for what doesn't start with NumPy, `taken` telling whether a name is an array's or a
    constant's, and the full dotted text for a part of NumPy that isn't dropped (`np.random.rand`), as for what
    means something else there than the operator of that name (`np.linalg.trace`).
    """
    names = dotted_names(node)
    if len(names) < 2 or names[0] not in _NAMESPACES or taken(names[0]):
        return None
    inner, name = names[1:-1], names[-1]
    dropped = not inner or (len(inner) == 1 and inner[0] in _DROPPED)
    if (full := ".".join(["np", *names[1:]])) in OTHER_MEANINGS:
        return full
    return name if dropped and not name.startswith("_") else ".".join(names)
