"""What a command writes of its results: to standard output, to files (`--report FORMAT=PATH`), to GitHub Actions."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import typer

from gradcheck_cli.cli.choices import Color, ReportFormat
from gradcheck_cli.cli.github import annotate, append_summary, summary_room, write_annotations
from gradcheck_cli.cli.report_files import same_file, write_report
from gradcheck_cli.cli.streams import as_utf8, on_github
from gradcheck_cli.errors import GradcheckError, Location, Problem, near, printable
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
    """Read all `FORMAT=PATH` of a command line. Raises BadParameter, also for two that go to one file."""
    reports = tuple(read_report(text) for text in texts or ())
    files: dict[str, ReportFile] = {}
    for report in reports:
        first = files.setdefault(same_file(report.path), report)
        if first is not report and str(report.path) != os.devnull:
            both = f"{first.format}={first.path} and {report.format}={report.path}"
            raise typer.BadParameter(printable(f"two reports would go to one file: {both}"))
    return reports


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
        write_annotations(stdout, written(output.format))
    elif output.format is ReportFormat.JUNIT:
        as_utf8(stdout).write(_harmless_xml(written(output.format)) if on_github() else written(output.format))
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
            write_report(report.path, written(report.format), stdout)
        except OSError as error:
            where = Location(str(report.path))
            problems.append(Problem(f"the report can't be written: {error.strerror or error}", where, "wrong-file"))
    if problems:
        raise GradcheckError(problems)


def _harmless_xml(text: str) -> str:
    """Return XML without what GitHub's runner takes for commands: it means the same, and escapes of text would not."""
    return re.sub(r"(?m)^(\s*):(?=:)|#(?=#\[)", lambda found: "&#35;" if found[1] is None else f"{found[1]}&#58;", text)
