"""`--report FORMAT=PATH`: reports that are written beside what standard output holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gradcheck_cli.cli.choices import ReportFormat
from gradcheck_cli.cli.streams import say
from gradcheck_cli.errors import GradcheckError, Location, Problem, near, printable
from gradcheck_cli.files import write_whole

if TYPE_CHECKING:
    from gradcheck_cli.records import RunResult
    from gradcheck_cli.report.formats import Wish

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


def require_extra(reports: Sequence[ReportFile]) -> None:
    """Raise GradcheckError now, and not after the check, where what a format needs isn't installed."""
    if any(report.format == "html" for report in reports):
        from gradcheck_cli.report.html.page import require_packages

        require_packages()


def write_reports(reports: Sequence[ReportFile], run: RunResult, wish: Wish) -> None:
    """Write every report, whole or not at all; its folder is made. Raises GradcheckError for one that can't be."""
    from gradcheck_cli.report.formats import FORMATS as WRITERS

    problems = []
    for report in reports:
        text = WRITERS[report.format](run, wish)
        try:
            _write(report.path, text)
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


def append_summary(run: RunResult, wish: Wish) -> None:
    """Append the Markdown summary where GitHub Actions shows one; a summary that can't be written is no fault."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    from gradcheck_cli.report.markdown import to_markdown

    try:
        with open(file, "a", encoding="utf-8", newline="\n") as stream:
            stream.write(to_markdown(run, options=wish.options))
    except OSError as error:
        say(printable(f"note: the step's summary can't be written: {error.strerror or error}"))


def annotate(run: RunResult, wish: Wish) -> None:
    """Write annotations for GitHub Actions to standard error, where its runner reads them as well."""
    from gradcheck_cli.report.github import to_github

    if text := to_github(run, root=wish.root, options=wish.options):
        say(text.rstrip("\n"))


def on_github() -> bool:
    """Tell whether this is a step of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"
