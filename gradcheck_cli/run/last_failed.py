"""What failed last, kept in a folder of the project between runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from gradcheck_cli.files import write_whole
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.settings import Settings
from gradcheck_cli.spec.folders import project_root

CACHE_FOLDER = ".gradcheck_cache"
_FILE = "last_failed.json"
_README = "# What gradcheck keeps between runs\n\nIt can be deleted; it doesn't belong in version control.\n"


class LastFailed:
    """The cases that were not as expected when they were last checked.

    They are kept by the path of their spec from the project's root, so that a run from another folder knows them. A
    folder that can't be written keeps nothing, and that is no fault.
    """

    def __init__(self, settings: Settings) -> None:
        self._root = settings.root if settings.file else project_root(Path.cwd()) or Path.cwd()
        self._folder = settings.cache_dir or self._root / CACHE_FOLDER

    def known(self) -> set[str]:
        """Return their ids from the root; none where nothing was kept."""
        try:
            text = (self._folder / _FILE).read_text(encoding="utf-8")
        except (OSError, ValueError):  # no such file, a null byte in its name
            return set()
        import json  # here and below, since most runs have nothing to keep

        try:
            kept = json.loads(text)
        except (ValueError, RecursionError):
            return set()
        return {each for each in kept if isinstance(each, str)} if isinstance(kept, list) else set()

    def among(self, selected: Sequence[Selected]) -> list[Selected]:
        """Return those of `selected` that failed last."""
        known = self.known()
        return [item for item in selected if self._name(item.case.file, item.case.name) in known]

    def update(self, checked: Iterable[tuple[Selected, CaseResult]]) -> None:
        """Take note of the results of a run; what it didn't check stays as it was.

        So does a case of which a part was checked and is as expected: another part may still fail.
        """
        before = self.known()
        known = set(before)
        for item, result in checked:
            if result.file == "-" or result.verdict is Verdict.SKIP:
                continue
            name = self._name(result.file, result.name)
            if not result.ok:
                known.add(name)
            elif len(item.parameters) == len(item.case.parameters):
                known.discard(name)
        if known != before:
            with suppress(OSError, ValueError):
                self._write(sorted(known))

    def _name(self, file: str, case: str) -> str:
        relative = os.path.relpath(os.path.realpath(file), os.path.realpath(self._root))
        return f"{Path(relative).as_posix()}::{case}"

    def _write(self, names: list[str]) -> None:
        import json

        if not self._folder.is_dir():
            self._folder.mkdir(parents=True)
            (self._folder / ".gitignore").write_text("*\n", encoding="utf-8")
            (self._folder / "README.md").write_text(_README, encoding="utf-8")
        write_whole(self._folder / _FILE, json.dumps(names, indent=1) + "\n")  # another run may read it meanwhile
