"""One case as lines of text: heading, table, and what is known about each parameter that isn't as expected."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from gradcheck_cli.errors import Location
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, SweepPoint, Verdict
from gradcheck_cli.report.blame import blame_sentences
from gradcheck_cli.report.expectation import case_word, difference, is_off, verdict_word
from gradcheck_cli.report.numbers import count, dimensions, pair, relative, rounded_up, scientific, short
from gradcheck_cli.report.plain import from_here, plus_minus_sign, safe, shell_quoted, times_sign
from gradcheck_cli.report.sweep_words import closing_word
from gradcheck_cli.report.table import Row, parameter_table

_STYLES = {
    Verdict.PASS: "green",
    Verdict.SKIP: "dim",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold red",
}
_LABEL = len("rel err")
_GAP = "   "
_BLAME = " blame    "


@dataclass(frozen=True)
class View:
    """How much of a case is shown, and for what kind of screen.

    `width` is the number of columns of a terminal; None writes each line as long as it is.
    `encoding` is the screen's. `command` and its `options` make the line that runs a case again;
    an empty command leaves it out, for cases that no command line can reach.
    """

    verbose: bool = False
    sweep: bool = False
    width: int | None = None
    encoding: str = "utf-8"
    command: str = "gradcheck run"
    options: tuple[str, ...] = ()


def case_text(case: CaseResult, view: View | None = None) -> str:
    """Return one case as plain text without colour, its lines joined."""
    return "\n".join(line.plain for line in render_case(case, view or View()))


def render_case(case: CaseResult, view: View) -> list[Text]:
    """Return the lines that tell what became of `case`."""
    heading = _heading(case, view)
    if was_left_out(case):
        return [heading]
    lines = [heading]
    if case.error:
        lines += [Text(f"   {safe(line, view.encoding)}") for line in case.error.split("\n")]
    compared = any(map(_is_known, case.parameters))
    if compared or (case.parameters and not case.error):
        lines += parameter_table([_row(case, parameter, view) for parameter in case.parameters], view.width)
    lines += _case_lines(case, view)
    groups = [_parameter_group(case, parameter, view) for parameter in case.parameters]
    groups.append(_blame_group(case, view))
    groups.append(_case_group(case, view))
    for group in filter(None, groups):
        lines += [Text(), *group]
    if view.verbose:
        lines += [Text(), Text(f" {_cost(case)}")]
    return lines


def was_left_out(case: CaseResult) -> bool:
    """Tell whether nothing is known about a case but that it was skipped, and why."""
    return case.verdict is Verdict.SKIP and not case.findings and not any(map(_is_known, case.parameters))


def _is_known(parameter: ParameterResult) -> bool:
    """Tell whether anything was found out about a parameter, if only of some elements before a stop."""
    return parameter.verdict is not Verdict.SKIP or parameter.checked > 0


def _heading(case: CaseResult, view: View) -> Text:
    """Write `FILE  case name`; a case that was left out says so on the same line."""
    heading = Text()
    if case.file:
        heading.append(safe(from_here(Location(case.file)), view.encoding), "bold").append("  ")
    heading.append(safe(case.name, view.encoding))
    if case.label:
        heading.append(f"  ({safe(case.label, view.encoding)})", "dim")
    if was_left_out(case):
        heading.append(_GAP).append("SKIP", _STYLES[Verdict.SKIP])
        heading.append(f"{_GAP}{safe(case.error, view.encoding)}" if case.error else "")
    return heading


def _row(case: CaseResult, parameter: ParameterResult, view: View) -> Row:
    word = verdict_word(case, parameter)
    cells = (
        safe(parameter.name, view.encoding),
        dimensions(parameter.shape, times_sign(view.encoding)),
        checked_words(parameter),
        relative(parameter.max_rel_err),
        rounded_up(parameter.resolution),
        word,
    )
    return Row(cells, _style(word, parameter.verdict))


def checked_words(parameter: ParameterResult) -> str:
    """Write how much of a parameter was compared: `32/32 `, `2 directions`."""
    if parameter.planned:
        return f"{parameter.checked}/{parameter.elements} + {count(parameter.directions, 'direction')}"
    if parameter.directions:
        return count(parameter.directions, "direction")
    return f"{parameter.checked}/{parameter.elements} "  # a space, so that it stands under the middle of its heading


def _style(word: str, verdict: Verdict) -> str:
    if word.endswith("(expected)"):
        return "yellow"
    return "bold red" if word.endswith("(unexpected)") else _STYLES[verdict]


def _case_lines(case: CaseResult, view: View) -> list[Text]:
    """Say what the table doesn't: a verdict that no parameter has, and what was expected instead."""
    lines = []
    if not case.error and all(parameter.verdict is not case.verdict for parameter in case.parameters):
        word = case_word(case)
        lines.append(Text.assemble(f" case{_GAP}", (word, _style(word, case.verdict))))
    if text := difference(case):
        lines.append(Text(f" {safe(text, view.encoding)}"))
    return lines


