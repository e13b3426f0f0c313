"""Annotations for GitHub: workflow commands, one line each, that mark the lines to look at."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from gradcheck_cli.errors import Location, printable
from gradcheck_cli.records import RunResult
from gradcheck_cli.report.blame import blame_sentences
from gradcheck_cli.report.block import View, rerun_lines
from gradcheck_cli.report.outcome import Kind, Outcome, finding_line, outcomes, sentence

MOST = 10
"""Errors that are annotated; GitHub shows no more of one step."""

_ERROR = re.compile("(?P<file>.+?):(?P<line>[0-9]{1,9})(:(?P<column>[0-9]{1,9}))?: error: ")
_INSTALLED = {"site-packages", "dist-packages"}
_ORDER = list(Kind)


@dataclass(frozen=True)
class _Annotation:
    title: str
    place: Location | None
    outcome: Outcome


def to_github(run: RunResult, view: View | None = None, *, root: str = "") -> str:
    """Return workflow commands that annotate what isn't as expected; nothing where all is.

    The worst ten are errors, the errors and failures first and each place before any is named twice, with a notice
    that counts the others. They stand at the backward (or the spec, where that isn't in the repository), in paths
    relative to `root`, the folder of the repository, by default the current one. `view` says how a case is run again.
    A cause that is accepted or expected is no annotation.
    """
    annotations = _worst_first(
        [
            _Annotation(_title(outcome), _place(outcome, root), outcome)
            for case in run.cases
            for outcome in outcomes(case)
            if outcome.kind.bad
        ]
    )
    lines = [
        _command("error", each.title, _message(each.outcome, view or View()), each.place) for each in annotations[:MOST]
    ]
    if others := [each.outcome.kind for each in annotations[MOST:]]:
        lines.append(_command("notice", "gradcheck", _others(others)))
    if run.interrupted:
        lines.append(_command("warning", "gradcheck", "interrupted: not all cases were finished"))
    return "".join(f"{line}\n" for line in lines)


def _worst_first(annotations: Sequence[_Annotation]) -> list[_Annotation]:
    """Sort by importance; what is said of a place again comes after what is new: one cause has many effects."""
    seen: Counter[tuple[Location | None, str]] = Counter()
    rounds: list[tuple[int, int, _Annotation]] = []
    for each in sorted(annotations, key=lambda each: _ORDER.index(each.outcome.kind)):
        seen[each.place, each.title] += 1
        rounds.append((_ORDER.index(each.outcome.kind), seen[each.place, each.title], each))
    return [each for *_, each in sorted(rounds, key=lambda item: item[:2])]


def _title(outcome: Outcome) -> str:
    if outcome.kind is Kind.UNEXPECTED or not outcome.findings:
        return f"gradcheck {outcome.kind}"
    return f"gradcheck {outcome.findings[0].code} {outcome.findings[0].name}"


def _message(outcome: Outcome, view: View) -> str:
    """Say what is wrong, who is to blame, and how to see it again, most important first: GitHub cuts at 4,096."""
    case = outcome.case
    lines = [f"{outcome.id}: {sentence(outcome)}", *map(finding_line, outcome.findings[1:])]
    if outcome.kind is Kind.ERROR and case.error:
        # Without the caret, which would stand under nothing in proportional type.
        lines += [line for line in case.error.split("\n")[1:] if line.strip(" ^")]
    if case.blame and case.blame.culprits:
        lines += [f"blame: {line}" for line in blame_sentences(case.blame)]
    lines += [line.plain.strip() for line in rerun_lines(outcome.id, case.seed, view)]
    return "\n".join(map(printable, lines))


def _others(kinds: Sequence[Kind]) -> str:
    counts = Counter(kinds)
    words = ", ".join(f"{counts[kind]} {kind}" for kind in Kind if counts[kind])
    return f"{len(kinds)} more {'is' if len(kinds) == 1 else 'are'} not as expected: {words}"


def _place(outcome: Outcome, root: str) -> Location | None:
    """Return where to look, with its path in the repository; None where no known place is in it."""
    case = outcome.case
    # A right gradient that should be wrong is the spec's business.
    places = [finding.location for finding in outcome.findings if outcome.kind is not Kind.UNEXPECTED]
    if outcome.kind is Kind.ERROR:
        places = [_place_of_error(case.error or ""), *places]
    if case.blame and outcome.kind is Kind.FAILED:
        places += [culprit.backward for culprit in case.blame.culprits]
    for place in places:
        path = place and _path_in(root, place.file)
        if place and path and not _INSTALLED.intersection(PurePath(path).parts):
            return Location(path, place.line, place.column)
    path = _path_in(root, case.file)
    return Location(path, outcome.line) if path else None


def _place_of_error(error: str) -> Location | None:
    """Read where an error says that it is: `net.grad.yaml:4:15: error: ...`."""
    said = _ERROR.match(error)
    return Location(said["file"], int(said["line"]), int(said["column"] or 0)) if said else None


def _path_in(root: str, file: str) -> str:
    """Return `file` relative to `root` with slashes; empty where it isn't below it, or no file at all."""
    if file in ("", "-") or (file.startswith("<") and file.endswith(">")):
        return ""
    try:
        path = PurePath(os.path.relpath(file, root or os.curdir))
    except (OSError, ValueError):  # the current folder was removed; on Windows, another drive
        return ""
    return "" if path.is_absolute() or path.parts[:1] in ((), (os.pardir,)) else path.as_posix()


def _command(level: str, title: str, message: str, place: Location | None = None) -> str:
    known = {"file": place.file, "line": place.line, "col": place.column} if place else {}
    properties = {**{name: str(value) for name, value in known.items() if value}, "title": title}
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {written}::{_data(message)}"


def _data(text: str) -> str:
    """Escape what ends a command; GitHub decodes it again."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape what ends a command or a property; other control characters are shown, as in messages."""
    shown = "".join(char if char in "\r\n" else printable(char) for char in text)
    return _data(shown).replace(":", "%3A").replace(",", "%2C")
