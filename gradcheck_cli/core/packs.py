"""Installed packs: operators that other packages offer through entry points."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gradcheck_cli.core.levels import same_name
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError, Problem, near
from gradcheck_cli.light_dataclass import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "gradcheck.ops"


@dataclass(frozen=True, eq=False)
class Packs:
    """What the installed packs offer.

    `clashes` are the names that two packs have, with the problem to be said when one of them is
    meant; `problems` are those of packs that can't be used. Neither harms a run that needs nothing of it.
    """

    operators: dict[str, Operator]
    clashes: dict[str, Problem]
    broken: tuple[Problem, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with installed packs."""
        return (*self.broken, *self.clashes.values())


def load_packs(load: Callable[[str], tuple[Operator, ...]]) -> Packs:
    """Load every pack that is installed, each by `load`, which imports a module and returns its operators.

    An entry point names a module, `mypack.ops`, or one operator of it, `mypack.ops:swish`.
    """
    from importlib import metadata  # here, since its import takes longer than a small check

    operators: dict[str, Operator] = {}
    clashes: dict[str, Problem] = {}
    broken: list[Problem] = []
    for entry in sorted(metadata.entry_points(group=ENTRY_POINT_GROUP)):
        try:
            found = _operators_of(entry, load)
        except OperatorError as error:
            of = f" of {entry.dist.name}" if entry.dist else ""
            message = f"the installed operator pack '{entry.name}'{of} can't be used: {error.problems[0].message}"
            first = error.problems[0]
            hint = first.hint or "update or uninstall it"
            broken.append(Problem(message, first.location, "broken-pack", hint, first.source))
            continue
        for operator in found:
            other = operators.setdefault(operator.name, operator)
            if other is not operator:
                clashes[operator.name] = same_name(other, operator)
    kept = {name: operator for name, operator in operators.items() if name not in clashes}
    return Packs(kept, clashes, tuple(broken))


def _operators_of(entry: EntryPoint, load: Callable[[str], tuple[Operator, ...]]) -> tuple[Operator, ...]:
    parts = entry.pattern.match(entry.value)
    if parts is None:
        raise OperatorError(Problem(f"its entry point '{entry.value}' names no module"))
    found = load(entry.module)
    if not entry.attr:
        return found
    named = tuple(operator for operator in found if operator.name == entry.attr)
    if not named:
        hint = near(entry.attr, [operator.name for operator in found])
        raise OperatorError(Problem(f"'{entry.module}' has no operator '{entry.attr}'", hint=hint))
    return named
