"""`gradcheck new`: write an operator or a spec to begin with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TextIO

import typer

from gradcheck_cli.cli.completion import complete_operators
from gradcheck_cli.cli.options import OpsOption
from gradcheck_cli.cli.plain_values import PlainValuesCommand, PlainValuesGroup
from gradcheck_cli.cli.save import create, require_absent
from gradcheck_cli.cli.scope import make_scope
from gradcheck_cli.cli.streams import say, user_output_to_stderr
from gradcheck_cli.errors import GradcheckError, Problem, printable
from gradcheck_cli.light_dataclass import dataclass

# What only these commands need is imported by them: `gradcheck --help` loads this file.

new = typer.Typer(cls=PlainValuesGroup, no_args_is_help=True, rich_markup_mode=None)

DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Write the text to standard output, and no file.")]


@dataclass(frozen=True)
class _Scaffold:
    """A file to write, and the commands that come next."""

    path: Path
    text: str
    commands: Sequence[str]


@new.callback()
def _new() -> None:
    """Write a file to begin with: an operator, or a spec. What is there is never overwritten."""


@new.command("op", cls=PlainValuesCommand)
def new_op(
    name: Annotated[
        str, typer.Argument(help="The operator's name, or the path of its file: ops/softsign.", metavar="NAME")
    ],
    dry_run: DryRunOption = False,
) -> None:
    """Write an operator file to begin with.

    Its comments explain forward, domain, attribute, kept value and backward; the formula is an example. Missing
    folders are made. What is there is never overwritten.

    Exit codes: 0 written, 2 not written: a wrong name, or a file that exists.
    """
    from gradcheck_cli.cli.new_names import operator_path
    from gradcheck_cli.report.scaffolds import operator_file

    path = operator_path(name)
    if not dry_run:
        require_absent(path)
    with user_output_to_stderr() as stdout:
        if path.stem in make_scope(None).builtins:
            say(f"note: this {path.stem} hides the built-in one wherever its file is named")
        text = operator_file(path.stem, *_check_and_spec(path.stem, path.name))
        _write(_Scaffold(path, text, _check_and_spec(path.stem, str(path))), dry_run, stdout)


@new.command("spec", cls=PlainValuesCommand)
def new_spec(
    name: Annotated[str, typer.Argument(help="The spec's name, or its path: specs/layer_norm.", metavar="NAME")],
    ops: OpsOption = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            "--op",
            autocompletion=complete_operators,
            help="A case for this operator, also for a built-in one; may be repeated. [default: all of --ops]",
            metavar="NAME",
        ),
    ] = None,
    dry_run: DryRunOption = False,
) -> None:
    """Write a spec to begin with.

    Its comments explain the keys; it holds examples, or a case for each operator of the files. Missing folders are
    made. What is there is never overwritten.

    Exit codes: 0 written, 2 not written: a wrong name, a file that exists, operators that can't be used.
    """
    from gradcheck_cli.cli.new_names import schema_of, spec_path, walked_for
    from gradcheck_cli.report.scaffolds import spec_file

    path = spec_path(name)
    if not dry_run:
        require_absent(path)
    if patterns := walked_for(path):
        say(printable(f"note: folders are walked for {patterns}; {path.name} has to be named itself"))
    with user_output_to_stderr() as stdout:
        if ops or op:
            scaffold = _for_operators(path, schema_of(path), ops or [], op or [])
        else:
            command, where = _in_header(path)
            scaffold = _Scaffold(path, spec_file(command, schema_of(path), where), [_run(str(path))])
        _write(scaffold, dry_run, stdout)


def _for_operators(path: Path, schema: str, ops: Sequence[Path], names: Sequence[str]) -> _Scaffold:
    """Return a spec for the operators of files, or for those of these names. Raises GradcheckError."""
    from gradcheck_cli.report.operators_spec import operators_spec_file
    from gradcheck_cli.run.example_cases import example_cases
    from gradcheck_cli.run.reach import named_from
    from gradcheck_cli.run.select_operators import select_operators

    scope = make_scope(ops)
    operators, unmatched = select_operators(scope, names)
    if unmatched:
        raise GradcheckError([Problem(f"no operator matches '{each}'", code="unknown-operator") for each in unmatched])
    usable = example_cases(operators)
    if usable.problems and (names or not usable.operators):
        raise GradcheckError(usable.problems)
    for problem in usable.problems:
        say(f"note: not in the spec: {problem}")
    from_files = any(each.name in scope.given for each in usable.operators)
    files = named_from(path.parent, ops) if from_files else ()
    # A spec can't name files outside its folder and its project; the command line can.
    given = () if files or not from_files else ops
    outside = [
        "The operators lie outside of this folder and its project, so the command names them.",
        "A project begins at the nearest pyproject.toml or .git upwards.",
    ]
    notes = [*(outside if given else []), *usable.notes]
    command, where = _in_header(path, given)
    text = operators_spec_file(usable.operators, files, command, schema, notes, where)
    return _Scaffold(path, text, [_run(str(path), given)])


def _check_and_spec(name: str, file: str) -> tuple[str, str]:
    """Return the commands that check an operator file, and that write a spec for it."""
    return f"gradcheck check-ops --ops {_word(file)}", f"gradcheck new spec {_word(name)} --ops {_word(file)}"


def _run(spec: str, ops: Sequence[Path] = ()) -> str:
    """Return the command that checks a spec."""
    return " ".join(["gradcheck run", _word(spec), *(f"--ops {_word(str(file))}" for file in ops)])


def _in_header(path: Path, ops: Sequence[Path] = ()) -> tuple[str, str]:
    """Return the command that a spec says of itself, and the words for the folder in which it works.

    That is the project's root, where everybody has the same paths, or else the spec's folder.
    """
    from gradcheck_cli.spec.folders import project_root

    folder = Path(os.path.realpath(path.parent))
    root = project_root(folder) or folder
    files = [Path(os.path.relpath(os.path.realpath(file), root)) for file in ops]
    command = _run(os.path.relpath(folder / path.name, root), files)
    return command, "" if root == folder else "from the root of the project"


def _word(path: str) -> str:
    """Quote a path for a shell, where it is no option either."""
    from gradcheck_cli.report.plain import shell_quoted

    return shell_quoted(f"./{path}" if path.startswith("-") else path, "utf-8")


def _write(scaffold: _Scaffold, dry_run: bool, stdout: TextIO) -> None:
    from gradcheck_cli.report.plain import safe

    encoding = stdout.encoding or "utf-8"
    if dry_run:
        stdout.write("".join(f"{safe(line, encoding)}\n" for line in scaffold.text.splitlines()))
        say(printable(f"note: {scaffold.path} is not written: a dry run"))
        return
    create(scaffold.path, scaffold.text)
    lines = [f"wrote {scaffold.path}", "next:", *(f"  {command}" for command in scaffold.commands)]
    stdout.write("".join(f"{safe(line, encoding)}\n" for line in lines))
