"""`gradcheck check-ops`: check operators on inputs drawn from their own domains."""

from __future__ import annotations

import functools
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradcheck_cli.cli.checked_operators import Checked
from gradcheck_cli.cli.choices import Color, ReportFormat
from gradcheck_cli.cli.completion import complete_operators
from gradcheck_cli.cli.configuration import UNREAD, IsolatedOption, SettingsOption, named_by_settings
from gradcheck_cli.cli.endings import interrupt_first, said_too
from gradcheck_cli.cli.exit_codes import ExitCode, ended
from gradcheck_cli.cli.garbage import collecting
from gradcheck_cli.cli.options import (
    BudgetOption,
    ColorOption,
    EpsOption,
    MemoryOption,
    NoAnnotationsOption,
    OpsOption,
    QuietOption,
    ReportFormatOption,
    ReportOption,
    RequireDeviceOption,
    RtolOption,
    SeedOption,
    StrictOption,
    TimeoutOption,
    given,
    help_of,
    knob,
    options_text,
)
from gradcheck_cli.cli.reports import Output, publish, read_reports, require_extra
from gradcheck_cli.cli.save import require_free
from gradcheck_cli.cli.scope import make_scope
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import GradcheckError, printable
from gradcheck_cli.files import write_whole

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator
    from gradcheck_cli.core.scope import Scope
    from gradcheck_cli.operator_records import OperatorsResult
    from gradcheck_cli.report.variant_spec import Frame
    from gradcheck_cli.run.operator_options import OperatorOptions
    from gradcheck_cli.settings import Settings

_MARK = "# Written by gradcheck check-ops"
_SAMPLES = 1
_KNOBS = ("rtol", "eps", "accuracy", "timeout", "budget", "memory")


def check_ops(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            autocompletion=complete_operators,
            help="Operators, or patterns such as 'conv*'.",
            metavar="NAME",
            show_default="those of --ops, or all built-in and installed",
        ),
    ] = None,
    ops: OpsOption = None,
    samples: Annotated[
        int, typer.Option(min=1, help="Draws for each combination of attribute values.", metavar="N")
    ] = _SAMPLES,
    seed: SeedOption = None,
    rtol: RtolOption = None,
    eps: EpsOption = None,
    accuracy: Annotated[
        float | None,
        typer.Option(
            callback=knob("accuracy"),
            help=help_of("accuracy", "Relative error of gradients that are right but inexact (a solver)."),
            metavar="NUMBER",
        ),
    ] = None,
    timeout: TimeoutOption = None,
    budget: BudgetOption = None,
    memory: MemoryOption = None,
    strict: StrictOption = False,
    require_device: RequireDeviceOption = None,
    save_spec: Annotated[
        Path | None,
        typer.Option("--save-spec", help="Write a spec that reproduces all failing variants.", metavar="FILE"),
    ] = None,
    output: ReportFormatOption = ReportFormat.TEXT,
    report: ReportOption = None,
    no_annotations: NoAnnotationsOption = False,
    quiet: QuietOption = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Also notes, times and what was skipped, with the reason.")
    ] = False,
    color: ColorOption = Color.AUTO,
    isolated: IsolatedOption = False,
    settings: SettingsOption = UNREAD,
) -> None:
    """Check operators without a spec, on inputs drawn from their own domains.

    Each is tried on all attribute values that it declares, and on variants of its inputs: 0-d, axes of size 1 and 0,
    broadcasting, other memory layouts, repeated indices. What the forward refuses is skipped and counted.

    Exit codes: 0 all are right, 1 one is wrong or undecided, 2 could not check, 3 internal error, 5 nothing
    selected or all skipped, 130 interrupted, 143 ended by SIGTERM. What is skipped because nobody says what it
    takes counts as an error with --strict.
    """
    del isolated  # the settings know
    # Here, since they import NumPy.
    from gradcheck_cli.operator_records import OperatorsResult
    from gradcheck_cli.report.variant_spec import Frame
    from gradcheck_cli.run.operator_options import OperatorOptions

    wanted = Output(output, read_reports(report), verbose - quiet, color, not no_annotations)
    require_extra(wanted.reports)
    asked = given(rtol=rtol, eps=eps, accuracy=accuracy, timeout=timeout, budget=budget, memory=memory)
    options = OperatorOptions(
        samples=samples,
        seed=settings.seed if seed is None else seed,
        given={**_of_operators(settings), **asked},
        strict=strict,
        require_devices=tuple(require_device or []),
    )
    files = tuple(ops or [])
    if save_spec is not None:
        require_free(save_spec, _MARK)
    code = ExitCode.OK
    with interrupt_first(lambda: code), user_output_to_stderr() as stdout:
        try:
            with named_by_settings(settings):
                scope = make_scope(files)
        except GradcheckError as error:
            nothing = OperatorsResult(options.seed, samples, (), problems=error.problems)
            with said_too(error):
                publish(wanted, stdout, Checked([], nothing, Frame(), (), 0.0).written)
            raise
        operators = _selected(scope, names or [])
        if not operators:
            nothing = OperatorsResult(options.seed, samples, ())
            publish(wanted, stdout, Checked([], nothing, Frame(), (), 0.0).written)
            raise typer.Exit(ExitCode.NOTHING_SELECTED)
        started = time.perf_counter()
        with collecting():
            result = _checked(operators, options, color)
        code = _exit_code(result)
        framed = functools.partial(_frame, files, frozenset(scope.given), options)
        words = options_text(options.given, files, strict, options.require_devices)
        words += ("--samples", str(samples)) * (samples != _SAMPLES)
        checked = Checked(operators, result, framed(Path.cwd()), words, time.perf_counter() - started)
        if output is ReportFormat.TEXT:
            checked.show(stdout, wanted)
        publish(wanted, stdout, checked.written)
        if save_spec is not None:
            _save(operators, result, framed(save_spec.parent), save_spec)
    raise typer.Exit(code)


