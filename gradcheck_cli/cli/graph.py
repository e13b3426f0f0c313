"""`gradcheck graph`: draw what a case computes, from the output down."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from gradcheck_cli.cli.completion import complete_cases, complete_ids
from gradcheck_cli.cli.configuration import (
    UNREAD,
    IsolatedOption,
    SettingsOption,
    named_by_settings,
    refuse_operator_files,
)
from gradcheck_cli.cli.endings import operators_interrupts
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.options import OpsOption, SeedOption
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import near, printable

if TYPE_CHECKING:
    from gradcheck_cli.graph_records import GraphResult
    from gradcheck_cli.run.collect import Selected
    from gradcheck_cli.run.options import Options


class GraphFormat(StrEnum):
    """What a graph is drawn in."""

    TREE = "tree"
    DOT = "dot"
    MERMAID = "mermaid"
    JSON = "json"


def graph(
    paths: Annotated[
        list[str],
        typer.Argument(
            help="Spec files, folders (walked for *.grad.yaml), globs, ids FILE::case, or - for standard input.",
            autocompletion=complete_ids,
            metavar="SPEC",
        ),
    ],
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case",
            autocompletion=complete_cases,
            help="Only the case of this name; may be repeated.",
            metavar="NAME",
        ),
    ] = None,
    keyword: Annotated[
        str, typer.Option("-k", help="Only what matches: words of ids with and, or, not.", metavar="EXPR")
    ] = "",
    output: Annotated[
        GraphFormat, typer.Option("--format", help="What standard output holds; dot is for Graphviz.")
    ] = GraphFormat.TREE,
    memory: Annotated[
        bool, typer.Option("--memory", help="Show the bytes that each node keeps for the backward.")
    ] = False,
    health: Annotated[
        bool,
        typer.Option(
            "--health",
            help="Run the backward too: norms of values and gradients, zeros, saturation, and what is ill.",
        ),
    ] = False,
    seed: SeedOption = None,
    ops: OpsOption = None,
    data_only: Annotated[bool, typer.Option("--data-only", help="Refuse operator files: specs are data.")] = False,
    isolated: IsolatedOption = False,
    settings: SettingsOption = UNREAD,
) -> None:
    """Draw the graph of each case from the output down: operators, shapes, leaves.

    A node that is used several times is drawn once. What --health finds changes no exit code.

    Exit codes: 0 drawn, 2 a case could not be evaluated, 3 internal error, 5 nothing selected, 130 interrupted,
    143 ended by SIGTERM.
    """
    del isolated  # the settings know
    from gradcheck_cli.run.options import Options
    from gradcheck_cli.run.select import id_in_text, in_text

    refuse_operator_files(settings, ops, data_only)
    options = Options(
        paths=tuple(map(id_in_text, paths)),
        keyword=keyword,
        ops=tuple(ops or []),
        data_only=data_only,
        seed=seed,
        settings=settings,
    )
    raise typer.Exit(_draw(options, list(map(in_text, case or [])), output, memory, health))


def _draw(options: Options, names: Sequence[str], output: GraphFormat, memory: bool, health: bool) -> ExitCode:
    from gradcheck_cli.bridges.library import Library
    from gradcheck_cli.run.collect import collect
    from gradcheck_cli.run.graph import draw_case
    from gradcheck_cli.run.interrupt import hearing

    with user_output_to_stderr() as stdout:
        library = Library()
        with operators_interrupts(), named_by_settings(options.settings):
            selected = _named(collect(options, library), names)
        for note in library.notes:
            say(printable(f"note: {note}"))
        if not selected:
            say("nothing to draw: no case was found or selected (specs are named *.grad.yaml)")
            return ExitCode.NOTHING_SELECTED
        results: list[GraphResult] = []
        with hearing() as interrupts:
            for item in selected:
                result = draw_case(item.case, options, memory, health, interrupts)
                for problem in filter(None, (result.error, result.problem)):
                    say(problem)
                if output is GraphFormat.TREE and result.graph is not None:
                    _write_tree(stdout, result, first=not any(each.graph for each in results))
                results.append(result)
        if output is not GraphFormat.TREE:
            _write(stdout, results, output)
    return ExitCode.COULD_NOT_CHECK if any(each.error or each.problem for each in results) else ExitCode.OK


def _named(selected: list[Selected], names: Sequence[str]) -> list[Selected]:
    """Return the cases of these names; all without any. Raises SpecError for a name that no case has."""
    from gradcheck_cli.errors import Problem, SpecError

    known = [item.case.name for item in selected]
    wrong = [name for name in names if name not in known]
    if wrong:
        hints = {name: near(name, known) or (f"there are: {', '.join(known[:5])}" if known else "") for name in wrong}
        raise SpecError([Problem(f"no case is named '{name}'", code="unknown-id", hint=hints[name]) for name in wrong])
    return [item for item in selected if not names or item.case.name in names]


def _write_tree(stdout: TextIO, result: GraphResult, first: bool) -> None:
    from gradcheck_cli.cli.choices import Color
    from gradcheck_cli.cli.console import make_console
    from gradcheck_cli.report.graph_tree import tree_text

    # A terminal's width only: off one, lines are written as long as they are.
    width = make_console(stdout, Color.NEVER).width if stdout.isatty() else None
    stdout.write("" if first else "\n")
    stdout.write(tree_text(result, stdout.encoding or "utf-8", width))


def _write(stdout: TextIO, results: Sequence[GraphResult], output: GraphFormat) -> None:
    from gradcheck_cli.report.graph_dot import to_dot
    from gradcheck_cli.report.graph_json import to_graph_json
    from gradcheck_cli.report.graph_mermaid import to_mermaid, too_large

    if output is GraphFormat.JSON:
        stdout.write(to_graph_json(results))
        return
    # A picture has no room for sentences.
    for result in results:
        for symptom in result.graph.symptoms if result.graph else ():
            finding = symptom.finding
            place = f"{finding.location}: " if finding.location else ""
            say(printable(f"{place}{finding.code} {finding.name}: {finding.message.partition(chr(10))[0]}"))
    text = to_dot(results, stdout.encoding or "utf-8") if output is GraphFormat.DOT else to_mermaid(results)
    stdout.write(text)
    if output is GraphFormat.MERMAID and (note := too_large(text)):
        say(f"note: {note}")
