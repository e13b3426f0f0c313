"""What a run is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.run.shard import Shard
from gradcheck_cli.settings import Settings


@dataclass(frozen=True)
class Options:
    """The options of a run, as the command line gives them.

    `keyword` and `tags` are expressions over ids and over tags, `last_failed` takes what failed last, `shard` one part
    of all. `knobs` holds the knobs that override those of the specs. `seed` overrides theirs too. `strict` turns kinks
    and vacuous passes into failures, `max_failures` ends the run after so many cases that aren't as expected. `jobs` is
    how many cases are checked at once. `health` looks for symptoms of a case's graph too, `details` keeps the errors of
    all elements and the graphs of what isn't as expected. A case that isn't checked because one of `require_devices` is
    missing is an error. `settings` are those of the project.
    """

    paths: tuple[str, ...] = (".",)
    keyword: str = ""
    tags: str = ""
    last_failed: bool = False
    shard: Shard | None = None
    ops: tuple[Path, ...] = ()
    data_only: bool = False
    seed: int | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = False
    max_failures: int | None = None
    jobs: int = 1
    health: bool = False
    details: bool = False
    require_devices: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
