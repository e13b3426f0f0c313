"""Settings of a project: what it sets for all of its runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from gradcheck_cli.light_dataclass import dataclass

INCLUDE = ("*.grad.yaml",)


@dataclass(frozen=True)
class Settings:
    """What a project sets for all of its runs; an option or a variable of the environment goes before it.

    `root` is the folder from which its paths start: that of the file, or the current one without a file. `paths` are
    what is checked where a command line names nothing. A walk through folders takes files that `include` matches and
    passes over files and folders that `exclude` matches. `seed` and `knobs` are for specs that say nothing themselves.
    """

    root: Path = field(default_factory=Path)
    file: Path | None = None
    paths: tuple[str, ...] = ()
    include: tuple[str, ...] = INCLUDE
    exclude: tuple[str, ...] = ()
    ops: tuple[Path, ...] = ()
    report: tuple[str, ...] = ()
    require_device: tuple[str, ...] = ()
    seed: int = 0
    strict: bool = False
    jobs: str | None = None
    color: str | None = None
    cache_dir: Path | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict)

    def includes(self, path: str) -> bool:
        """Tell whether a walk takes the file at `path`."""
        return self._matches(path, self.include) and not self.excludes(path)

    def excludes(self, path: str) -> bool:
        """Tell whether a walk passes over what is at `path`, a file or a folder."""
        return bool(self.exclude) and self._matches(path, self.exclude)

    def _matches(self, path: str, patterns: tuple[str, ...]) -> bool:
        """Tell whether a pattern fits: the name, or the path from the root where the pattern has a slash."""
        name = os.path.basename(path)
        if any(fnmatchcase(name, pattern) for pattern in patterns if "/" not in pattern):
            return True
        long = [pattern.strip("/") for pattern in patterns if "/" in pattern]
        if not long:
            return False
        relative = Path(os.path.relpath(os.path.realpath(path), os.path.realpath(self.root))).as_posix()
        return any(fnmatchcase(relative, pattern) for pattern in long)
