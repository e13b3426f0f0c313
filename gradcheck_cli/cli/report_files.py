"""The files of `--report FORMAT=PATH`: written whole, or appended to where they are streams of this process."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from gradcheck_cli.cli.streams import as_utf8
from gradcheck_cli.files import write_whole

_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/dev/fd/(\d+)|/proc/(?:self|thread-self|(\d+)(?:/task/\d+)?)/fd/(\d+)")
_MOST_LINKS = 40


def write_report(path: Path, text: str, stdout: TextIO) -> None:
    """Write a report to a file, whole or not at all; its folder is made.

    A stream of this process is appended to, `stdout` being what standard output was before it was sent elsewhere;
    another file that can't be replaced (a pipe, a device) is opened. Raises OSError.
    """
    stream = own_stream(path)
    if stream == 1:
        as_utf8(stdout).write(text)
        stdout.flush()
    elif stream is not None:
        if sys.stderr is not None:
            sys.stderr.flush()
        with open(os.dup(stream), "w", encoding="utf-8", newline="\n") as own:
            own.write(text)
    elif path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as other:
            other.write(text)
    else:
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, text)


def own_stream(path: Path) -> int | None:
    """Return which file descriptor of this process a path leads to (`/dev/stdout`, `/dev/fd/3`); None for a file.

    Links are followed one by one, since the system follows those of a descriptor to the file that is open there.
    """
    for step in _steps(path):
        if step in _STANDARD:
            return _STANDARD[step]
        found = _DESCRIPTOR.fullmatch(step)
        if found and found[2] in (None, str(os.getpid())):
            return int(found[1] or found[3])
    return None


def same_file(path: Path) -> str:
    """Return a text that is equal for all paths of a file or a stream."""
    stream = own_stream(path)
    return os.path.realpath(path) if stream is None else f"/dev/fd/{stream}"


def _steps(path: Path) -> Iterator[str]:
    """Yield the path and what it links to, link by link, each with its folder resolved and as it was written."""
    step = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        yield step
        step = os.path.join(os.path.realpath(os.path.dirname(step)), os.path.basename(step))
        yield step
        try:
            step = os.path.normpath(os.path.join(os.path.dirname(step), os.readlink(step)))
        except (OSError, ValueError):  # it is no link
            return
