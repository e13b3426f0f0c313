"""Settings of a project: what it sets for all of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.path_patterns import matches_any

INCLUDE = ("*.grad.yaml",)


@dataclass(frozen=True)
class Settings:
    """What a project sets for all of its runs; an option or a variable of the environment goes before it.

    `root` is the folder from which its paths start: that of the file, or the current one without a file. `paths` are
    what is checked where a command line names nothing. A walk through folders takes files that `include` matches and
    passes over files and folders that `exclude` matches; patterns mean what they mean in .gitignore. `seed` and `knobs`
    are for specs that say nothing themselves.
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
        return matches_any(path, self.root, self.include, inside=True) and not self.excludes(path)

    def excludes(self, path: str) -> bool:
        """Tell whether a walk passes over what is at `path`, a file or a folder."""
        return bool(self.exclude) and matches_any(path, self.root, self.exclude)
