"""Which files a spec may name: those under its own folder and under its project's."""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from gradcheck_cli.errors import near
from gradcheck_cli.light_dataclass import dataclass


class Unusable(ValueError):
    """A file or module that a spec names can't be used; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def near_file(path: Path, suffixes: Collection[str]) -> str:
    """Suggest a file beside a missing one as a sentence, or return an empty string."""
    try:
        files = [other for other in path.parent.iterdir() if other.suffix in suffixes and other.is_file()]
    except (OSError, ValueError):
        return ""
    # The stems alone, since every two short names that end alike would be near each other.
    return near(path.name, [other.name for other in files if near(path.stem, [other.stem])])


@dataclass(frozen=True)
class Folders:
    """The folder of a spec, from which its paths are counted."""

    spec: Path

    @cached_property
    def project(self) -> Path | None:
        """The nearest folder upwards that holds a pyproject.toml, None if there is none."""
        start = Path(os.path.realpath(self.spec))
        return next((folder for folder in (start, *start.parents) if (folder / "pyproject.toml").is_file()), None)

    def locate(self, text: str) -> Path:
        """Return the path that `text` means. Raises Unusable where a spec may not reach."""
        if not text.strip() or not text.isprintable():
            raise Unusable("a path is written in printable characters")
        if Path(text).is_absolute() or "\\" in text:
            raise Unusable(f"'{text}' should be relative to the spec, with / between folders")
        path = self.spec / text
        try:
            # realpath, since a link may lead out of the folder.
            real = Path(os.path.realpath(path))
        except (OSError, ValueError) as error:
            raise Unusable(f"'{text}' is no path: {error}") from error
        allowed = [Path(os.path.realpath(self.spec)), *([self.project] if self.project else [])]
        if not any(real.is_relative_to(folder) for folder in allowed):
            hint = (
                "a project begins at the nearest pyproject.toml above the spec; for operators there is --ops FILE, too"
            )
            raise Unusable(f"'{text}' is outside the spec's folder and its project", hint)
        return path

    def is_file(self, path: Path) -> bool:
        """Tell whether there is a regular file; a pipe or a device is none."""
        try:
            return path.is_file()
        except OSError:
            return False
