"""Read the settings of a project: `[tool.gradcheck]` of its pyproject.toml, without NumPy."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradcheck_cli.errors import GradcheckError, Location, Problem, near
from gradcheck_cli.knobs import read_knob
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.settings import Settings

PROJECT_FILE = "pyproject.toml"


class SettingsError(GradcheckError):
    """A file of settings can't be used."""


def settings_near(folder: Path) -> Settings:
    """Return the settings of the nearest pyproject.toml, from `folder` upwards, that has some; else the defaults.

    Raises SettingsError for a file that can't be used.
    """
    absolute = Path(os.path.abspath(folder))
    for parent in (absolute, *absolute.parents):
        file = parent / PROJECT_FILE
        if file.is_file() and (settings := _settings_of(file)) is not None:
            return settings
    return Settings()


def settings_in(file: Path) -> Settings:
    """Return the settings that a named file holds, a pyproject.toml by any name. Raises SettingsError."""
    settings = _settings_of(file)
    if settings is None:
        hint = "settings stand in a table of this name, as in a pyproject.toml"
        raise SettingsError(Problem("there is no table [tool.gradcheck]", Location(str(file)), "settings", hint))
    return settings


def _settings_of(file: Path) -> Settings | None:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise SettingsError(Problem(f"can't be read: {why}", Location(str(file)), "settings")) from error
    if "gradcheck" not in text:
        return None
    import tomllib  # here, since most projects have no settings

    try:
        table = tomllib.loads(text).get("tool", {})
    except ValueError as error:  # TOMLDecodeError is one, and so is a number of some thousand digits
        raise SettingsError(_not_toml(str(error), text, file)) from error
    ours = table.get("gradcheck") if isinstance(table, dict) else None
    return None if ours is None else _Reader(file, text).read(ours)


def _not_toml(message: str, text: str, file: Path) -> Problem:
    """Say where a file is no TOML."""
    found = re.search(r"\(at line (\d+), column (\d+)\)", message)
    line, column = (int(found[1]), int(found[2])) if found else (0, 0)
    lines = text.splitlines()
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    what = message.partition(" (at ")[0]
    return Problem(f"this is no TOML: {what}", Location(_shown(file), line, column), "settings", source=source)


class _Reader:
    """Reads one table of settings, and collects all that is wrong with it."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._lines = text.splitlines()
        self._problems: list[Problem] = []

    def read(self, table: Any) -> Settings:
        """Return the settings of a table. Raises SettingsError with everything that is wrong."""
        values: dict[str, Any] = {}
        for key, value in table.items() if isinstance(table, dict) else ():
            if key == "check":
                values["knobs"] = self._knobs(value)
            elif key not in _KEYS:
                hint = near(key.replace("_", "-"), [*_KEYS, "check"]) or f"there are: {', '.join([*_KEYS, 'check'])}"
                self._complain(key, f"unknown key '{key}'", hint)
            elif (read := _KEYS[key].read(value)) is None:
                self._complain(key, f"{key} should be {_KEYS[key].expected}")
            else:
                values[key.replace("-", "_")] = read
        if not isinstance(table, dict):
            self._complain("gradcheck", "gradcheck should be a table")
        if self._problems:
            raise SettingsError(self._problems)
        root = self._file.parent
        values["ops"] = tuple(root / path for path in values.get("ops", ()))
        if "cache_dir" in values:
            values["cache_dir"] = root / values["cache_dir"]
        for key in ("paths", "report"):
            values[key] = tuple(_from_here(text, root, key) for text in values.get(key, ()))
        return Settings(root=root, file=self._file, **values)

    def _knobs(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._complain("check", "check should be a table of knobs")
            return {}
        knobs = {}
        for name, knob in value.items():
            try:
                knobs[name] = read_knob(name, knob)
            except ValueError as error:
                self._complain(name, str(error))
        return knobs

    def _complain(self, key: str, message: str, hint: str = "") -> None:
        line, column = self._place_of(key)
        source = self._lines[line - 1] if line else ""
        self._problems.append(Problem(message, Location(_shown(self._file), line, column), "settings", hint, source))

    def _place_of(self, key: str) -> tuple[int, int]:
        """Return line and column at which `key` gets a value, zeros where they aren't found: the parser keeps none."""
        pattern = re.compile(rf"""(?:^|[\[.{{,])\s*["']?({re.escape(key)})["']?\s*[=\].]""")
        inside = False
        for number, line in enumerate(self._lines, start=1):
            if line.strip().startswith("["):
                inside = "gradcheck" in line
            if (inside or "gradcheck" in line) and (found := pattern.search(line)):
                return number, found.start(1) + 1
        return 0, 0


def _shown(file: Path) -> str:
    """Return how messages name a file: from here if it lies below."""
    relative = os.path.relpath(file)
    return str(file) if relative.startswith("..") else Path(relative).as_posix()


def _from_here(text: str, root: Path, key: str) -> str:
    """Return a path, or FORMAT=PATH, of a file's folder as one from the current folder."""
    kind, equals, path = text.partition("=") if key == "report" else ("", "", text)
    return kind + equals + Path(os.path.relpath(root / path)).as_posix()


@dataclass(frozen=True)
class _Key:
    """What a setting takes, in words, and how its value is read: None for what it doesn't take."""

    expected: str
    read: Callable[[Any], Any]


def _texts(value: Any) -> tuple[str, ...] | None:
    values = [value] if isinstance(value, str) else value
    return tuple(values) if isinstance(values, list) and all(isinstance(each, str) for each in values) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _jobs(value: Any) -> str | None:
    most = 10**9  # more than any machine has; and Python writes no number of some thousand digits
    return "auto" if value == "auto" else str(value) if _whole(value) and value < most else None


_LIST = "a text or a list of texts"
_KEYS = {
    "paths": _Key(f"{_LIST}: files, folders, globs", _texts),
    "include": _Key(f"{_LIST}: patterns of file names", _texts),
    "exclude": _Key(f"{_LIST}: patterns of files and folders", _texts),
    "ops": _Key(f"{_LIST}: operator files", _texts),
    "report": _Key(f"{_LIST}: FORMAT=PATH", _texts),
    "require-device": _Key(f"{_LIST}: names of devices", _texts),
    "seed": _Key("a whole number, 0 or more", _whole),
    "strict": _Key("true or false", lambda value: value if isinstance(value, bool) else None),
    "jobs": _Key("a whole number, 1 or more, or 'auto'", _jobs),
    "color": _Key("'auto', 'always' or 'never'", lambda value: value if value in ("auto", "always", "never") else None),
    "cache-dir": _Key("the path of a folder", lambda value: value if isinstance(value, str) and value else None),
}
