"""What variables of the environment say about a run that has no command line; they go before a project's settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradcheck_cli.errors import Problem
from gradcheck_cli.knobs import read_knob
from gradcheck_cli.run.options import Options
from gradcheck_cli.settings import Settings
from gradcheck_cli.settings_file import SettingsError, settings_in, settings_near

_PREFIX = "GRADCHECK_"
_KNOBS = ("rtol", "eps", "sample", "budget", "memory", "timeout")
_TRUE, _FALSE = ("1", "true", "t", "yes", "y", "on"), ("0", "false", "f", "no", "n", "off")


@dataclass(frozen=True)
class Environment:
    """The options that the environment gives; `words` say the same on a command line, but for seed and settings.

    `config` names a file of settings, `isolated` means none.
    """

    config: Path | None = None
    isolated: bool = False
    ops: tuple[Path, ...] = ()
    seed: int | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict)
    strict: bool | None = None
    require_devices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def settings_for(self, folder: Path) -> Settings:
        """Return the settings that hold in `folder`. Raises SettingsError."""
        if self.isolated:
            return Settings()
        return settings_in(self.config) if self.config else settings_near(folder)

    def options(self, settings: Settings) -> Options:
        """Return the options of a run in a project with these settings."""
        return Options(
            ops=self.ops or settings.ops,
            seed=self.seed,
            knobs=self.knobs,
            strict=settings.strict if self.strict is None else self.strict,
            require_devices=self.require_devices or settings.require_device,
            settings=settings,
        )


def read_environment(variables: Mapping[str, str]) -> Environment:
    """Read the variables GRADCHECK_*, with the meaning that they have for the command line.

    Raises SettingsError with everything that can't be understood.
    """
    given = {
        name.removeprefix(_PREFIX).lower(): text
        for name, text in variables.items()
        if name.startswith(_PREFIX) and text
    }
    values: dict[str, Any] = {"knobs": {}}
    words: list[str] = []
    problems: list[Problem] = []
    for name, text in given.items():
        try:
            if name in _KNOBS:
                values["knobs"][name] = read_knob(name, _number(text))
                words += [f"--{name}", text]
            elif name == "seed":
                values["seed"] = _seed(text)
            elif name in ("strict", "isolated"):
                values[name] = _flag(name, text)
                words += ["--strict"] * (name == "strict" and values[name])
            elif name == "config":
                values["config"] = Path(text)
            elif name == "ops":
                values["ops"] = tuple(map(Path, text.split(os.pathsep)))
                words += [word for path in values["ops"] for word in ("--ops", str(path))]
            elif name == "require_device":
                values["require_devices"] = tuple(text.split())
                words += [word for device in text.split() for word in ("--require-device", device)]
        except ValueError as error:
            problems.append(Problem(f"{_PREFIX}{name.upper()}: {error}, not '{text}'", code="settings"))
    if values.get("config") and values.get("isolated"):
        message = "GRADCHECK_ISOLATED means no settings, and GRADCHECK_CONFIG names some: leave one of them out"
        problems.append(Problem(message, code="settings"))
    if problems:
        raise SettingsError(problems)
    return Environment(**values, words=tuple(words))


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _seed(text: str) -> int:
    number = _number(text)
    if not isinstance(number, int) or number < 0:
        raise ValueError("seed should be a whole number, 0 or more")
    return number


def _flag(name: str, text: str) -> bool:
    if text.lower() not in _TRUE + _FALSE:
        raise ValueError(f"{name} should be true or false")
    return text.lower() in _TRUE
