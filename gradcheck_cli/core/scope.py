"""Scope: which operator a name means in one spec. The nearer level wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata

from gradcheck_cli.core.loader import Loader, same_name
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError, Problem

ENTRY_POINT_GROUP = "gradcheck.ops"


def levels_of(groups: Sequence[Sequence[Operator]]) -> dict[str, Operator]:
    """Join the operators of one level by name. Raises OperatorError for two of one name."""
    joined: dict[str, Operator] = {}
    for operator in (operator for group in groups for operator in group):
        other = joined.setdefault(operator.name, operator)
        if other is not operator:
            raise OperatorError(same_name(other, operator))
    return joined


@dataclass
class Scope:
    """The operators of one spec by level, nearest first: its own, the command line's, the built-in ones.

    Installed packs come last, and are loaded only when a name is otherwise unknown.
    """

    loader: Loader
    own: dict[str, Operator] = field(default_factory=dict)
    given: dict[str, Operator] = field(default_factory=dict)

    def find(self, name: str) -> Operator | None:
        """Return the operator that `name` means here, None if there is none."""
        for level in (self.own, self.given, self.builtins):
            if name in level:
                return level[name]
        return self.packs.get(name)

    def shadows(self, name: str) -> list[Operator]:
        """List the operators of that name which a nearer one hides, nearest first."""
        return [level[name] for level in (self.own, self.given, self.builtins) if name in level][1:]

    @property
    def names(self) -> list[str]:
        """All names, installed packs' included."""
        return sorted({*self.own, *self.given, *self.builtins, *self.packs})

    @property
    def builtins(self) -> dict[str, Operator]:
        """The built-in operators, collected as a user's file is."""
        return levels_of([self.loader.module("gradcheck_cli.ops")])

    @property
    def packs(self) -> dict[str, Operator]:
        """The operators of installed packages (entry points of the group `gradcheck.ops`)."""
        groups = []
        for entry in metadata.entry_points(group=ENTRY_POINT_GROUP):
            try:
                groups.append(self.loader.module(entry.module))
            except OperatorError as error:
                message = f"the installed operator pack '{entry.name}' can't be used"
                raise OperatorError([Problem(message, code="broken-pack"), *error.problems]) from error
        return levels_of(groups)
