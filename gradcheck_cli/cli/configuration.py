"""Where options that nobody gives get their values: variables of the environment, then the project's settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gradcheck_cli.errors import Location, OperatorError, Problem, SpecError
from gradcheck_cli.settings import Settings
from gradcheck_cli.settings_file import SettingsError, settings_in, settings_near

UNREAD = Settings()
"""What stands for settings until the command line is read."""

_BOTH = "--isolated means no settings, and --config names some: leave one of them out"


def _is_typed(ctx: typer.Context, name: str) -> bool:
    """Tell whether an option stands on the command line, and not in the environment."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _isolate(ctx: typer.Context, isolated: bool) -> bool:
    """Return whether settings are left alone; an option goes before a variable that says otherwise."""
    read = ctx.params.get("settings")
    if not isolated or read is None or read.file is None:  # they are read later, where nobody types --config before
        return isolated
    if _is_typed(ctx, "isolated"):
        raise typer.BadParameter(_BOTH)
    return False


def _read(ctx: typer.Context, value: Settings) -> Settings:
    """Find the settings, and let them stand for options that are not given."""
    isolated = bool(ctx.params.get("isolated"))
    named = value.file is not None
    if named and isolated:
        if _is_typed(ctx, "isolated") == _is_typed(ctx, "settings"):
            raise typer.BadParameter(_BOTH)
        isolated, named = (_is_typed(ctx, name) for name in ("isolated", "settings"))
    if named and value.file is not None:
        settings = settings_in(value.file)
    else:
        settings = Settings() if isolated else settings_near(Path())
    _refuse_wrong_reports(settings)
    given = {
        "ops": list(settings.ops),
        "report": list(settings.report),
        "require_device": list(settings.require_device),
        "strict": settings.strict or None,
        "jobs": settings.jobs,
        "color": settings.color,
    }
    ctx.default_map = {name: value for name, value in given.items() if value}
    return settings


def _refuse_wrong_reports(settings: Settings) -> None:
    """Raise SettingsError for reports that can't be meant, at the file that has them."""
    if settings.report:
        from gradcheck_cli.cli.reports import read_reports  # here, since few projects set any

        try:
            read_reports(settings.report)
        except typer.BadParameter as error:
            raise SettingsError(Problem(f"report: {error.message}", _place(settings), "settings")) from None


def refuse_operator_files(settings: Settings, ops: Sequence[Path] | None, data_only: bool) -> None:
    """Raise SettingsError where specs have to be data and the settings name operator files."""
    if data_only and ops and tuple(ops) == settings.ops:
        hint = "--isolated takes no notice of the settings, and --config FILE takes others"
        raise SettingsError(
            Problem("--data-only refuses the operator files of ops", _place(settings), "settings", hint)
        )


@contextmanager
def named_by_settings(settings: Settings) -> Iterator[None]:
    """Say of files that are missing, where the settings name them, which file and which key does."""
    try:
        yield
    except (SpecError, OperatorError) as error:
        raise type(error)([_with_place(problem, settings) for problem in error.problems]) from error


def _with_place(problem: Problem, settings: Settings) -> Problem:
    if problem.location is not None or problem.code != "missing-file" or settings.file is None:
        return problem
    for key, values in (("paths", settings.paths), ("ops", settings.ops)):
        if any(f"'{value}'" in problem.message for value in values):
            return replace(problem, message=f"{key}: {problem.message}", location=_place(settings))
    return problem


def _place(settings: Settings) -> Location:
    """Return the file of the settings, as it is named from here if it lies below."""
    file = settings.file or Path()
    relative = os.path.relpath(file)
    return Location(str(file) if relative.startswith("..") else Path(relative).as_posix())


IsolatedOption = Annotated[
    bool,
    typer.Option(
        "--isolated",
        callback=_isolate,
        is_eager=True,
        envvar="GRADCHECK_ISOLATED",
        help="Take no notice of pyproject.toml.",
    ),
]
SettingsOption = Annotated[
    Settings,
    typer.Option(
        "--config",
        parser=lambda path: Settings(file=Path(path)),  # read by the callback, which knows whether it counts
        callback=_read,
        is_eager=True,
        envvar="GRADCHECK_CONFIG",
        metavar="FILE",
        help="Take settings from [tool.gradcheck] of this file.",
        show_default="the nearest pyproject.toml that has some",
    ),
]
