"""Who is to blame, in a few sentences: the operators that are wrong alone, and what is known of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcheck_cli.errors import Location
from gradcheck_cli.records import Blame, Culprit
from gradcheck_cli.report.numbers import count, rounded_up
from gradcheck_cli.report.plain import from_here, paths_from_here

_MOST = 3
"""Places, and reasons, that are listed; the others are counted."""


def blame_sentences(blame: Blame) -> list[str]:
    """Return one sentence or more for each culprit, then what is to be said of the other applications."""
    sentences: list[str] = []
    for culprit in blame.culprits:
        sentences += [_accusation(culprit), *culprit.message.split("\n")] if culprit.message else [_accusation(culprit)]
    return [*sentences, *map(paths_from_here, _beside(blame))]


def blame_record(blame: Blame | None) -> list[dict[str, Any]]:
    """Return the culprits as JSON has them; `right` counts the other applications that are right alone."""
    return (
        [
            {
                "operator": culprit.operator,
                "argument": culprit.argument or None,
                "location": _place(culprit.location),
                "backward": _place(culprit.backward),
                "applications": culprit.applications,
                "right": blame.right,
            }
            for culprit in blame.culprits
        ]
        if blame
        else []
    )


def blame_notes(blame: Blame | None) -> list[str]:
    """Return what is to be said beside the culprits, as JSON has it."""
    return [] if blame is None else _beside(blame)


def _place(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {"file": location.file, "line": location.line or None, "column": location.column or None}


def _beside(blame: Blame) -> list[str]:
    others = _others(blame)
    sentences = [others] if others else []
    sentences += [f"undecided: {why}" for why in blame.undecided[:_MOST]]
    if len(blame.undecided) > _MOST:
        sentences.append(f"undecided: {count(len(blame.undecided) - _MOST, 'more application')}")
    return [*sentences, *blame.notes]


def _accusation(culprit: Culprit) -> str:
    """Write `my_ops.py:16, backward of relu for x, called at net.grad.yaml:8:7 and 9:7`."""
    argument = f" for {culprit.argument}" if culprit.argument else ""
    parts = [f"backward of {culprit.operator}{argument}"]
    if culprit.backward is not None:
        parts.insert(0, from_here(culprit.backward))
    times = f" {culprit.applications} times" if culprit.applications > max(1, len(culprit.places)) else ""
    if culprit.places:
        parts.append(f"called{times} at {_listed(culprit.places)}")
    elif times:
        parts.append(f"called{times}")
    return ", ".join(parts)


def _listed(places: Sequence[Location]) -> str:
    """Write places, each file once."""
    words, file = [], ""
    for place in places[:_MOST]:
        text = from_here(place)
        words.append(text.removeprefix(f"{from_here(Location(file))}:") if place.file == file else text)
        file = place.file
    if len(places) > _MOST:
        words.append(f"{len(places) - _MOST} more")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _others(blame: Blame) -> str:
    """Say how many applications are right alone, beside those that are wrong."""
    within = f", to within {rounded_up(blame.resolution)}" if blame.resolution is not None else ""
    if not blame.applications:
        return "no application of an operator stands between the parameter and the value"
    rest = blame.applications - blame.wrong
    if not rest:
        return ""
    other = "other " if blame.culprits else ""
    if blame.right < rest:
        return f"{blame.right} of the {rest} {other}applications on the path are right alone{within}"
    if rest == 1:
        return f"the {other or 'only '}application on the path is right alone{within}"
    all_of_them = f"the other {rest}" if blame.culprits else f"all {rest}"
    between = "" if blame.culprits else ": what is wrong lies between them"
    return f"{all_of_them} applications on the path are right alone{within}{between}"
