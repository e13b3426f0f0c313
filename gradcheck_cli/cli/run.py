"""`gradcheck run`: check every parameter of every case of the specs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from gradcheck_cli.cli.choices import Color, Format
from gradcheck_cli.cli.completion import complete_ids
from gradcheck_cli.cli.exit_codes import ExitCode, ended
from gradcheck_cli.cli.garbage import collecting
from gradcheck_cli.cli.options import (
    BudgetOption,
    ColorOption,
    EpsOption,
    FormatOption,
    MemoryOption,
    OpsOption,
    QuietOption,
    RequireDeviceOption,
    RtolOption,
    StrictOption,
    given,
    knob,
    options_text,
)
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import printable

if TYPE_CHECKING:
    from gradcheck_cli.records import CaseResult, RunResult
    from gradcheck_cli.report.terminal import TerminalReport
    from gradcheck_cli.run.options import Options


def run(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Spec files, folders (walked for *.grad.yaml), globs, ids FILE::case::param, or - for standard input.",
            autocompletion=complete_ids,
            show_default="the current folder",
        ),
    ] = None,
    keyword: Annotated[
        str, typer.Option("-k", help="Only what matches: words of ids with and, or, not.", metavar="EXPR")
    ] = "",
    stop_first: Annotated[
        bool, typer.Option("-x", "--exitfirst", help="Stop at the first unexpected verdict.")
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of everything random, in place of the specs'.")] = None,
    rtol: RtolOption = None,
    eps: EpsOption = None,
    sample: Annotated[
        int | None, typer.Option(callback=knob("sample"), help="Check so many random elements of each parameter.")
    ] = None,
    budget: BudgetOption = None,
    memory: MemoryOption = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Show the error at other steps for every parameter.")] = False,
    health: Annotated[
        bool, typer.Option("--health", help="Also look for what is ill: vanishing gradients, dead units.")
    ] = False,
    strict: StrictOption = False,
    ops: OpsOption = None,
    require_device: RequireDeviceOption = None,
    data_only: Annotated[bool, typer.Option("--data-only", help="Refuse operator files: specs are data.")] = False,
    output: FormatOption = Format.TEXT,
    quiet: QuietOption = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Also notes, times and shadowed operators.")] = False,
    color: ColorOption = Color.AUTO,
) -> None:
    """Check every parameter of every case of the specs.

    Exit codes: 0 all as expected, 1 a check failed or was inconclusive, 2 could not check,
    3 internal error, 5 nothing selected, 130 interrupted.
    """
    from gradcheck_cli.run.options import Options

    options = Options(
        paths=tuple(paths or ["."]),
        keyword=keyword,
        ops=tuple(ops or []),
        data_only=data_only,
        seed=seed,
        knobs=given(rtol=rtol, eps=eps, sample=sample, budget=budget, memory=memory, sweep=True if sweep else None),
        strict=strict,
        stop_first=stop_first,
        health=health,
        require_devices=tuple(require_device or []),
    )
    raise typer.Exit(_run(options, output, verbose - quiet, color))


def _run(options: Options, output: Format, verbosity: int, color: Color) -> ExitCode:
    from gradcheck_cli.bridges.library import Library
    from gradcheck_cli.cli.progress import ProgressBar
    from gradcheck_cli.run.collect import collect, shadowed
    from gradcheck_cli.run.runner import run_cases

    started = time.perf_counter()
    with user_output_to_stderr() as stdout:
        library = Library()
        selected = collect(options, library)
        for note in library.notes:
            say(printable(f"note: {note}"))
        if not selected:
            say("nothing to check: no case was found or selected (specs are named *.grad.yaml)")
            return ExitCode.NOTHING_SELECTED
        if verbosity > 0:
            for note in shadowed(selected):
                say(printable(f"note: {note}"))
        report = _terminal_report(stdout, options, verbosity, color) if output is Format.TEXT else None
        with ProgressBar(len(selected), color) as progress:

            def show(case: CaseResult) -> None:
                if report:
                    progress.hide()
                    report.case(case)

            with collecting():
                result = run_cases(selected, options, show, progress)
        if report:
            report.finish(result, time.perf_counter() - started)
        else:
            from gradcheck_cli.report.json_format import to_json

            stdout.write(to_json(result))
    return exit_code(result)


def _terminal_report(stdout: TextIO, options: Options, verbosity: int, color: Color) -> TerminalReport:
    from gradcheck_cli.cli.console import make_console
    from gradcheck_cli.report.terminal import TerminalReport

    sweep = bool(options.knobs.get("sweep"))
    return TerminalReport(make_console(stdout, color), verbosity, sweep=sweep, options=rerun_options(options))


def rerun_options(options: Options) -> tuple[str, ...]:
    """Return the words of a command line that judges a case in the same way again."""
    knobs = {name: value for name, value in options.knobs.items() if name != "sweep"}
    return options_text(knobs, options.ops, options.strict, options.require_devices)


def exit_code(result: RunResult) -> ExitCode:
    """Return how a run ends the process."""
    from gradcheck_cli.records import Verdict

    return ended(result.interrupted, any(case.verdict is Verdict.ERROR for case in result.cases), result.ok)
