"""The formats of a report, by name. Each is imported when it is written."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace

from gradcheck_cli.errors import Problem
from gradcheck_cli.records import CaseResult, RunResult, Verdict
from gradcheck_cli.report.block import View

LARGEST = 1_000_000
"""Bytes of a summary; GitHub takes 1 MiB."""


@dataclass(frozen=True)
class Request:
    """How a report is wanted.

    `command` and its `options` make the line that runs a case again, an empty command leaves it out. `root` is the
    folder from which paths of annotations start. `verbosity` and `sweep` are for the report that people read.
    """

    options: tuple[str, ...] = ()
    root: str = ""
    verbosity: int = 0
    sweep: bool = False
    command: str = View.command

    @property
    def view(self) -> View:
        """How much of a case is shown."""
        return View(command=self.command, options=self.options)


def _with_problems(run: RunResult) -> RunResult:
    """Return the run with each problem of a spec as a case that couldn't be checked, for formats of cases."""
    told = tuple(_unreadable(problem) for problem in run.problems)
    return replace(run, cases=told + run.cases) if told else run


def _unreadable(problem: Problem) -> CaseResult:
    file = problem.location.file if problem.location else ""
    line = problem.location.line if problem.location else 0
    name = problem.code or "error"
    return CaseResult(file or name, file, line, name, "pass", Verdict.ERROR, ok=False, error=str(problem))


def _text(run: RunResult, request: Request) -> str:
    from rich.console import Console

    from gradcheck_cli.report.terminal import TerminalReport

    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=120), request.verbosity, request.sweep, options=request.options)
    stream.writelines(f"{problem}\n" for problem in run.problems)
    for case in run.cases:
        report.case(case)
    report.finish(run)
    return stream.getvalue()


def _json(run: RunResult, _: Request) -> str:
    from gradcheck_cli.report.json_format import to_json

    return to_json(run)


def _junit(run: RunResult, request: Request) -> str:
    from gradcheck_cli.report.junit import to_junit

    return to_junit(_with_problems(run), request.view)


def _github(run: RunResult, request: Request) -> str:
    from gradcheck_cli.report.github import to_github

    return to_github(_with_problems(run), request.view, root=request.root)


def _markdown(run: RunResult, request: Request, limit: int = LARGEST) -> str:
    from gradcheck_cli.report.markdown import to_markdown

    return to_markdown(_with_problems(run), request.view, limit=limit)


def _html(run: RunResult, request: Request) -> str:
    from gradcheck_cli.report.html.page import to_html

    return to_html(_with_problems(run), request.view)


_WRITERS: dict[str, Callable[[RunResult, Request], str]] = {
    "text": _text,
    "json": _json,
    "junit": _junit,
    "github": _github,
    "markdown": _markdown,
    "html": _html,
}


def written(name: str, run: RunResult, request: Request, limit: int | None = None) -> str:
    """Return a whole run in the format of that name, a summary in at most `limit` bytes."""
    if name == "markdown" and limit is not None:
        return _markdown(run, request, limit)
    return _WRITERS[name](run, request)
