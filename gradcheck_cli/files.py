"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file beside `path` and rename it, so that nobody ever sees half of it."""
    name = _write_beside(path, text)
    try:
        os.replace(name, path)
    except BaseException:
        _remove(name)
        raise


def create_whole(path: Path, text: str) -> None:
    """Write a file that isn't there yet. Raises FileExistsError for one that is, however late it came."""
    name = _write_beside(path, text)
    try:
        os.link(name, path)  # where a rename would replace what is there, a link fails
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        _create_in_place(path, text)
    finally:
        _remove(name)


def _write_beside(path: Path, text: str) -> str:
    """Write a temporary file beside `path`, with the rights of any other file; return its name."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # a temporary file is for its owner alone
    except BaseException:
        _remove(name)
        raise
    return name


def _create_in_place(path: Path, text: str) -> None:
    """Write a new file under its own name; half of one is removed again."""
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        try:
            stream.write(text)
            stream.flush()
        except BaseException:
            _remove(path)
            raise


def _remove(path: str | Path) -> None:
    with suppress(OSError):
        os.unlink(path)
