"""`gradcheck run`: check every parameter of every case of the specs."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcheck_cli.cli.choices import Color, ReportFormat
from gradcheck_cli.cli.completion import complete_ids, complete_tags
from gradcheck_cli.cli.configuration import UNREAD, IsolatedOption, SettingsOption, refuse_operator_files
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
)
from gradcheck_cli.cli.reports import Output, read_reports
from gradcheck_cli.cli.selection import JobsOption, ShardOption, read_jobs, read_shard_option


def run(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Spec files, folders (walked for *.grad.yaml), globs, ids FILE::case::param, or - for standard input.",
            autocompletion=complete_ids,
            metavar="PATH",
            show_default="the paths of the settings, else the current folder",
        ),
    ] = None,
    keyword: Annotated[
        str, typer.Option("-k", help="Only what matches: words of ids with and, or, not.", metavar="EXPR")
    ] = "",
    tags: Annotated[
        str,
        typer.Option(
            "--tag",
            autocompletion=complete_tags,
            help="Only cases whose tags match: 'slow and not gpu'.",
            metavar="EXPR",
        ),
    ] = "",
    last_failed: Annotated[
        bool,
        typer.Option("--last-failed", "--lf", help="Only what failed when it was last checked, all if nothing did."),
    ] = False,
    shard: ShardOption = None,
    list_only: Annotated[bool, typer.Option("--list", help="List what would be checked, and check nothing.")] = False,
    stop_first: Annotated[
        bool, typer.Option("-x", "--exitfirst", help="Stop at the first unexpected verdict.")
    ] = False,
    max_failures: Annotated[
        int | None,
        typer.Option("--max-failures", "--maxfail", min=1, help="Stop after so many unexpected verdicts.", metavar="N"),
    ] = None,
    jobs: JobsOption = "1",
    timeout: TimeoutOption = None,
    seed: SeedOption = None,
    rtol: RtolOption = None,
    eps: EpsOption = None,
    sample: Annotated[
        int | None,
        typer.Option(
            callback=knob("sample"),
            help=help_of("sample", "Check so many random elements of each parameter."),
            metavar="N",
            envvar="GRADCHECK_SAMPLE",
        ),
    ] = None,
    budget: BudgetOption = None,
    memory: MemoryOption = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Show the error at other steps for every parameter.")] = False,
    health: Annotated[
        bool, typer.Option("--health", help="Also look for what is ill: vanishing gradients, dead units.")
    ] = False,
    strict: StrictOption = False,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 where it would be 1: failures don't count.")
    ] = False,
    ops: OpsOption = None,
    require_device: RequireDeviceOption = None,
    data_only: Annotated[bool, typer.Option("--data-only", help="Refuse operator files: specs are data.")] = False,
    output: ReportFormatOption = ReportFormat.TEXT,
    report: ReportOption = None,
    no_annotations: NoAnnotationsOption = False,
    quiet: QuietOption = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Also notes, times and shadowed operators.")] = False,
    color: ColorOption = Color.AUTO,
    isolated: IsolatedOption = False,
    settings: SettingsOption = UNREAD,
) -> None:
    """Check every parameter of every case of the specs.

    Exit codes: 0 all as expected, 1 a check failed or was inconclusive, 2 could not check,
    3 internal error, 5 nothing selected, 130 interrupted, 143 ended by SIGTERM.
    """
    del isolated  # the settings know
    # Here, since they import NumPy.
    from gradcheck_cli.cli.checking import check, list_cases
    from gradcheck_cli.run.options import Options
    from gradcheck_cli.run.select import id_in_text

    reports = read_reports(report)
    refuse_operator_files(settings, ops, data_only)
    options = Options(
        paths=tuple(map(id_in_text, paths or settings.paths or ["."])),
        keyword=keyword,
        tags=tags,
        last_failed=last_failed,
        shard=read_shard_option(shard),
        ops=tuple(ops or []),
        data_only=data_only,
        seed=seed,
        knobs=given(
            rtol=rtol,
            eps=eps,
            sample=sample,
            budget=budget,
            memory=memory,
            timeout=timeout,
            sweep=True if sweep else None,
        ),
        strict=strict,
        max_failures=1 if stop_first else max_failures,
        jobs=read_jobs(jobs),
        health=health,
        details=any(each.format == "html" for each in reports),
        require_devices=tuple(require_device or []),
        settings=settings,
    )
    wanted = Output(output, reports, verbose - quiet, color, not no_annotations)
    code = list_cases(options, wanted) if list_only else check(options, wanted)
    raise typer.Exit(code.masked() if exit_zero else code)
