"""Do what `gradcheck run` was asked: collect, check, report, and say how it ended."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.cli.choices import ReportFormat
from gradcheck_cli.cli.configuration import named_by_settings
from gradcheck_cli.cli.endings import interrupt_first, operators_interrupts, said_too
from gradcheck_cli.cli.exit_codes import ExitCode, ended
from gradcheck_cli.cli.garbage import collecting
from gradcheck_cli.cli.github import workspace
from gradcheck_cli.cli.options import options_text
from gradcheck_cli.cli.progress import ProgressBar
from gradcheck_cli.cli.reports import Output, publish, require_extra
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import GradcheckError, Problem, SpecError, printable
from gradcheck_cli.records import CaseResult, RunResult, Verdict
from gradcheck_cli.run.collect import Collected, Selected, collect_all
from gradcheck_cli.run.last_failed import LastFailed
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.runner import run_cases

if TYPE_CHECKING:
    from gradcheck_cli.report.terminal import TerminalReport


def check(options: Options, output: Output) -> ExitCode:
    """Check what `options` select, write what `output` wants, and return how it ended.

    Raises GradcheckError for specs and reports that can't be used.
    """
    require_extra(output.reports)
    started = time.perf_counter()
    code = ExitCode.OK
    with interrupt_first(lambda: code), user_output_to_stderr() as stdout:
        try:
            collected = _collected(options)
        except SpecError as error:
            with said_too(error):
                _publish(RunResult(options.seed, (), problems=error.problems), options, output, stdout)
            raise
        if not collected.selected:
            _publish(RunResult(options.seed, ()), options, output, stdout)
            return _nothing(collected, options)
        selected = _narrowed(collected.selected, options)
        if output.verbosity > 0:
            from gradcheck_cli.run.shadowing import shadowed  # here, since few runs are told so much

            for note in shadowed(selected):
                say(printable(f"note: {note}"))
        report = _terminal_report(stdout, options, output) if output.format is ReportFormat.TEXT else None
        result = replace(_checked(selected, options, output, report), seconds=time.perf_counter() - started)
        code = exit_code(result)
        LastFailed(options.settings).update(zip(selected, result.cases, strict=True))
        if report:
            report.finish(result)
        _publish(result, options, output, stdout)
    return code


def list_cases(options: Options, output: Output) -> ExitCode:
    """List what `options` select, as text or as JSON. Raises GradcheckError for specs that can't be used."""
    # Here, since few runs only list.
    from gradcheck_cli.report.listing import list_json, list_text

    if output.format not in (ReportFormat.TEXT, ReportFormat.JSON) or output.reports:
        hint = "leave --report out, and choose --format text or json"
        raise GradcheckError(Problem("--list writes no reports", code="usage", hint=hint))
    with user_output_to_stderr() as stdout:
        collected = _collected(options)
        chosen = [(item.case, item.parameters) for item in _narrowed(collected.selected, options)]
        if output.format is ReportFormat.JSON:
            stdout.write(list_json(chosen))
        else:
            stdout.write(list_text(chosen, output.verbosity > 0, stdout.encoding))
        return ExitCode.OK if collected.selected else _nothing(collected, options)


def _collected(options: Options) -> Collected:
    library = Library()
    with operators_interrupts(), named_by_settings(options.settings):
        collected = collect_all(options, library)
    for note in library.notes:
        say(printable(f"note: {note}"))
    return collected


def _narrowed(collected: list[Selected], options: Options) -> list[Selected]:
    """Return what is left of what was collected; an empty part of a whole that isn't empty is no fault."""
    if not options.last_failed and options.shard is None:
        return collected
    from gradcheck_cli.run.narrow import narrowed  # here, since most runs take everything

    selected, notes = narrowed(collected, options)
    for note in notes:
        say(printable(f"note: {note}"))
    return selected


def _nothing(collected: Collected, options: Options) -> ExitCode:
    from gradcheck_cli.run.nothing_selected import why_nothing  # here, since most runs have something to check

    for line in why_nothing(collected.found, options).splitlines():
        say(printable(line))
    return ExitCode.NOTHING_SELECTED


def _checked(selected: list[Selected], options: Options, output: Output, report: TerminalReport | None) -> RunResult:
    with ProgressBar(len(selected), output.color) as progress:

        def show(case: CaseResult) -> None:
            if report:
                progress.hide()
                report.case(case)

        with collecting():
            return run_cases(selected, options, show, progress)


def _terminal_report(stdout: TextIO, options: Options, output: Output) -> TerminalReport:
    # Here, since programs read other formats.
    from gradcheck_cli.cli.console import make_console
    from gradcheck_cli.report.terminal import TerminalReport

    sweep = bool(options.knobs.get("sweep"))
    console = make_console(stdout, output.color)
    return TerminalReport(console, output.verbosity, sweep=sweep, options=rerun_options(options))


def _publish(result: RunResult, options: Options, output: Output, stdout: TextIO) -> None:
    def written(name: str, limit: int | None = None) -> str:
        from gradcheck_cli.report import formats  # here, since most runs are read at a terminal

        sweep = bool(options.knobs.get("sweep"))
        request = formats.Request(rerun_options(options), workspace(), output.verbosity, sweep)
        return formats.written(name, result, request, limit)

    publish(output, stdout, written)


def rerun_options(options: Options) -> tuple[str, ...]:
    """Return the words of a command line that judges a case in the same way again."""
    knobs = {name: value for name, value in options.knobs.items() if name != "sweep"}
    return options_text(knobs, options.ops, options.strict, options.require_devices, options.settings)


def exit_code(result: RunResult) -> ExitCode:
    """Return how a run ends the process."""
    return ended(result.interrupted, any(case.verdict is Verdict.ERROR for case in result.cases), result.ok)
