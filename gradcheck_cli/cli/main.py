"""The command line: what is common to all commands.

Commands import what they need when they run, so that `--version`, `--help` and usage errors start
without NumPy.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

from gradcheck_cli import __version__
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.list_ops import list_ops
from gradcheck_cli.cli.run import run
from gradcheck_cli.cli.show_op import show_op
from gradcheck_cli.errors import GradcheckError, printable

app = typer.Typer(
    name="gradcheck",
    help="Check hand-written gradients: is each backward pass right, and if not, what is wrong with it?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(run)
app.command("list-ops")(list_ops)
app.command("show-op")(show_op)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gradcheck {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    del version  # answered by its callback


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        app(standalone_mode=True)
    except GradcheckError as error:
        typer.echo(str(error), err=True)
        sys.exit(ExitCode.COULD_NOT_CHECK)
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # Who read our output has gone. Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.FAILED)
    except Exception as error:
        traceback.print_exc()
        reason = printable(f"{type(error).__name__}: {error}")
        typer.echo(
            f"internal error: {reason}\nThis is a bug in gradcheck; please report it with the lines above.", err=True
        )
        sys.exit(ExitCode.INTERNAL_ERROR)
