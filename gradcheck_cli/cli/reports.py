"""What a command writes of its results: to standard output, to files (`--report FORMAT=PATH`), to GitHub Actions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import typer

from gradcheck_cli.cli.choices import Color, ReportFormat
from gradcheck_cli.cli.github import annotate, append_summary, commands_allowed, has_summary, on_github
from gradcheck_cli.cli.streams import as_utf8
from gradcheck_cli.errors import GradcheckError, Location, Problem, near, printable
from gradcheck_cli.files import write_whole

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

    @property
    def is_all_text(self) -> bool:
        """Whether there is nothing but words for a person at a terminal."""
        return self.format is ReportFormat.TEXT and not self.reports and not on_github()


def publish(output: Output, stdout: TextIO, written: Callable[[str], str]) -> None:
    """Write what can only be written at the end; `written` is a result as a format has it, by the format's name.

    Every report is written whole or not at all; its folder is made. Raises GradcheckError for those that can't be.
    """
    if output.format is not ReportFormat.TEXT:
        text = written(output.format)
        with commands_allowed():
            as_utf8(stdout).write(text)
            stdout.flush()
    if on_github() and has_summary():
        append_summary(written("markdown"))
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
