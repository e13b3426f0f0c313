"""Collect cases: read every spec that a run names before any of them runs."""

from __future__ import annotations

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, Problem, SpecError
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.run.find import SpecFile, find_spec_files
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.select import keyword_matcher, selected_parameters, tag_matcher
from gradcheck_cli.spec.case import Case
from gradcheck_cli.spec.loader import load_spec
from gradcheck_cli.spec.operator_lists import load_operators


@dataclass(frozen=True)
class Selected:
    """A case to check, the names of its parameters that were selected, and the spec that it comes from."""

    case: Case
    parameters: tuple[str, ...]
    file: SpecFile


@dataclass(frozen=True)
class Collected:
    """What is selected, in order; and what was found, from which -k and --tag select."""

    selected: list[Selected]
    found: list[Selected]


def collect(options: Options, loader: Loader | None = None) -> list[Selected]:
    """Read and validate all specs, and return the selected cases in order; `loader` loads their operators.

    Raises SpecError with the problems of all files together.
    """
    return collect_all(options, loader).selected


def collect_all(options: Options, loader: Loader | None = None) -> Collected:
    """Do what `collect` does, and return what -k and --tag leave out, too. Raises SpecError."""
    keyword, tagged = keyword_matcher(options.keyword), tag_matcher(options.tags)
    files = find_spec_files(options.paths, options.settings)
    loader = loader or Library()
    given = given_operators(options, loader)
    found: list[Selected] = []
    problems: list[Problem] = []
    for file in files:
        try:
            if file.path is None:
                from gradcheck_cli.run.standard_input import standard_input  # here, since most specs are files

                file.text = standard_input()
            cases = load_cases(file, loader, given, options)
        except GradcheckError as error:
            problems.extend(error.problems)
            continue
        for case in cases:
            chosen = selected_parameters(case.id, [each.name for each in case.parameters], file.ids)
            if chosen:
                found.append(Selected(case, tuple(chosen), file))
        if file.ids:
            from gradcheck_cli.run.unknown_ids import unknown_ids  # here, since most runs take whole files

            problems.extend(unknown_ids(file, cases))
    if problems:
        raise SpecError(problems)
    narrowed = [
        Selected(item.case, tuple(name for name in item.parameters if keyword(f"{item.case.id}::{name}")), item.file)
        for item in found
        if tagged(item.case.tags)
    ]
    return Collected([item for item in narrowed if item.parameters], found)


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
