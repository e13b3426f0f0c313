"""The page of the documentation about findings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from gradcheck_cli.findings.page import FAMILIES, pages
from tests.mutants.counting import share, table
from tests.mutants.runs import Seen

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "findings.md"

COUNTS_BEGIN, COUNTS_END = "<!-- counts -->", "<!-- end of counts -->"

INTRODUCTION = """\
# Findings

This page is written by `python -m tests.mutants --write`, from the pages of the findings.
`gradcheck explain CODE` prints one of the sections below, `gradcheck explain` lists them all.

A finding of a wrong gradient is never guessed: it has to explain 99 % of the squared mismatch, beyond the error bars,
and nearly every wrong element by itself. What nothing explains is `unexplained`. Several may be reported; the most
specific comes first."""

COUNTS = """\
## How often is the mistake named?

`tests/mutants` holds operators with one planted mistake each, and for each the right twin. They run as a user's do,
from a spec, at {draws} draws of sizes (3 to 7 along most axes) and numbers. *Named first* counts the checks in which
the first finding is the planted one; for right gradients, those that pass without any (a note about a kink apart).
Of {mutants} wrong gradients {percent} are named first."""

AFTERWARDS = """\
The detectors were written with these operators at hand, so that counts for little by itself. The following ones, of
all kinds, were written afterwards, and nothing was changed for them: of {mutants} wrong gradients {percent} are named
first."""


def document(counts: str) -> str:
    """Return the page, with the section of the counts as it is given."""
    sections = [re.sub(r"^# ", "### ", page.markdown).strip() for page in pages().values()]
    parts = [INTRODUCTION, _table(), f"{COUNTS_BEGIN}\n\n{counts}\n\n{COUNTS_END}"]
    for family, words in FAMILIES.items():
        own = [text for text, page in zip(sections, pages().values(), strict=True) if page.code.startswith(family)]
        parts += [f"## {family}xx, {words}", *own]
    return "\n\n".join(parts) + "\n"


def counts_of(seen: Sequence[Seen], unseen: Sequence[Seen]) -> str:
    """Return the section with the counts: of the operators that the detectors were written with, and of the others."""
    return f"{_counted(COUNTS, seen)}\n\n{_counted(AFTERWARDS, unseen)}"


def _counted(words: str, seen: Sequence[Seen]) -> str:
    mutants, draws = sum(bool(each.planted) for each in seen), len({each.draw for each in seen})
    text = words.format(draws=draws, mutants=mutants, percent=f"{100 * share(seen):.1f} %")
    return f"{text}\n\n{table(seen)}"


def counts_in(text: str) -> str:
    """Return the section with the counts as a page has it."""
    return text.partition(COUNTS_BEGIN)[2].partition(COUNTS_END)[0].strip()


def _table() -> str:
    """Return all findings, a row each."""
    rows = [
        f"| [{page.code}](#{page.code.lower()}-{page.name}) | `{page.name}` | {page.summary} |"
        for page in pages().values()
    ]
    return "\n".join(["| code | name | meaning |", "|---|---|---|", *rows])
