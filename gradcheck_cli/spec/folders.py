"""Which files a spec may name: those under its own folder and under its project's."""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from gradcheck_cli.errors import near
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.settings_file import PROJECT_FILE


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


def project_root(folder: Path) -> Path | None:
    """Return the nearest folder, from `folder` upwards, that holds a pyproject.toml or a `.git`; None if none does.

    A `.git` is a file in a worktree and in a submodule.
    """
    start = Path(os.path.realpath(folder))
    return next((each for each in (start, *start.parents) if _is_root(each)), None)


def _is_root(folder: Path) -> bool:
    try:
        return (folder / PROJECT_FILE).is_file() or (folder / ".git").exists()
    except OSError:
        return False


@dataclass(frozen=True)
class Folders:
    """The folder of a spec, from which its paths are counted."""

    spec: Path

    @cached_property
    def project(self) -> Path | None:
        """The root of the project that the spec belongs to, None if there is none."""
        return project_root(self.spec)

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
                "a project begins at the nearest pyproject.toml or .git above the spec; "
                "for operators there is --ops FILE, too"
            )
            raise Unusable(f"'{text}' is outside the spec's folder and its project", hint)
        return path

    def near_file(self, text: str, suffixes: Collection[str]) -> str:
        """Suggest a file in place of a missing one: that path higher up, or a name beside it; empty if none."""
        start = Path(os.path.realpath(self.spec))
        for levels, folder in enumerate(start.parents, 1):
            if self.project is None or not folder.is_relative_to(self.project):
                break
            if self.is_file(folder / text):
                return f"it lies higher up: '{'../' * levels}{Path(text).as_posix()}'"
        return near_file(self.spec / text, suffixes)

    def is_file(self, path: Path) -> bool:
        """Tell whether there is a regular file; a pipe or a device is none."""
        try:
            return path.is_file()
        except OSError:
            return False
