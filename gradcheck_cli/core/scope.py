"""Scope: which operator a name means in one spec. The nearer level wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gradcheck_cli.core.levels import levels_of
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.light_dataclass import dataclass

__all__ = ["Scope", "levels_of"]


@dataclass
class Scope:
    """The operators of one spec by level, nearest first: its own, the command line's, the built-in ones.

    Installed packs come last, and are loaded only when a name is otherwise unknown.
    """

    loader: Loader
    own: dict[str, Operator] = field(default_factory=dict)
    given: dict[str, Operator] = field(default_factory=dict)

    def find(self, name: str) -> Operator | None:
        """Return the operator that `name` means here, None if there is none.

        Raises OperatorError for a name that only installed packs have, and two of them.
        """
        for level in (self.own, self.given, self.builtins):
            if name in level:
                return level[name]
        packs = self.loader.packs
        if name in packs.clashes:
            raise OperatorError(packs.clashes[name])
        return packs.operators.get(name)

    def shadows(self, name: str) -> list[Operator]:
        """List the operators of that name which a nearer one hides, nearest first."""
        return [level[name] for level in (self.own, self.given, self.builtins) if name in level][1:]

    @property
    def names(self) -> list[str]:
        """All names, installed packs' included."""
        return sorted({*self.own, *self.given, *self.builtins, *self.packs})

    @property
    def builtins(self) -> Mapping[str, Operator]:
        """The built-in operators."""
        return self.loader.built_in

    @property
    def packs(self) -> dict[str, Operator]:
        """The operators of installed packages (entry points of the group `gradcheck.ops`) that can be used."""
        return self.loader.packs.operators

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with installed packs, to be said beside a name that wasn't found."""
        return self.loader.packs.problems
