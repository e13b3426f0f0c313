"""What is different in a step of GitHub Actions: its runner takes lines of the output for commands."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from gradcheck_cli.cli.streams import as_utf8, on_github, say, say_raw, write_raw
from gradcheck_cli.errors import printable

_tokens: list[str] = []

_PAUSE = 0.1
"""Seconds in which the runner reads what was written to one stream, before it is relied upon on the other."""


def workspace() -> str:
    """Return the folder of the repository, empty where it isn't known."""
    folder = os.environ.get("GITHUB_WORKSPACE", "")
    return os.path.realpath(folder) if folder else ""


# The runner reads the two streams in no fixed order, but has one state for both: commands are taken, or they aren't
# until their token comes. So a stream may rely on nothing that the other one says:
# - What we write is harmless by itself (`streams.harmless`), except for annotations, whose lines are escaped.
# - What operators print can't be escaped. It goes to standard error alone, which stops commands before anything else
#   and allows them around annotations, all in one write.
# - Annotations on standard output come after standard error has allowed commands for good, and without a token: one
#   there would allow what operators printed before, if the runner reads that later. So all that another order could do
#   is swallow annotations, and a pause makes it unlikely.
# A token counts at the start of a line only, and what was printed before it may have no end of line.


@contextmanager
def commands_stopped() -> Iterator[None]:
    """Let the runner take nothing for a command in the `with` block: names and messages may look like one."""
    if not on_github():
        yield
        return
    import secrets  # here, since most runs are no step of GitHub Actions

    token = secrets.token_hex(16)
    _tokens.append(token)
    say_raw(f"::stop-commands::{token}")
    try:
        yield
    finally:
        _allow_for_good()


def annotate(text: str) -> None:
    """Write annotations to standard error, where the runner reads them as well."""
    if text:
        say_raw(_allowed(text).rstrip("\n"))


def write_annotations(stdout: TextIO, text: str) -> None:
    """Write annotations to standard output, whose format they are. Commands are allowed from here on."""
    if _allow_for_good():
        time.sleep(_PAUSE)
    write_raw(as_utf8(stdout), text)


def _allow_for_good() -> bool:
    """Let the runner take commands again until the process ends; tell whether it took none."""
    if not _tokens:
        return False
    say_raw(f"\n::{_tokens.pop()}::")
    return True


def _allowed(text: str) -> str:
    """Return annotations between lines that allow commands and stop them again, where they are stopped at all."""
    return f"\n::{_tokens[-1]}::\n{text}::stop-commands::{_tokens[-1]}\n" if _tokens else text


def summary_room() -> int:
    """Return how many bytes the page of the run still takes; 0 where it has none."""
    from gradcheck_cli.report.formats import LARGEST  # here, since most runs are no step of GitHub Actions

    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return 0
    try:
        return max(LARGEST - os.path.getsize(file), 0)
    except OSError:
        return LARGEST


def append_summary(text: str) -> None:
    """Append Markdown to the page of the run; that it can't be written is no fault."""
    try:
        with open(os.environ["GITHUB_STEP_SUMMARY"], "ab+") as stream:
            end = stream.seek(0, os.SEEK_END)
            stream.seek(max(end - 1, 0))
            fresh = stream.read(1) in (b"", b"\n")
            stream.write((text if fresh else f"\n{text}").encode())
    except OSError as error:
        say(printable(f"note: the summary can't be written: {error.strerror or error}"))