def _of_operators(settings: Settings) -> dict[str, Any]:
    """Return the knobs among the settings that an operator can be checked with."""
    return {name: value for name, value in settings.knobs.items() if name in _KNOBS}


def _selected(scope: Scope, names: Sequence[str]) -> list[Operator]:
    from gradcheck_cli.run.select_operators import select_operators

    operators, unmatched = select_operators(scope, names)
    for problem in scope.problems if names or not scope.given else ():
        say(str(problem))
    for pattern in unmatched:
        say(printable(f"{'note' if operators else 'error'}: no operator matches '{pattern}'"))
    return operators


def _checked(operators: Sequence[Operator], options: OperatorOptions, color: Color) -> OperatorsResult:
    from gradcheck_cli.cli.progress import ProgressBar
    from gradcheck_cli.run.check_operators import check_operators

    with ProgressBar(len(operators), color) as progress:
        return check_operators(operators, options, progress)


def _frame(files: tuple[Path, ...], names: frozenset[str], options: OperatorOptions, folder: Path) -> Frame:
    """Return what specs in `folder` have in common; `names` are the operators of the `files`."""
    from gradcheck_cli.report.variant_spec import Frame
    from gradcheck_cli.run.reach import named_from

    knobs = {name: value for name, value in options.given.items() if name != "timeout"}
    again = printable(shlex.join(word for file in files for word in ("--ops", str(file))))
    return Frame(options.seed, knobs, named_from(folder, files), names, again, options.strict)


def _save(operators: Sequence[Operator], result: OperatorsResult, frame: Frame, path: Path) -> None:
    """Write the spec of all failing variants, and say what became of it."""
    from gradcheck_cli.report.variant_spec import failing_specs

    text, missing = failing_specs(operators, result, frame, f"{_MARK[2:]}: arguments on which operators failed.")
    for each in missing:
        say(printable(f"note: not in {path}: {each}"))
    if not text:
        say(printable(f"note: {path} is not written: there is nothing to reproduce"))
        return
    write_whole(path, text)
    # A spec names operators of its own folder or project alone.
    where = f": its operators lie elsewhere, run it with {frame.options}" if frame.options and not frame.files else ""
    say(printable(f"note: wrote {path}{where}"))


def _exit_code(result: OperatorsResult) -> ExitCode:
    from gradcheck_cli.records import Verdict

    if result.counts[Verdict.SKIP] == len(result.operators) and not result.interrupted:
        say("nothing was checked: every operator was skipped")
        return ExitCode.NOTHING_SELECTED
    return ended(result.interrupted, bool(result.counts[Verdict.ERROR]), result.ok)
