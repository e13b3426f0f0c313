"""`gradcheck run`: check every parameter of every case of the specs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from gradcheck_cli.cli.choices import Color, Format
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import printable
from gradcheck_cli.knobs import read_knob

if TYPE_CHECKING:
    from gradcheck_cli.records import CaseResult, RunResult
    from gradcheck_cli.report.terminal import TerminalReport
    from gradcheck_cli.run.options import Options


def _knob(name: str) -> Any:
    """Return a callback that reads an option as the knob of that name."""

    def read(value: Any) -> Any:
        try:
            return None if value is None else read_knob(name, value)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read


def run(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Spec files, folders (walked for *.grad.yaml), globs, ids FILE::case::param, or - for standard input.",
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
    rtol: Annotated[
        float | None, typer.Option(callback=_knob("rtol"), help="Largest relative error of a right gradient.")
    ] = None,
    eps: Annotated[
        float | None, typer.Option(callback=_knob("eps"), help="Relative step of the central difference.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(callback=_knob("sample"), help="Check so many random elements of each parameter.")
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Show the error at other steps for every parameter.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Kinks and vacuous passes fail.")] = False,
    ops: Annotated[
        list[Path] | None, typer.Option("--ops", help="A file of operators; may be repeated.", metavar="FILE")
    ] = None,
    data_only: Annotated[bool, typer.Option("--data-only", help="Refuse operator files: specs are data.")] = False,
    output: Annotated[Format, typer.Option("--format", help="What standard output holds.")] = Format.TEXT,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Only what isn't as expected.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Also notes, times and shadowed operators.")] = False,
    color: Annotated[Color, typer.Option(help="Colour the output.")] = Color.AUTO,
) -> None:
    """Check every parameter of every case of the specs.

    Exit codes: 0 all as expected, 1 a check failed or was inconclusive, 2 could not check,
    3 internal error, 5 nothing selected, 130 interrupted.
    """
    from gradcheck_cli.run.options import Options

    knobs = {"rtol": rtol, "eps": eps, "sample": sample, "sweep": True if sweep else None}
    options = Options(
        paths=tuple(paths or ["."]),
        keyword=keyword,
        ops=tuple(ops or []),
        data_only=data_only,
        seed=seed,
        knobs={name: value for name, value in knobs.items() if value is not None},
        strict=strict,
        stop_first=stop_first,
    )
    raise typer.Exit(_run(options, output, verbose - quiet, color))


def _run(options: Options, output: Format, verbosity: int, color: Color) -> ExitCode:
    from gradcheck_cli.cli.progress import ProgressBar
    from gradcheck_cli.report.json_format import to_json
    from gradcheck_cli.run.collect import collect, shadowed
    from gradcheck_cli.run.runner import run_cases

    started = time.perf_counter()
    with user_output_to_stderr() as stdout:
        selected = collect(options)
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

            result = run_cases(selected, options, show, progress)
        if report:
            report.finish(result, time.perf_counter() - started)
        else:
            stdout.write(to_json(result))
    return exit_code(result)


def _terminal_report(stdout: TextIO, options: Options, verbosity: int, color: Color) -> TerminalReport:
    from gradcheck_cli.cli.console import make_console
    from gradcheck_cli.report.terminal import TerminalReport

    sweep = bool(options.knobs.get("sweep"))
    return TerminalReport(make_console(stdout, color), verbosity, sweep=sweep, options=rerun_options(options))


def rerun_options(options: Options) -> tuple[str, ...]:
    """Return the words of a command line that judges a case in the same way again."""
    words = [word for path in options.ops for word in ("--ops", str(path))]
    for name in ("rtol", "eps", "sample"):
        if name in options.knobs:
            words += [f"--{name}", str(options.knobs[name])]
    return (*words, *["--strict"] * options.strict)


def exit_code(result: RunResult) -> ExitCode:
    """Return how a run ends the process: where several codes apply, 130, 2, 1."""
    from gradcheck_cli.records import Verdict

    if result.interrupted:
        return ExitCode.INTERRUPTED
    if any(case.verdict is Verdict.ERROR for case in result.cases):
        return ExitCode.COULD_NOT_CHECK
    return ExitCode.OK if result.ok else ExitCode.FAILED
