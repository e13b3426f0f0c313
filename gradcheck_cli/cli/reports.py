"""What a command writes of its results: to standard output, to files (`--report FORMAT=PATH`), to GitHub Actions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import typer

from gradcheck_cli.cli.choices import Color, ReportFormat
from gradcheck_cli.cli.github import annotate, append_summary, commands_allowed, on_github, summary_room
from gradcheck_cli.cli.streams import as_utf8
from gradcheck_cli.errors import GradcheckError, Location, Problem, near, printable
from gradcheck_cli.files import write_whole
from gradcheck_cli.light_dataclass import dataclass

FORMATS = (*map(str, ReportFormat), "html")


@dataclass(frozen=True)
class ReportFile:
    """A report to write: its format, and where."""

    format: str
    path: Path


def read_report(text: str) -> ReportFile:
    """Read `FORMAT=PATH`. Raises BadParameter saying what it should be."""
    name, equals, path = text.partition("=")
    if not (equals and path and name in FORMATS):
        hint = near(name, FORMATS) if equals and path else ""
        raise typer.BadParameter(
            printable(f"'{text}' should be FORMAT=PATH, with a format of {', '.join(FORMATS)}. {hint}".rstrip())
        )
    if path == "-":
        raise typer.BadParameter("standard output is for --format, a report needs a file")
    return ReportFile(name, Path(path))


def read_reports(texts: Sequence[str] | None) -> tuple[ReportFile, ...]:
    """Read all `FORMAT=PATH` of a command line. Raises BadParameter."""
    return tuple(read_report(text) for text in texts or ())


def require_extra(reports: Sequence[ReportFile]) -> None:
    """Raise GradcheckError now, and not after the check, where what a format needs isn't installed."""
    if any(report.format == "html" for report in reports):
        from gradcheck_cli.report.html.engine import require_engine

        require_engine()


@dataclass(frozen=True)
class Output:
    """What a command writes where: `format` to standard output, `reports` to files, annotations on GitHub Actions."""

    format: ReportFormat
    reports: tuple[ReportFile, ...] = ()
    verbosity: int = 0
    color: Color = Color.AUTO
    annotations: bool = True


def publish(output: Output, stdout: TextIO, written: Callable[..., str]) -> None:
    """Write what can only be written at the end.

    `written` returns a result as a format has it, by the format's name, and in at most `limit` bytes where that is
    given. Every report is written whole or not at all; its folder is made. Raises GradcheckError for one that can't be.
    """
    if output.format is ReportFormat.GITHUB:
        with commands_allowed(lambda line: stdout.write(f"{line}\n")):
            as_utf8(stdout).write(written(output.format))
    elif output.format is not ReportFormat.TEXT:
        as_utf8(stdout).write(written(output.format))
    stdout.flush()
    if on_github() and (room := summary_room()):
        append_summary(written("markdown", limit=room))
    if on_github() and output.annotations and output.format is not ReportFormat.GITHUB:
        annotate(written("github"))
    problems = []
    for report in output.reports:
        try:
            _write(report.path, written(report.format))
        except OSError as error:
            where = Location(str(report.path))
            problems.append(Problem(f"the report can't be written: {error.strerror or error}", where, "wrong-file"))
    if problems:
        raise GradcheckError(problems)


def _write(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():  # a pipe, /dev/stderr: nothing that could be replaced
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        return
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, text)
