"""Where options that nobody gives get their values: variables of the environment, then the project's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gradcheck_cli.settings import Settings
from gradcheck_cli.settings_file import settings_in, settings_near

UNREAD = Settings()
"""What stands for settings until the command line is read."""

_BOTH = "--isolated means no settings, and --config names some: leave one of them out"


def _isolate(ctx: typer.Context, isolated: bool) -> bool:
    if isolated and "settings" in ctx.params and ctx.params["settings"].file is not None:
        raise typer.BadParameter(_BOTH)
    return isolated


def _read(ctx: typer.Context, value: Settings) -> Settings:
    """Find the settings, and let them stand for options that are not given."""
    isolated = bool(ctx.params.get("isolated"))
    named = value.file is not None
    if named and isolated:
        raise typer.BadParameter(_BOTH)
    settings = value if named or isolated else settings_near(Path())
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
        parser=lambda path: settings_in(Path(path)),
        callback=_read,
        is_eager=True,
        envvar="GRADCHECK_CONFIG",
        metavar="FILE",
        help="Take settings from [tool.gradcheck] of this file.",
        show_default="the nearest pyproject.toml that has some",
    ),
]
