"""Find spec files: from the paths, folders, globs and ids of a command line."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path

from gradcheck_cli.errors import Problem, SpecError, near
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.settings import Settings

_SKIPPED_FOLDERS = {"__pycache__", "node_modules", "venv", "build", "dist"}


@dataclass
class SpecFile:
    """A spec to read. `shown` names it in ids and messages, `ids` limits it to parts (empty: all).

    `path` is absolute: an operator may change the current folder before it is read. `text` is that of standard
    input, which has no path.
    """

    path: Path | None
    shown: str
    ids: list[str] = field(default_factory=list)
    text: str | bytes | None = None


def find_spec_files(arguments: Sequence[str], settings: Settings | None = None) -> list[SpecFile]:
    """Return the spec files that `arguments` name, in order, each once.

    A file is taken whatever its name, a folder is walked for what `settings` include, `-` is standard input,
    an id `FILE::case::param` takes a part of a file. Raises SpecError for what isn't there.
    """
    found: dict[Path | None, SpecFile] = {}
    whole: set[Path | None] = set()
    problems: list[Problem] = []
    settings = settings or Settings()
    for argument in arguments:
        try:
            specs = list(_expand(argument, settings))
        except SpecError as error:
            problems.extend(error.problems)
            continue
        for spec in specs:
            key = spec.path.resolve() if spec.path else None
            known = found.setdefault(key, spec)
            if not spec.ids:
                whole.add(key)
                known.ids = []
            elif key not in whole and known is not spec:
                known.ids.extend(_as_shown(known, spec))
    if problems:
        raise SpecError(problems)
    return list(found.values())


def _expand(argument: str, settings: Settings) -> Iterator[SpecFile]:
    if argument == "-":
        yield SpecFile(None, "-")
    elif os.path.isdir(argument):
        for path in _walk(argument, settings):
            yield SpecFile(Path(path).absolute(), _shown(path))
    elif os.path.exists(argument):
        yield SpecFile(Path(argument).absolute(), _shown(argument))
    elif (spec := _by_id(argument)) is not None:
        yield spec
    elif matches := _glob(argument):
        for match in matches:
            yield from _expand(match, settings)
    else:
        raise SpecError(_missing(argument))


def _walk(folder: str, settings: Settings) -> list[str]:
    found = []
    for parent, folders, files in os.walk(folder):
        open_ones = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        folders[:] = [name for name in open_ones if not settings.excludes(os.path.join(parent, name))]
        paths = [os.path.join(parent, name) for name in sorted(files)]
        specs = [path for path in paths if settings.includes(path)]
        # A pipe would be waited for; a link that leads nowhere is for the loader to complain of.
        found += [path for path in specs if os.path.isfile(path) or not os.path.exists(path)]
    return found


def _glob(pattern: str) -> list[str]:
    """Return what a pattern matches, each once: behind a circle of links it meets the same files again."""
    if not glob.has_magic(pattern):
        return []
    shortest: dict[str, str] = {}
    for path in sorted(glob.glob(pattern, recursive=True), key=len):
        shortest.setdefault(os.path.realpath(path), path)
    return sorted(shortest.values())


def _by_id(argument: str) -> SpecFile | None:
    """Read FILE::case::param; file and case names may hold `::` themselves, so the file must exist."""
    at = argument.find("::")
    while at != -1:
        file, rest = argument[:at], argument[at:]
        if file == "-":
            return SpecFile(None, "-", [argument])
        if os.path.isfile(file):
            return SpecFile(Path(file).absolute(), _shown(file), [_shown(file) + rest])
        at = argument.find("::", at + 1)
    return None


def _as_shown(known: SpecFile, spec: SpecFile) -> list[str]:
    """Spell the ids of `spec` with the name under which the same file is known already."""
    return [known.shown + name[len(spec.shown) :] for name in spec.ids]


def _shown(path: str) -> str:
    return Path(os.path.normpath(path)).as_posix()


def _missing(argument: str) -> Problem:
    name = argument.split("::", maxsplit=1)[0]
    if name != argument and os.path.isdir(name):
        hint = "an id begins with a spec file: FILE::case::param"
        return Problem(f"'{name}' is a folder, which has no cases of its own", code="missing-file", hint=hint)
    return Problem(f"no such file or folder: '{name}'", code="missing-file", hint=near(_shown(name), _beside(name)))


def _beside(name: str) -> list[str]:
    folder = os.path.dirname(name) or "."
    try:
        return [_shown(os.path.join(folder, entry)) for entry in os.listdir(folder)]
    except (OSError, ValueError):  # no such folder, one that may not be read, a null character
        return []
