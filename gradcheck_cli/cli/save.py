"""Files that a command writes, and never over somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

from gradcheck_cli.errors import GradcheckError, Location, Problem
from gradcheck_cli.files import create_whole


def require_free(path: Path, mark: str) -> None:
    """Raise GradcheckError unless `path` can be written: no file yet, or one that begins with `mark`."""
    where = Location(str(path))
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"can't be written: there is no folder '{path.parent}'"
        raise GradcheckError(Problem(what, where, "wrong-file"))
    try:
        with path.open("rb") as stream:
            ours = stream.read(len(mark.encode())) == mark.encode()
    except FileNotFoundError:
        return
    except OSError as error:
        raise GradcheckError(Problem(f"can't be read: {error.strerror}", where, "wrong-file")) from error
    if not ours:
        hint = "choose another name, or delete it"
        raise GradcheckError(Problem("exists, and no such command wrote it", where, "file-exists", hint))


def require_absent(path: Path) -> None:
    """Raise GradcheckError if there is anything at `path`, a link that leads nowhere included."""
    if os.path.lexists(path):
        raise _taken(path)


def create(path: Path, text: str) -> None:
    """Write a new file, whole, and the folders that it needs.

    Raises GradcheckError if there is one, even if somebody else wrote it a moment ago.
    """
    require_absent(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        what = f"can't be written: '{path.parent}' is no folder"
        raise GradcheckError(Problem(what, Location(str(path)), "wrong-file")) from error
    try:
        create_whole(path, text)
    except FileExistsError as error:
        raise _taken(path) from error


def _taken(path: Path) -> GradcheckError:
    hint = "it is never overwritten: choose another name, or delete it"
    return GradcheckError(Problem("exists already", Location(str(path)), "file-exists", hint))
