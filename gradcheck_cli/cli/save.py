"""Files that a command writes, and never over somebody else's."""

from __future__ import annotations

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
