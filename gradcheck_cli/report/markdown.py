"""The summary for GitHub's page of a run: Markdown, what isn't as expected first, below a number of bytes."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gradcheck_cli.errors import printable
from gradcheck_cli.records import CaseResult, RunResult
from gradcheck_cli.report.block import View, case_text, checked_words
from gradcheck_cli.report.expectation import case_word, verdict_word
from gradcheck_cli.report.numbers import MISSING, count, dimensions, relative, rounded_up
from gradcheck_cli.report.outcome import Kind, Outcome, outcomes, sentence
from gradcheck_cli.report.terminal import summary

_LEFT_OUT = "The details are left out: they would be too long.\n"
_TABLE = (
    "\n| case | parameter | shape | checked | max rel err | resolution | verdict |\n"
    "| --- | --- | --- | ---: | ---: | ---: | --- |\n"
)
_REASONS = "\n| case | parameter | why |\n| --- | --- | --- |\n"
_ORDER = list(Kind)


@dataclass(frozen=True)
class _Section:
    """Pieces, the most important first, between what opens and closes them; `noun` is a piece's name.

    It gets a `share` of the room that there is.
    """

    pieces: Sequence[str]
    noun: str
    opening: str = ""
    closing: str = ""
    share: float = 1.0

    @property
    def frame(self) -> int:
        """The bytes that it takes beside its pieces, at most."""
        return _size(self.opening + self.closing + self._note(len(self.pieces), "more"))

    def filled(self, room: int) -> tuple[str, int]:
        """Return the section with as many pieces as its share of `room` bytes can hold, and how many bytes are left."""
        kept: list[str] = []
        kept_back = room - int(room * self.share)
        room -= kept_back
        for piece in self.pieces:
            if _size(piece) <= room:
                kept.append(piece)
                room -= _size(piece)
        missing = len(self.pieces) - len(kept)
        body = f"{self.opening}{''.join(kept)}{self.closing}" if kept else ""
        return body + (self._note(missing, "more" if kept else "") if missing else ""), room + kept_back

    def _note(self, number: int, more: str) -> str:
        noun = f"{more} {self.noun}".strip()
        return f"\n{count(number, noun)} left out: the summary would be too long.\n"


def to_markdown(run: RunResult, view: View | None = None, *, limit: int = 1_000_000) -> str:
    """Return a summary in GitHub's Markdown: what isn't as expected with its blocks, then, folded, all else.

    It has at most `limit` bytes in UTF-8: what is least important is left out whole, and counted; it is empty where
    not even the headline fits. `view` says how a case is run again.
    """
    headline = f"## gradcheck: {summary(run)}\n"
    sections = [section for section in _sections(run, view or View()) if section.pieces]
    room = limit - _size(headline) - sum(section.frame for section in sections)
    if room < 0:
        # Without any details, or without anything where even that is too long.
        return next((text for text in (f"{headline}\n{_LEFT_OUT}", headline) if _size(text) <= limit), "")
    parts = [headline]
    for section in sections:
        text, room = section.filled(room)
        parts.append(text)
    return "".join(parts)


def _sections(run: RunResult, view: View) -> list[_Section]:
    found = [outcome for case in run.cases for outcome in outcomes(case)]
    bad = sorted((each for each in found if each.kind.bad), key=lambda each: _ORDER.index(each.kind))
    fine = [each for each in found if each.kind in (Kind.PASSED, Kind.EXPECTED) and not _is_surprise(each)]
    skipped = [each for each in found if each.kind is Kind.SKIPPED]
    failing = {id(each.case): each.case for each in bad}
    return [
        # Half of the room, so that some reports can be read as well.
        _Section([_row(each) for each in bad], "row", _TABLE, share=0.5),
        _Section([_report(case, view) for case in failing.values()], "report"),
        _folded([_row(each) for each in fine], f"{len(fine)} as expected", _TABLE),
        _folded([_reason(each) for each in skipped], f"{len(skipped)} not compared", _REASONS),
    ]


def _is_surprise(outcome: Outcome) -> bool:
    """Tell whether a parameter passes in a case of which some parameter should have failed: the case has its row."""
    parameter = outcome.parameter
    return parameter is not None and verdict_word(outcome.case, parameter).endswith("(unexpected)")


def _folded(rows: Sequence[str], title: str, heading: str) -> _Section:
    return _Section(rows, "row", f"\n<details><summary>{title}</summary>\n{heading}", "\n</details>\n")


def _row(outcome: Outcome) -> str:
    case, parameter = outcome.case, outcome.parameter
    if parameter is None:
        name, figures, word = MISSING, [MISSING] * 4, case_word(case)
    else:
        name, word = _code(parameter.name), verdict_word(case, parameter)
        figures = [
            dimensions(parameter.shape, "\N{MULTIPLICATION SIGN}"),
            checked_words(parameter).strip(),
            relative(parameter.max_rel_err),
            rounded_up(parameter.resolution),
        ]
    return _cells(_code(case.id), name, *figures, f"**{word}**" if outcome.kind.bad else word)


def _reason(outcome: Outcome) -> str:
    parameter = outcome.parameter
    return _cells(_code(outcome.case.id), _code(parameter.name) if parameter else MISSING, _code(sentence(outcome)))


def _report(case: CaseResult, view: View) -> str:
    """Write a case as a terminal shows it, to be unfolded."""
    text = case_text(case, view)
    fence = "`" * max(3, _longest_run(text) + 1)
    title = f"<code>{html.escape(printable(case.id))}</code> {case_word(case)}"
    return f"\n<details><summary>{title}</summary>\n\n{fence}text\n{text}\n{fence}\n\n</details>\n"


def _cells(*cells: str) -> str:
    # A pipe ends a cell even within code.
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _code(text: str) -> str:
    """Write `text` as code, in which nothing is markup, a link or a mention."""
    shown = printable(text)
    fence = "`" * (_longest_run(shown) + 1)
    # One space on each side is taken away again.
    pad = " " if shown[:1] in ("`", " ") or shown[-1:] in ("`", " ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown.strip(" ") else shown.strip(" ")


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _size(text: str) -> int:
    return len(text.encode("utf-8"))
