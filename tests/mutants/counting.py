"""Counts of what was reported first, by what was planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.mutants.runs import Seen

NOTES = {"kink-at-point", "kink-nearby"}
"""What may be said of a right gradient at a kink."""

RIGHT = "(right)"


def is_named(seen: Seen) -> bool:
    """Tell whether the planted mistake was reported first; of a right gradient, whether it passed without a finding."""
    if seen.planted:
        return seen.first == seen.planted
    return seen.verdict == "pass" and not set(seen.reported) - NOTES


def share(seen: Sequence[Seen]) -> float:
    """Return the share of mutants whose mistake was reported first."""
    mutants = [each for each in seen if each.planted]
    return sum(map(is_named, mutants)) / len(mutants)


def confusion(seen: Sequence[Seen]) -> list[tuple[str, int, int, str]]:
    """Return a row for each planted kind: operators, checks, those named first, and what else was reported first."""
    rows = []
    for planted in sorted({each.planted for each in seen}, key=lambda name: (name == "", name)):
        mine = [each for each in seen if each.planted == planted]
        operators = len({each.case for each in mine})
        others = Counter(each.first for each in mine if not is_named(each))
        words = ", ".join(f"{name} {count}" for name, count in others.most_common()) or "-"
        rows.append((planted or RIGHT, operators, len(mine), f"{sum(map(is_named, mine))}", words))
    return rows


def table(seen: Sequence[Seen]) -> str:
    """Write the rows as Markdown."""
    head = "| planted | operators | checks | named first | named otherwise |\n|---|---|---|---|---|"
    lines = [
        f"| {kind} | {operators} | {checks} | {named} | {others} |"
        for kind, operators, checks, named, others in confusion(seen)
    ]
    return "\n".join([head, *lines])
