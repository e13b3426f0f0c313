"""The standard streams of a command: standard output for the chosen format, standard error for everything else."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO

from gradcheck_cli.errors import printable

_COMMAND = re.compile(r"((?:\A|(?<=[\r\n]))[^\S\r\n]*):(?=:)|#(?=#\[)")
"""What the runner of GitHub Actions takes for a command: `::` at the start of a line, `##[` anywhere."""


def on_github() -> bool:
    """Tell whether this is a step of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def harmless(text: str, fresh: bool = True) -> str:
    r"""Return `text` without lines that are commands to GitHub's runner; `fresh`: it begins at the start of a line.

    The escapes mean the same in a JSON text, which has such characters inside of strings only.
    """

    def escaped(found: re.Match[str]) -> str:
        if found[1] is None:
            return "\\u0023"
        return found[0] if found.start() == 0 and not fresh else f"{found[1]}\\u003a"

    return _COMMAND.sub(escaped, text)


def say(text: str) -> None:
    """Write lines to standard error, escaped where its encoding can't write them."""
    say_raw(harmless(text) if on_github() else text)


def say_raw(text: str) -> None:
    """Write lines to standard error, at once and as they are, commands of GitHub's runner included."""
    if sys.stderr is not None:
        with suppress(OSError):  # nobody listens
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def failure_text(error: OSError) -> str:
    """Return what to say of a file or a disk that fails, and that we can't mend."""
    return printable(f"error: {error.strerror or error}" + (f": '{error.filename}'" if error.filename else ""))


def as_utf8(stream: TextIO) -> TextIO:
    """Let a stream write UTF-8 from here on, which its readers expect whatever the locale is."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
    return stream


def write_raw(stream: TextIO, text: str) -> None:
    """Write to a stream what is meant to be a command of GitHub's runner."""
    if isinstance(stream, StandardOutput):
        stream.guarded = False
        stream.write(text)
        stream.guarded = on_github()
    else:
        stream.write(text)


class StandardOutput(io.TextIOWrapper):
    """The real standard output; what can't be written any more ends nothing.

    A run has more to do than to be read: reports to write, failures to remember, and an exit code that has to be that
    of its checks, also under `| head -1`. So it goes on when its reader leaves, and writes nothing more here. `lost` is
    why, None while all is well; who ends a command says what needs to be said (see `user_output_to_stderr`).
    """

    def __init__(self, descriptor: int, like: TextIO) -> None:
        super().__init__(
            open(descriptor, "wb"),  # noqa: SIM115 (closed with this stream)
            encoding=like.encoding,
            errors=like.errors,
            line_buffering=os.isatty(descriptor),
        )
        self.lost: OSError | None = None
        self.guarded = on_github()
        self._fresh = True

    def write(self, text: str) -> int:
        """Write text, as long as it can be written."""
        if self.lost is None and text:
            if self.guarded:
                text, self._fresh = harmless(text, self._fresh), text.endswith(("\n", "\r"))
            try:
                return super().write(text)
            except OSError as error:
                self._lose(error)
        return len(text)

    def flush(self) -> None:
        """Write what waits, as long as it can be written."""
        if self.lost is None and not self.closed:
            try:
                super().flush()
            except OSError as error:
                self._lose(error)

    def _lose(self, error: OSError) -> None:
        self.lost = error
        _point_at(self.fileno(), None)  # what waits in buffers has to go somewhere when they are closed


@contextmanager
def user_output_to_stderr() -> Iterator[TextIO]:
    """Send what user code prints to standard error; yield the real standard output.

    The file descriptor goes there too: libraries and child processes print past Python. A reader that has left is no
    fault. Raises OSError at the end of the block if anything else kept standard output from being written.
    """
    with _real_stdout() as stdout, redirect_stdout(sys.stderr):
        yield stdout
        stdout.flush()
        lost = stdout.lost if isinstance(stdout, StandardOutput) else None
        if lost is not None and lost.errno != errno.EPIPE:
            raise lost


@contextmanager
def _real_stdout() -> Iterator[TextIO]:
    stream: TextIO | None = sys.stdout
    replaced = stream is not sys.__stdout__  # by another program, which calls us
    if stream is None:  # it was closed before the start
        with open(os.devnull, "w") as nowhere:
            yield nowhere
        return
    if replaced:
        yield stream
        return
    stream.flush()
    real = os.dup(stream.fileno())
    # It stays like this until the process ends: a library may flush its own buffers as late as that.
    _point_at(stream.fileno(), sys.__stderr__)
    with StandardOutput(real, stream) as own:
        yield own


def _point_at(descriptor: int, stream: TextIO | None) -> None:
    """Let a file descriptor write where `stream` does; nowhere for None."""
    if stream is not None:
        os.dup2(stream.fileno(), descriptor)
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
