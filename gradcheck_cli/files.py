"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_RIGHTS = 0o777


def write_whole(path: Path, text: str) -> None:
    """Write a file beside `path` and rename it, so that nobody ever sees half of it.

    It has the rights of the file that it replaces: what others may not read, they may not read afterwards either.
    """
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
    """Write a temporary file beside `path`, with its rights or those of any other new file; return its path."""
    beside = path.with_name(f".{path.name[:50]}.{os.urandom(6).hex()}")
    try:
        rights: int | None = stat.S_IMODE(path.stat().st_mode) & _RIGHTS
    except OSError:  # there is none yet
        rights = None
    _create_in_place(beside, text, rights)
    return beside


def _create_in_place(path: Path, text: str, rights: int | None = None) -> None:
    """Write a new file under its own name; half of one is removed again."""
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        try:
            if rights is not None:
                os.chmod(path, rights)  # while it is empty
            stream.write(text)
            stream.flush()
        except BaseException:
            _remove(path)
            raise


def _remove(path: Path) -> None:
    with suppress(OSError):
        os.unlink(path)
