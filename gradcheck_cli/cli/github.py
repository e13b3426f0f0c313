"""What is different in a step of GitHub Actions: its runner takes lines of the output for commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gradcheck_cli.cli.streams import say
from gradcheck_cli.errors import printable

_tokens: list[str] = []

Write = Callable[[str], object]


def on_github() -> bool:
    """Tell whether this is a step of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def workspace() -> str:
    """Return the folder of the repository, empty where it isn't known."""
    folder = os.environ.get("GITHUB_WORKSPACE", "")
    return os.path.realpath(folder) if folder else ""


@contextmanager
def commands_stopped() -> Iterator[None]:
    """Let the runner take nothing for a command in the `with` block: names and messages may look like one."""
    if not on_github():
        yield
        return
    import secrets  # here, since most runs are no step of GitHub Actions

    token = secrets.token_hex(16)
    _tokens.append(token)
    say(f"::stop-commands::{token}")
    try:
        yield
    finally:
        _tokens.pop()
        say(f"::{token}::")


@contextmanager
def commands_allowed(write: Write = say) -> Iterator[None]:
    """Let the runner take commands again in the `with` block.

    `write` writes a line to the stream that has the commands: the runner reads the two streams in no fixed order.
    """
    if not _tokens:
        yield
        return
    write(f"::{_tokens[-1]}::")
    try:
        yield
    finally:
        write(f"::stop-commands::{_tokens[-1]}")


def annotate(text: str) -> None:
    """Write annotations to standard error, where the runner reads them as well."""
    if text:
        with commands_allowed():
            say(text.rstrip("\n"))


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
