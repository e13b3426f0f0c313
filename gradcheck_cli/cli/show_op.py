"""`gradcheck show-op`: one operator in full."""

from __future__ import annotations

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


def show_op(
    name: Annotated[
        str, typer.Argument(autocompletion=complete_operators, help="The operator's name.", metavar="NAME")
    ],
    ops: OpsOption = None,
    output: FormatOption = Format.TEXT,
    isolated: IsolatedOption = False,
    settings: SettingsOption = UNREAD,
) -> None:
    """Show one operator: formula, arguments, domain, where it stands, and a spec that checks it."""
    del isolated  # the settings know
    # Here, since it imports NumPy.
    from gradcheck_cli.core.checkpoint import CHECKPOINT, in_expressions
    from gradcheck_cli.core.numpy_names import NUMPY_NAMES
    from gradcheck_cli.report.operators import show_json, show_text
    from gradcheck_cli.run.select_operators import file_hint

    with user_output_to_stderr() as stdout:
        with named_by_settings(settings):
            scope = make_scope(ops)
        operator = scope.find(name) or scope.find(NUMPY_NAMES.get(name, ""))
        if operator is None and name == CHECKPOINT:
            operator = in_expressions()
        if operator is None:
            hint = file_hint(name) or near(name, [*scope.names, *NUMPY_NAMES, CHECKPOINT])
            say(printable(f"error: no operator is named '{name}'" + (f"; {hint}" if hint else "")))
            raise typer.Exit(ExitCode.COULD_NOT_CHECK)
        files = [str(path) for path in ops or []]
        text = (
            show_json(operator, ops=files)
            if output is Format.JSON
            else show_text(operator, ops=files, encoding=stdout.encoding)
        )
        stdout.write(text)
