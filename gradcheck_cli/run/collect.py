"""Collect cases: read every spec that a run names before any of them runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, Location, Problem, SpecError
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.run.find import SpecFile, find_spec_files
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.select import keyword_matcher, matches, selected_parameters, tag_matcher
from gradcheck_cli.spec.case import Case
from gradcheck_cli.spec.loader import load_spec
from gradcheck_cli.spec.operator_lists import load_operators
from gradcheck_cli.spec.text.yaml_reader import LARGEST_FILE


@dataclass(frozen=True)
class Selected:
    """A case to check, the names of its parameters that were selected, and the spec that it comes from."""

    case: Case
    parameters: tuple[str, ...]
    file: SpecFile


def collect(options: Options, loader: Loader | None = None) -> list[Selected]:
    """Read and validate all specs, and return the selected cases in order; `loader` loads their operators.

    Raises SpecError with the problems of all files together.
    """
    keyword, tagged = keyword_matcher(options.keyword), tag_matcher(options.tags)
    files = find_spec_files(options.paths, options.settings)
    loader = loader or Library()
    given = given_operators(options, loader)
    selected: list[Selected] = []
    problems: list[Problem] = []
    for file in files:
        try:
            if file.path is None:
                file.text = standard_input()
            cases = load_cases(file, loader, given, options)
        except GradcheckError as error:
            problems.extend(error.problems)
            continue
        for case in cases:
            names = [parameter.name for parameter in case.parameters]
            chosen = selected_parameters(case.id, names, file.ids, keyword)
            if chosen and tagged(case.tags):
                selected.append(Selected(case, tuple(chosen), file))
        problems.extend(_unmatched(file, cases))
    if problems:
        raise SpecError(problems)
    return selected


def given_operators(options: Options, loader: Loader) -> dict[str, Operator]:
    """Load the operator files of the command line (`--ops`), one level of the scope."""
    if options.ops and options.data_only:
        raise SpecError(Problem("--data-only refuses the operator files of --ops", code="data-only"))
    try:
        return load_operators(options.ops, loader)
    except GradcheckError as error:
        raise SpecError(error.problems) from error


def load_cases(file: SpecFile, loader: Loader, given: dict[str, Operator], options: Options) -> tuple[Case, ...]:
    """Return the cases of one spec, with the operators `given` for all. Raises SpecError with its problems."""
    return load_spec(
        file.path,
        shown=file.shown,
        text=file.text,
        loader=loader,
        given=given,
        data_only=options.data_only,
        settings=options.settings,
    )


def standard_input() -> str | bytes:
    """Read standard input as far as a spec may be long. Raises SpecError if there is none."""
    if sys.stdin is None:
        raise SpecError(Problem("standard input is closed", Location("-"), "missing-file"))
    # The bytes: a spec is UTF-8 whatever the locale is.
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    try:
        text: str | bytes = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise SpecError(Problem(f"can't be read: {error.strerror}", Location("-"), "missing-file")) from error
    return text


def _unmatched(file: SpecFile, cases: tuple[Case, ...]) -> list[Problem]:
    """Describe the ids of a command line that name nothing in the file."""
    full_ids = [f"{case.id}::{parameter.name}" for case in cases for parameter in case.parameters]
    problems = []
    for wanted in file.ids:
        if not any(matches(full_id, wanted) for full_id in full_ids):
            known = ", ".join(f"'{case.name}'" for case in cases[:5]) + (", ..." if len(cases) > 5 else "")
            hint = f"cases of {file.shown}: {known}"
            problems.append(Problem(f"nothing is named '{wanted}'", code="unknown-id", hint=hint))
    return problems


def shadowed(selected: Sequence[Selected]) -> list[str]:
    """Describe which operators of the selected cases hide others of their name."""
    notes: dict[str, None] = {}
    for item in selected:
        for operator in item.case.expression.operators:
            # A method is always the built-in operator: it hides nothing, a nearer one of its name hides it.
            for hidden in (
                item.case.scope.shadows(operator.name) if operator not in item.case.scope.builtins.values() else ()
            ):
                notes[
                    f"{operator.file}:{operator.line} {operator.name} is used in place of {hidden.file}:{hidden.line}"
                ] = None
    return list(notes)
