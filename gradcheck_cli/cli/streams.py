"""The standard streams of a command: standard output for the chosen format, standard error for everything else."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO


def say(text: str) -> None:
    """Write lines to standard error, escaped where its encoding can't write them."""
    if sys.stderr is not None:
        with suppress(OSError):  # nobody listens
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def as_utf8(stream: TextIO) -> TextIO:
    """Let a stream write UTF-8 from here on, which its readers expect whatever the locale is."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
    return stream


@contextmanager
def user_output_to_stderr() -> Iterator[TextIO]:
    """Send what user code prints to standard error; yield the real standard output.

    The file descriptor goes there too: libraries and child processes print past Python.
    """
    with _real_stdout() as stdout, redirect_stdout(sys.stderr):
        yield stdout
        stdout.flush()


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
    with open(real, "w", encoding=stream.encoding, errors=stream.errors) as own:
        yield own


def _point_at(descriptor: int, stream: TextIO | None) -> None:
    """Let a file descriptor write where `stream` does; nowhere for None."""
    if stream is not None:
        os.dup2(stream.fileno(), descriptor)
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
