"""Options that several commands share, and how the words of a command line are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gradcheck_cli.cli.choices import Color, Format, ReportFormat
from gradcheck_cli.cli.completion import complete_reports
from gradcheck_cli.knobs import read_knob


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


RtolOption = Annotated[
    float | None,
    typer.Option(callback=knob("rtol"), help="Largest relative error of a right gradient.", envvar="GRADCHECK_RTOL"),
]
EpsOption = Annotated[
    float | None,
    typer.Option(callback=knob("eps"), help="Relative step of the central difference.", envvar="GRADCHECK_EPS"),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        callback=lambda value: knob("budget")(_number(value)),
        help="Seconds that a case may be expected to take before elements are left out; none: check all. [default: 60]",
        metavar="SECONDS",
        envvar="GRADCHECK_BUDGET",
    ),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        callback=knob("timeout"),
        help="Seconds after which a case, or an operator, is given up.",
        metavar="SECONDS",
        envvar="GRADCHECK_TIMEOUT",
    ),
]
MemoryOption = Annotated[
    float | None,
    typer.Option(
        callback=knob("memory"),
        help="MiB that perturbations may take together. [default: 256]",
        metavar="MIB",
        envvar="GRADCHECK_MEMORY",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(min=0, help="Seed of everything random, in place of what specs say.", envvar="GRADCHECK_SEED"),
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
        help="Operators: a Python file, or YAML as under ops:; may be repeated.",
        metavar="FILE",
        envvar="GRADCHECK_OPS",
    ),
]
RequireDeviceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--require-device",
        help="A missing one is an error, not a skip; may be repeated.",
        metavar="NAME",
        envvar="GRADCHECK_REQUIRE_DEVICE",
    ),
]
FormatOption = Annotated[
    Format, typer.Option("--format", help="What standard output holds.", envvar="GRADCHECK_FORMAT")
]
ReportFormatOption = Annotated[
    ReportFormat, typer.Option("--format", help="What standard output holds.", envvar="GRADCHECK_FORMAT")
]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        autocompletion=complete_reports,
        help="Also write a report: text, json, junit, github, markdown, html; may be repeated.",
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
    knobs: Mapping[str, Any], ops: tuple[Path, ...], strict: bool, devices: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the words of a command line that stand for these options."""
    words = [word for path in ops for word in ("--ops", str(path))]
    words += [word for name, value in knobs.items() for word in (f"--{name}", _written(value))]
    words += [word for device in devices for word in ("--require-device", device)]
    return (*words, *["--strict"] * strict)


def _written(value: Any) -> str:
    """Write the value of a knob as a person does: `none`, `100`, `1e-06`."""
    if value == float("inf"):
        return "none"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