def _parameter_group(case: CaseResult, parameter: ParameterResult, view: View) -> list[Text]:
    off = is_off(case, parameter)
    asked = view.sweep or bool(parameter.sweep and parameter.verdict is Verdict.PASS)
    noted = view.verbose and parameter.verdict not in (Verdict.PASS, Verdict.SKIP)
    shown = off or noted or (asked and parameter.worst)
    lines = [worst_line(parameter, view), *_sweep_lines(parameter, view)] if shown else []
    if parameter.element_resolution is not None:
        hidden = rounded_up(parameter.element_resolution)
        lines.append(
            Text(f" {safe(parameter.name, view.encoding)}: one element with the median gradient hides {hidden}")
        )
    for finding in parameter.findings if shown or parameter.verdict is Verdict.PASS else ():
        lines += _finding_lines(finding, view, "" if shown else parameter.name)
    if off:
        lines += rerun_lines(f"{case.id}::{parameter.name}", case.seed, view)
    return lines


def _blame_group(case: CaseResult, view: View) -> list[Text]:
    """Write who is to blame, under the word and not under one another's."""
    if case.blame is None:
        return []
    room = None if view.width is None else view.width - len(_BLAME) + len(_GAP)
    lines = [part for sentence in blame_sentences(case.blame) for part in _wrapped(safe(sentence, view.encoding), room)]
    return [Text(f"{' ' * len(_BLAME) if number else _BLAME}{line}") for number, line in enumerate(lines)]


def _case_group(case: CaseResult, view: View) -> list[Text]:
    lines = []
    for finding in case.findings:
        if view.verbose or not case.ok or finding.accepted:
            lines += _finding_lines(finding, view)
    for finding in case.health:
        lines += _finding_lines(finding, view)
    lines += [Text(f" note: {safe(note, view.encoding)}") for note in case.notes]
    said = any(is_off(case, parameter) for parameter in case.parameters)
    if not case.ok and not said and case.verdict is not Verdict.SKIP:
        lines += rerun_lines(case.id, case.seed, view)
    return lines


def worst_line(parameter: ParameterResult, view: View) -> Text:
    """Write `x[0,4]   analytic +0.260035   numeric -0.103406 ± 2e-11`; the name alone where nothing was compared."""
    name = safe(parameter.name, view.encoding)
    worst = parameter.worst
    if worst is None:
        return Text(f" {name}")
    place = f"[{','.join(map(str, worst.index))}]" if worst.index else ""
    analytic, numeric = pair(worst.analytic, worst.numeric)
    bar = f"{plus_minus_sign(view.encoding)} {rounded_up(worst.error_bar)}"
    return Text(f" {name}{place}{_GAP}analytic {analytic}{_GAP}numeric {numeric} {bar}")


def _sweep_lines(parameter: ParameterResult, view: View) -> list[Text]:
    """Write the sweep as two rows, in blocks of as many steps as the screen has room for, with a word at the end."""
    if not parameter.sweep:
        return []
    columns = [_sweep_column(point) for point in parameter.sweep]
    used = 1 + _LABEL
    per_block = len(columns)
    if view.width is not None:
        per_block = max(1, (view.width - used) // max(cell_len(_GAP + steps) for steps, _ in columns))
    lines = []
    for start in range(0, len(columns), per_block):
        block = columns[start : start + per_block]
        for label, cells in zip(("eps", "rel err"), zip(*block, strict=True), strict=True):
            lines.append(Text(f" {label:<{_LABEL}}" + "".join(_GAP + cell for cell in cells)))
    word = closing_word(parameter.sweep, parameter.verdict, parameter.resolution)
    if word and view.width is not None and lines[-1].cell_len + len(_GAP + word) > view.width:
        lines.append(Text(" " * used + _GAP + word))
    elif word:
        lines[-1].append(_GAP + word)
    return lines


def _sweep_column(point: SweepPoint) -> tuple[str, str]:
    eps, error = scientific(point.eps), short(point.rel_err)
    width = max(len(eps), len(error))
    return f"{eps:>{width}}", f"{error:>{width}}"


def _finding_lines(finding: Finding, view: View, parameter: str = "") -> list[Text]:
    where = from_here(finding.location) if finding.location else ""
    place = ", ".join(part for part in (where, finding.subject) if part)
    place = f"{_GAP}{safe(place, view.encoding)}" if place else ""
    allowed = " (allowed)" if finding.accepted else ""
    whose = f"{safe(parameter, view.encoding)}{_GAP}" if parameter else ""
    lines = [Text.assemble(f" {whose}", (finding.code, "bold"), f" {finding.name}{allowed}{place}")]
    for sentence in finding.message.split("\n") if finding.message else ():
        lines += [Text(_GAP + part) for part in _wrapped(safe(sentence, view.encoding), view.width)]
    return lines


def _wrapped(sentence: str, width: int | None) -> Sequence[str]:
    if width is None or cell_len(sentence) + len(_GAP) <= width:
        return [sentence]
    room = max(width - len(_GAP), 20)
    return textwrap.wrap(sentence, room, break_long_words=False, break_on_hyphens=False)


def rerun_lines(case_id: str, seed: int, view: View) -> list[Text]:
    """Write the line that runs a case again; none where no command line can."""
    command = rerun_command(case_id, seed, view)
    return [Text(f" rerun    {command}")] if command else []


def rerun_command(case_id: str, seed: int, view: View) -> str:
    """Return what can be copied into a shell to run a case, or a parameter, again; empty where no command line can."""
    # Of what couldn't be read there is no case to run.
    if not view.command or (view.command == View.command and "::" not in case_id):
        return ""
    words = [shell_quoted(word, view.encoding) for word in (case_id, "--seed", str(seed), *view.options)]
    return " ".join([view.command, *words])


def _cost(case: CaseResult) -> str:
    return f"seed {case.seed}, {count(case.evaluations, 'evaluation')} in {case.seconds:.2f} s"
