"""A loader that also finds the operators of files that mark none."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.same_folder import same_folder


class Library(Loader):
    """Loads operators as a `Loader` does, and searches a file without `@op` for code that it knows how to call.

    `notes` says what was found there, one line for each operator.
    """

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []

    def unmarked(self, module: ModuleType, path: Path) -> tuple[Operator, ...]:
        """Return the operators that `discover` makes of a file. Raises OperatorError where it finds none."""
        # Here, since a file that marks its operators needs none of it.
        from gradcheck_cli.bridges.discovery import discover

        with same_folder():  # it is called to see what it does
            found = discover(module, path)
        self.notes += [f"{path.name}: no @op; found {line}" for line in found.lines]
        self.notes += [f"{path.name}: {note}" for note in found.notes]
        return found.operators
