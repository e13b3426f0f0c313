"""Options that several commands share, and how the words of a command line are read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gradcheck_cli.cli.choices import Color, Format, ReportFormat
from gradcheck_cli.cli.completion import complete_reports
from gradcheck_cli.knobs import Knobs, read_knob
from gradcheck_cli.settings import Settings
from gradcheck_cli.settings_file import PROJECT_FILE, SettingsError, settings_near


def knob(name: str) -> Any:
    """Return a callback that reads an option as the knob of that name."""

    def read(value: Any) -> Any:
        try:
            return None if value is None else read_knob(name, value)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read


def _number(word: str | None) -> float | str | None:
    """Read a word as a number, if it is one."""
    try:
        return word if word is None else float(word)
    except ValueError:
        return word


def _reports(ctx: typer.Context, value: list[str] | None) -> list[str] | None:
    """Split what the environment says at spaces outside of quotes, as a shell would."""
    source = ctx.get_parameter_source("report")
    if source is None or source.name != "ENVIRONMENT":
        return value
    words = shlex.shlex(os.environ.get("GRADCHECK_REPORT", ""), posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters, words.escape = True, "", ""  # a backslash belongs to a path of Windows
    try:
        return list(words)
    except ValueError as error:
        raise typer.BadParameter(f"GRADCHECK_REPORT: {str(error).lower()}") from None


def help_of(name: str, text: str) -> str:
    """Return the help of the option for a knob: `text`, and the default that the knob has."""
    default = getattr(Knobs(), name)
    if default is None:
        return text
    return f"{text} [default: {f'{default:g}'.replace('e-0', 'e-') if isinstance(default, float) else default}]"


RtolOption = Annotated[
    float | None,
    typer.Option(
        callback=knob("rtol"),
        help=help_of("rtol", "Largest relative error of a right gradient."),
        metavar="NUMBER",
        envvar="GRADCHECK_RTOL",
    ),
]
EpsOption = Annotated[
    float | None,
    typer.Option(
        callback=knob("eps"),
        help=help_of("eps", "Relative step of the central difference."),
        metavar="NUMBER",
        envvar="GRADCHECK_EPS",
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        callback=lambda value: knob("budget")(_number(value)),
        help=help_of(
            "budget", "Seconds that a case may be expected to take before elements are left out; none: check all."
        ),
        metavar="SECONDS",
        envvar="GRADCHECK_BUDGET",
    ),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        callback=knob("timeout"),
        help=help_of("timeout", "Seconds after which a case, or an operator, is given up."),
        metavar="SECONDS",
        envvar="GRADCHECK_TIMEOUT",
    ),
]
MemoryOption = Annotated[
    float | None,
    typer.Option(
        callback=knob("memory"),
        help=help_of("memory", "MiB that perturbations may take together."),
        metavar="MIB",
        envvar="GRADCHECK_MEMORY",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Seed of everything random, in place of what specs say.",
        metavar="N",
        envvar="GRADCHECK_SEED",
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Kinks, vacuous passes, allowed findings, skipped operators count against it.",
        envvar="GRADCHECK_STRICT",
    ),
]
OpsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--ops",
        help="Operators: a Python file, or YAML as under ops:; may be repeated. GRADCHECK_OPS separates files as PATH "
        "does folders.",
        metavar="FILE",
        envvar="GRADCHECK_OPS",
    ),
]
RequireDeviceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--require-device",
        help="A missing one is an error, not a skip; may be repeated. GRADCHECK_REQUIRE_DEVICE separates them by "
        "spaces.",
        metavar="NAME",
        envvar="GRADCHECK_REQUIRE_DEVICE",
    ),
]
# No variable: it would have to be right for every command, and other commands have other formats.
FormatOption = Annotated[Format, typer.Option("--format", help="What standard output holds.")]
ReportFormatOption = Annotated[
    ReportFormat, typer.Option("--format", help="What standard output holds.", envvar="GRADCHECK_FORMAT")
]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        callback=_reports,
        autocompletion=complete_reports,
        help="Also write a report: text, json, junit, github, markdown, html; may be repeated. GRADCHECK_REPORT "
        "separates them by spaces, with quotes around a path that has some.",
        metavar="FORMAT=PATH",
        envvar="GRADCHECK_REPORT",
    ),
]
NoAnnotationsOption = Annotated[
    bool, typer.Option("--no-annotations", help="On GitHub Actions, no annotations of files.")
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Only what isn't as expected.")]
ColorOption = Annotated[Color, typer.Option(help="Colour the output.", envvar="GRADCHECK_COLOR")]


def given(**knobs: Any) -> dict[str, Any]:
    """Return the knobs that a command line sets."""
    return {name: value for name, value in knobs.items() if value is not None}


def options_text(
    knobs: Mapping[str, Any],
    ops: tuple[Path, ...],
    strict: bool,
    devices: tuple[str, ...],
    settings: Settings | None = None,
) -> tuple[str, ...]:
    """Return the words of a command line that stand for these options, without what `settings` give by themselves.

    Settings that a command line finds only if it is told to are named, too.
    """
    known = settings or Settings()
    words = [word for path in (() if ops == known.ops else ops) for word in ("--ops", str(path))]
    words += [word for name, value in knobs.items() for word in (f"--{name}", _written(value))]
    words += [
        word for device in (() if devices == known.require_device else devices) for word in ("--require-device", device)
    ]
    words += ["--strict"] * (strict and not known.strict)
    return (*words, *(() if settings is None else _which(settings)))


def _which(settings: Settings) -> tuple[str, ...]:
    """Return the words that lead to these settings, none where a command line finds them."""
    try:
        nearest = settings_near(Path()).file
    except SettingsError:  # not those that were used
        nearest = Path(PROJECT_FILE)
    if _resolved(nearest) == _resolved(settings.file):
        return ()
    return ("--isolated",) if settings.file is None else ("--config", str(settings.file))


def _resolved(file: Path | None) -> Path | None:
    return None if file is None else Path(os.path.realpath(file))


def _written(value: Any) -> str:
    """Write the value of a knob as a person does: `none`, `100`, `1e-06`."""
    if value == float("inf"):
        return "none"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
