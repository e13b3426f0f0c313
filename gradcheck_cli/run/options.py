"""What a run is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Options:
    """The options of a run, as the command line gives them.

    `knobs` holds the knobs that override those of the specs. `seed` overrides theirs too. `strict` turns kinks and
    vacuous passes into failures, `stop_first` ends the run at the first case that isn't as expected. `health` looks
    for symptoms of its graph too. A case that isn't checked because one of `require_devices` is missing is an
    error.
    """

    paths: tuple[str, ...] = (".",)
    keyword: str = ""
    ops: tuple[Path, ...] = ()
    data_only: bool = False
    seed: int | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = False
    stop_first: bool = False
    health: bool = False
    require_devices: tuple[str, ...] = ()
