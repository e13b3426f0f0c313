"""Which files a spec may name: those under its own folder and under its project's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


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
        """Return the path that `text` means. Raises ValueError where a spec may not reach."""
        if not text.strip() or not text.isprintable():
            raise ValueError("a path is written in printable characters")
        if Path(text).is_absolute() or "\\" in text:
            raise ValueError(f"'{text}' should be relative to the spec, with / between folders")
        path = self.spec / text
        try:
            # realpath, since a link may lead out of the folder.
            real = Path(os.path.realpath(path))
        except (OSError, ValueError) as error:
            raise ValueError(f"'{text}' is no path: {error}") from error
        allowed = [Path(os.path.realpath(self.spec)), *([self.project] if self.project else [])]
        if not any(real.is_relative_to(folder) for folder in allowed):
            raise ValueError(f"'{text}' is outside the spec's folder and its project")
        return path

    def is_file(self, path: Path) -> bool:
        """Tell whether there is a regular file; a pipe or a device is none."""
        try:
            return path.is_file()
        except OSError:
            return False
