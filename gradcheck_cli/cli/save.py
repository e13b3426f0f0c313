"""Files that a command writes: whole or not at all, and never over somebody else's."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from gradcheck_cli.errors import GradcheckError, Location, Problem


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


def write_whole(path: Path, text: str) -> None:
    """Write a file beside `path` and rename it, so that nobody ever sees half of it."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # a temporary file is for its owner alone
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
