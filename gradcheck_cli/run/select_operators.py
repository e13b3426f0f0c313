"""Select the operators to check by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import OperatorError, Problem, near

_PATTERN = frozenset("*?[")


def select_operators(scope: Scope, names: Sequence[str]) -> tuple[list[Operator], list[str]]:
    """Return the operators that `names` mean, each once, and the patterns among them that nothing matches.

    Without names these are the operators of the command line's files, and all others only where it names no
    file. Raises OperatorError, with a near name, for names that no operator has.
    """
    if not names:
        return _on_all_devices(scope.given.values()) or [_found(scope, name) for name in scope.names], []
    known = scope.names
    chosen: dict[str, None] = {}
    problems, unmatched = [], []
    for name in names:
        matching = [name] if name in known else [each for each in known if fnmatchcase(each, name)]
        chosen |= dict.fromkeys(matching)
        if not matching and _PATTERN.isdisjoint(name):
            hint = file_hint(name) or near(name, known) or "gradcheck list-ops lists them"
            problems.append(Problem(f"no operator is named '{name}'", code="unknown-operator", hint=hint))
        elif not matching:
            unmatched.append(name)
    if problems:
        raise OperatorError(problems)
    return _on_all_devices(_found(scope, name) for name in chosen), unmatched


def file_hint(name: str) -> str:
    """Return the hint for a name that no operator has: the file that it is, or that is named so; empty if none is."""
    if name.endswith((".py", ".yaml", ".yml")):
        return f"the operators of a file: --ops {name}"
    with suppress(OSError, ValueError):  # too long for a path, a null byte
        if name.isprintable() and Path(f"{name}.py").is_file():
            return f"there is a file of that name: --ops {name}.py"
    return ""


def _on_all_devices(operators: Iterable[Operator]) -> list[Operator]:
    return [each for operator in operators for each in (operator, *operator.elsewhere)]


def _found(scope: Scope, name: str) -> Operator:
    operator = scope.find(name)
    assert operator is not None, name
    return operator
