"""`gradcheck list-ops`: what operators there are."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated

import typer

from gradcheck_cli.cli.choices import Format
from gradcheck_cli.cli.completion import complete_operators
from gradcheck_cli.cli.configuration import UNREAD, IsolatedOption, SettingsOption, named_by_settings
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.options import FormatOption, OpsOption
from gradcheck_cli.cli.scope import make_scope
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import near, printable


def list_ops(
    pattern: Annotated[
        str,
        typer.Argument(
            autocompletion=complete_operators,
            help="Only names that match, for instance 'conv*'.",
            metavar="PATTERN",
        ),
    ] = "*",
    ops: OpsOption = None,
    output: FormatOption = Format.TEXT,
    isolated: IsolatedOption = False,
    settings: SettingsOption = UNREAD,
) -> None:
    """List the operators: built-in ones, those of installed packages, and those of --ops."""
    del isolated  # the settings know
    # Here, since it imports NumPy.
    from gradcheck_cli.core.checkpoint import CHECKPOINT, in_expressions
    from gradcheck_cli.report.operators import list_json, list_text

    with user_output_to_stderr() as stdout:
        with named_by_settings(settings):
            scope = make_scope(ops)
        names = [name for name in scope.names if fnmatchcase(name, pattern)]
        for problem in scope.problems:
            say(str(problem))
        operators = [operator for name in names if (operator := scope.find(name)) is not None]
        if CHECKPOINT not in scope.names and fnmatchcase(CHECKPOINT, pattern):
            operators.append(in_expressions())
        if not operators:
            hint = near(pattern, scope.names)
            say(printable(f"error: no operator matches '{pattern}'" + (f"; {hint}" if hint else "")))
            raise typer.Exit(ExitCode.NOTHING_SELECTED)
        stdout.write(list_json(operators) if output is Format.JSON else list_text(operators, stdout.encoding))
