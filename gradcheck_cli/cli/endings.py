"""Which of several ends of a command counts, and whose Ctrl-C it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.streams import failure_text, say
from gradcheck_cli.errors import GradcheckError, OperatorError


@contextmanager
def interrupt_first(code: Callable[[], ExitCode]) -> Iterator[None]:
    """Let an interrupt, if that is what `code` says, end the command even where results can't be written after it.

    What can't be written is said all the same. Raises typer.Exit in place of GradcheckError and OSError then.
    """
    try:
        yield
    except (GradcheckError, OSError) as error:
        if code() is not ExitCode.INTERRUPTED:
            raise
        say(failure_text(error) if isinstance(error, OSError) else str(error))
        raise typer.Exit(ExitCode.INTERRUPTED) from error


@contextmanager
def said_too(error: GradcheckError) -> Iterator[None]:
    """Raise both where a report of `error` can't be written: its own problems, and those of `error` before them."""
    try:
        yield
    except GradcheckError as other:
        raise GradcheckError([*error.problems, *other.problems]) from error


@contextmanager
def operators_interrupts() -> Iterator[None]:
    """Tell Ctrl-C from a KeyboardInterrupt that an operator file raises while it is read: that is its own mistake.

    Raises OperatorError with its place for the latter.
    """
    from gradcheck_cli.run.interrupt import hearing  # here, since few commands read operator files

    with hearing() as interrupts:
        try:
            with interrupts.stopping():
                yield
                interrupts.check()
        except KeyboardInterrupt as error:
            if interrupts.blamed():
                raise
            from gradcheck_cli.core.import_failure import import_failure

            raise OperatorError(import_failure(error, "an operator file doesn't import")) from error
