"""What a shell offers at a prompt: names of operators, findings, cases and tags, and formats of reports.

All of it is read from texts: completing runs no code of anybody's, imports no NumPy, and never ends in a traceback.
What can't be read has nothing to offer.
"""

from __future__ import annotations

import functools
import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import typer

if TYPE_CHECKING:
    from gradcheck_cli.spec.outline import CaseOutline

Complete: TypeAlias = Callable[[typer.Context, str], list[str]]

_MOST_FILES = 50
_SECONDS = 0.15
"""How long spec files are read for their names."""


def _quietly(offer: Callable[[typer.Context, str], Iterable[str]]) -> Complete:
    """Offer what begins with what was typed; nothing where anything goes wrong."""

    @functools.wraps(offer)
    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            return [each for each in dict.fromkeys(offer(ctx, incomplete)) if each.startswith(incomplete)]
        except Exception:  # a traceback would stand in the middle of what a person types
            return []

    return complete


@_quietly
def complete_operators(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the operators of --ops and the built-in ones, but for those that were named already."""
    # Here and below, since a command that completes nothing doesn't need them.
    from gradcheck_cli.core.names_in_source import built_in_names
    from gradcheck_cli.spec.outline import operators_in

    del incomplete
    named = set(ctx.params.get("names") or ())
    given = [name for path in ctx.params.get("ops") or () for name in operators_in(Path(path))]
    yield from (name for name in [*given, *built_in_names()] if name.isidentifier() and name not in named)


@_quietly
def complete_findings(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the codes and names of findings, in the case in which they are typed."""
    from gradcheck_cli.codes import FINDING_CODES

    del ctx
    words = [word for name, finding in FINDING_CODES.items() for word in (finding.code, name)]
    for word in words:
        if word.lower().startswith(incomplete.lower()):
            yield incomplete + word[len(incomplete) :]


@_quietly
def complete_ids(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the cases of a spec file behind `FILE::`, and the parameters behind `FILE::CASE::`.

    A path without `::` is left to the shell.
    """
    from gradcheck_cli.spec.outline import outline

    del ctx
    file, colons, _ = incomplete.partition("::")
    for case in outline(Path(file)) if colons else ():
        name = f"{file}::{case.name}"
        yield name
        if incomplete.startswith(f"{name}::"):
            yield from (f"{name}::{parameter}" for parameter in case.parameters)


@_quietly
def complete_cases(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the names of the cases of the specs that the command line names, or of the current folder's."""
    del incomplete
    yield from (case.name for case in _cases(ctx))


@_quietly
def complete_tags(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the tags of these specs for the last word of an expression: `slow and not g` has `slow and not gpu`."""
    before = re.match(r"(.*[\s(])?", incomplete, re.DOTALL)
    yield from (f"{before[0] if before else ''}{tag}" for case in _cases(ctx) for tag in case.tags)


@_quietly
def complete_reports(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Offer the formats of reports, with the sign behind which a path stands; that is left to the shell."""
    from gradcheck_cli.cli.reports import FORMATS

    del ctx
    yield from (f"{name}=" for name in FORMATS if "=" not in incomplete)


def _cases(ctx: typer.Context) -> Iterator[CaseOutline]:
    """Yield the cases of the specs that the command line names, or of the current folder's."""
    from gradcheck_cli.run.find import find_spec_files
    from gradcheck_cli.spec.outline import outline

    until = time.monotonic() + _SECONDS
    # An option that still waits for its value keeps click from sorting the words before it.
    words = [word for word in ctx.args if not word.startswith("-")]
    paths = ctx.params.get("paths") or words or ["*.grad.yaml"]
    for file in itertools.islice(find_spec_files(paths), _MOST_FILES):
        if file.path is not None and time.monotonic() < until:
            yield from outline(file.path)
