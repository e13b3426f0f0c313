"""The formats of a report, by name. Each is imported when it is written."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from gradcheck_cli.records import RunResult


@dataclass(frozen=True)
class Wish:
    """How a report is wanted.

    `options` are words of the command line that are repeated in the line that runs a case again. `root` is the folder
    from which paths of annotations start. `verbosity` and `sweep` are for the report that people read.
    """

    options: tuple[str, ...] = ()
    root: str = ""
    verbosity: int = 0
    sweep: bool = False


def _text(run: RunResult, wish: Wish) -> str:
    from rich.console import Console

    from gradcheck_cli.report.terminal import TerminalReport

    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=120), wish.verbosity, wish.sweep, options=wish.options)
    stream.writelines(f"{problem}\n" for problem in run.problems)
    for case in run.cases:
        report.case(case)
    report.finish(run)
    return stream.getvalue()


def _json(run: RunResult, _: Wish) -> str:
    from gradcheck_cli.report.json_format import to_json

    return to_json(run)


def _junit(run: RunResult, wish: Wish) -> str:
    from gradcheck_cli.report.junit import to_junit

    return to_junit(run, options=wish.options)


def _github(run: RunResult, wish: Wish) -> str:
    from gradcheck_cli.report.github import to_github

    return to_github(run, root=wish.root, options=wish.options)


def _markdown(run: RunResult, wish: Wish) -> str:
    from gradcheck_cli.report.markdown import to_markdown

    return to_markdown(run, options=wish.options)


def _html(run: RunResult, wish: Wish) -> str:
    from gradcheck_cli.report.html.page import to_html

    return to_html(run, options=wish.options)


FORMATS: dict[str, Callable[[RunResult, Wish], str]] = {
    "text": _text,
    "json": _json,
    "junit": _junit,
    "github": _github,
    "markdown": _markdown,
    "html": _html,
}
"""How a whole run is written as each format."""
