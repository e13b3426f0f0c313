"""The operators that a command line can name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gradcheck_cli.cli.endings import operators_interrupts
from gradcheck_cli.cli.streams import say
from gradcheck_cli.errors import printable

if TYPE_CHECKING:
    from gradcheck_cli.core.scope import Scope


def make_scope(ops: Sequence[Path] | None) -> Scope:
    """Return the scope of the command line: operators of --ops, built-in ones, installed packs.

    Raises GradcheckError for a file that can't be used.
    """
    # Here, since these import NumPy.
    from gradcheck_cli.bridges.library import Library
    from gradcheck_cli.core.scope import Scope
    from gradcheck_cli.spec.operator_lists import load_operators

    library = Library()
    with operators_interrupts():
        scope = Scope(library, given=load_operators(list(ops or []), library))
    for note in library.notes:
        say(printable(f"note: {note}"))
    return scope
