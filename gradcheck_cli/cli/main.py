"""The command line: what is common to all commands.

Commands import what they need when they run, so that `--version`, `--help` and usage errors start
without NumPy.
"""

from __future__ import annotations

import errno
import gc
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from gradcheck_cli import __version__
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.github import commands_stopped
from gradcheck_cli.cli.program import Program
from gradcheck_cli.cli.streams import failure_text, say
from gradcheck_cli.cli.termination import Termination, terminations
from gradcheck_cli.cli.threads import start_no_blas_threads
from gradcheck_cli.errors import GradcheckError, printable

app = typer.Typer(
    name="gradcheck",
    cls=Program,
    help="Check hand-written gradients: is each backward pass right, and if not, what is wrong with it?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line (default: that of the process) and end the process with its exit code."""
    gc.disable()  # see `garbage`
    start_no_blas_threads()
    with commands_stopped(), terminations() as termination:
        _end(arguments, termination)


def _end(arguments: Sequence[str] | None, termination: Termination) -> NoReturn:
    try:
        app(arguments, standalone_mode=True)
    except SystemExit as end:
        if _reader_left(end):  # of `--help`; whether a check failed, `run` says whatever becomes of its reader
            sys.exit(ExitCode.OK)
        if end.code == ExitCode.INTERRUPTED:
            _interrupted(termination)
        raise
    except GradcheckError as error:
        say(str(error))
        sys.exit(ExitCode.COULD_NOT_CHECK)
    except KeyboardInterrupt:
        _interrupted(termination)
    except OSError as error:
        # The disk is full, a folder can't be read: nothing that we could mend.
        say(failure_text(error))
        sys.exit(ExitCode.COULD_NOT_CHECK)
    except BaseException as error:
        say(traceback.format_exc())
        say(printable(f"internal error: {type(error).__name__}: {error}"))
        say("This is a bug in gradcheck; please report it with the lines above.")
        sys.exit(ExitCode.INTERNAL_ERROR)
    sys.exit(ExitCode.OK)


def _reader_left(end: SystemExit) -> bool:
    """Tell whether a command ended because nobody reads standard output any more, as under `| head -1`."""
    return isinstance(end.__context__, OSError) and end.__context__.errno == errno.EPIPE


def _interrupted(termination: Termination) -> NoReturn:
    say("terminated" if termination.heard else "interrupted")
    sys.exit(ExitCode.TERMINATED if termination.heard else ExitCode.INTERRUPTED)
