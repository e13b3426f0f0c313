"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file beside `path` and rename it, so that nobody ever sees half of it."""
    beside = _write_beside(path, text)
    try:
        os.replace(beside, path)
    except BaseException:
        _remove(beside)
        raise


def create_whole(path: Path, text: str) -> None:
    """Write a file that isn't there yet. Raises FileExistsError for one that is, however late it came."""
    beside = _write_beside(path, text)
    try:
        os.link(beside, path)  # where a rename would replace what is there, a link fails
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        _create_in_place(path, text)
    finally:
        _remove(beside)


def _write_beside(path: Path, text: str) -> Path:
    """Write a temporary file beside `path`, with the rights of any other file; return its path."""
    beside = path.with_name(f".{path.name[:50]}.{os.urandom(6).hex()}")
    _create_in_place(beside, text)
    return beside


def _create_in_place(path: Path, text: str) -> None:
    """Write a new file under its own name; half of one is removed again."""
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        try:
            stream.write(text)
            stream.flush()
        except BaseException:
            _remove(path)
            raise


def _remove(path: Path) -> None:
    with suppress(OSError):
        os.unlink(path)
