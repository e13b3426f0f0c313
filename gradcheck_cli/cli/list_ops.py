"""`gradcheck list-ops`: what operators there are."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradcheck_cli.cli.choices import Format
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.options import FormatOption
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import near, printable

if TYPE_CHECKING:
    from gradcheck_cli.core.scope import Scope

OpsOption = Annotated[
    list[Path] | None, typer.Option("--ops", help="Also the operators of this file; may be repeated.", metavar="FILE")
]


def list_ops(
    pattern: Annotated[str, typer.Argument(help="Only names that match, for instance 'conv*'.")] = "*",
    ops: OpsOption = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """List the operators: built-in ones, those of installed packages, and those of --ops."""
    # Here, since it imports NumPy.
    from gradcheck_cli.report.operators import list_json, list_text

    with user_output_to_stderr() as stdout:
        scope = make_scope(ops)
        names = [name for name in scope.names if fnmatchcase(name, pattern)]
        for problem in scope.problems:
            say(str(problem))
        operators = [operator for name in names if (operator := scope.find(name)) is not None]
        if not operators:
            hint = near(pattern, scope.names)
            say(printable(f"error: no operator matches '{pattern}'" + (f"; {hint}" if hint else "")))
            raise typer.Exit(ExitCode.NOTHING_SELECTED)
        stdout.write(list_json(operators) if output is Format.JSON else list_text(operators, stdout.encoding))


def make_scope(ops: list[Path] | None) -> Scope:
    """Return the scope of the command line: operators of --ops, built-in ones, installed packs."""
    from gradcheck_cli.bridges.library import Library
    from gradcheck_cli.core.scope import Scope
    from gradcheck_cli.spec.operator_lists import load_operators

    library = Library()
    scope = Scope(library, given=load_operators(ops or [], library))
    for note in library.notes:
        say(printable(f"note: {note}"))
    return scope
