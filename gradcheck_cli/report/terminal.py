"""The report for a person at a terminal: each case as soon as it is done, and a line that sums up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from gradcheck_cli.records import CaseResult, RunResult, Verdict
from gradcheck_cli.report.block import View, case_text, render_case, was_left_out
from gradcheck_cli.report.numbers import count

if TYPE_CHECKING:
    from rich.console import Console

QUIET = -1
VERBOSE = 1


class TerminalReport:
    """Writes cases to `console` as they come.

    `verbosity` is -1 for nothing but cases that aren't as expected, 1 for notes and cost as well.
    `sweep` shows the error at other steps for every parameter. `options` are words of the command
    line that are repeated in the line that runs a case again.
    """

    def __init__(
        self,
        console: Console,
        verbosity: int = 0,
        sweep: bool = False,
        *,
        options: tuple[str, ...] = (),
    ) -> None:
        self._console = console
        self._quiet = verbosity <= QUIET
        self._view = View(
            verbose=verbosity >= VERBOSE,
            sweep=sweep,
            # Forced colour makes no terminal of a file: its lines stay whole.
            width=console.width if console.file.isatty() else None,
            encoding=console.encoding,
            options=options,
        )

    def case(self, result: CaseResult) -> None:
        """Write one case, with an empty line after it."""
        if self._quiet and (result.ok or was_left_out(result)):
            return
        self._write([*render_case(result, self._view), Text()])

    def finish(self, run: RunResult) -> None:
        """Write the line that sums up the run."""
        self._write([Text(summary(run), "bold green" if run.ok else "bold red")])

    def _write(self, lines: list[Text]) -> None:
        # A terminal wraps what is too long by itself; a line that we cut couldn't be copied whole.
        self._console.print(Text("\n").join(lines), soft_wrap=True)


def render_plain(result: CaseResult) -> str:
    """Return one case as plain text, for a message; without the command line, which a Python caller has no use for."""
    return case_text(result, View(command=""))


def summary(run: RunResult) -> str:
    """Sum a run up: `1 failed, 2 passed, 48 elements, 114 evaluations in 0.02 s`, the time of its cases if need be.

    Cases are counted as pytest does: one that passes against its expectation has failed, and one
    that fails as expected is named apart from those that passed.
    """
    unexpected = [case.verdict for case in run.cases if not case.ok]
    expected = [case.verdict for case in run.cases if case.ok]
    failed = unexpected.count(Verdict.FAIL) + unexpected.count(Verdict.PASS)
    parts = [f"{failed} failed", f"{expected.count(Verdict.PASS)} passed"]
    verdicts = unexpected + expected
    others = [
        (expected.count(Verdict.FAIL), "expected failure", ""),
        (unexpected.count(Verdict.INCONCLUSIVE), "inconclusive", "inconclusive"),
        (expected.count(Verdict.INCONCLUSIVE), "expected inconclusive", "expected inconclusive"),
        (verdicts.count(Verdict.ERROR), "error", ""),
        (verdicts.count(Verdict.SKIP), "skipped", "skipped"),
    ]
    parts += [count(number, noun, plural) for number, noun, plural in others if number]
    elements = sum(parameter.checked for case in run.cases for parameter in case.parameters)
    evaluations = sum(case.evaluations for case in run.cases)
    seconds = sum(case.seconds for case in run.cases) if run.seconds is None else run.seconds
    parts += [count(elements, "element"), f"{count(evaluations, 'evaluation')} in {seconds:.2f} s"]
    return ", ".join([*parts, *["interrupted"] * run.interrupted])
