"""The report on checked operators for a person: a row for each, then what is known about those that are off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rich.text import Text

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location
from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.report.block import View, render_case
from gradcheck_cli.report.numbers import MISSING, count, relative, rounded_up
from gradcheck_cli.report.plain import from_here, safe, shell_quoted
from gradcheck_cli.report.spec_text import Unwritten
from gradcheck_cli.report.table import Columns, Row, table
from gradcheck_cli.report.variant_spec import Frame, reproducible, spec_text, variant_case

_COLUMNS = Columns(
    ("operator", "variants", "skipped", "elements", "max rel err", "resolution", "verdict"),
    frozenset({"variants", "skipped", "elements", "max rel err", "resolution"}),
)
_STYLES = {
    Verdict.PASS: "green",
    Verdict.SKIP: "dim",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold red",
}
_GAP = "   "
_MOST_ELEMENTS = 64
"""Elements that a spec on the screen has; a longer one is for a file."""

_MOST_NAMED = 4
"""Further variants that are named."""


@dataclass(frozen=True)
class OperatorView:
    """How much is shown, and for what kind of screen: `width` and `encoding` are the screen's, None for no width.

    `options` are the words of the command line that check an operator again in the same way, `frame` is what
    specs have in common.
    """

    verbosity: int = 0
    width: int | None = None
    encoding: str = "utf-8"
    options: tuple[str, ...] = ()
    frame: Frame = field(default_factory=Frame)


def render_operators(
    operators: Sequence[Operator], result: OperatorsResult, view: OperatorView, seconds: float
) -> list[Text]:
    """Return the lines that tell what became of `operators`, in the time of `seconds`."""
    pairs = list(zip(operators, result.operators, strict=True))
    shown = [each for each in result.operators if view.verbosity >= 0 or not each.ok]
    lines = [*table(_COLUMNS, [_row(each, view) for each in shown], view.width), Text()] if shown else []
    remarks = [line for each in shown for line in _remarks(each, view)]
    lines += [*remarks, Text()] if remarks else []
    for operator, each in pairs:
        if not each.ok:
            lines += [*_block(operator, each, view), Text()]
    return [*lines, Text(summary(result, seconds), "bold green" if result.ok else "bold red")]


def summary(result: OperatorsResult, seconds: float) -> str:
    """Sum up: `1 failed, 2 passed, 48 elements, 114 evaluations in 0.02 s`."""
    counts = result.counts
    parts = [f"{counts[Verdict.FAIL]} failed", f"{counts[Verdict.PASS]} passed"]
    others = ((Verdict.INCONCLUSIVE, "inconclusive", "inconclusive"), (Verdict.ERROR, "error", ""))
    parts += [count(counts[verdict], noun, plural) for verdict, noun, plural in others if counts[verdict]]
    parts += [f"{counts[Verdict.SKIP]} skipped"] if counts[Verdict.SKIP] else []
    elements = sum(each.elements for each in result.operators)
    evaluations = sum(each.evaluations for each in result.operators)
    parts += [count(elements, "element"), f"{count(evaluations, 'evaluation')} in {seconds:.2f} s"]
    return ", ".join([*parts, *["interrupted"] * result.interrupted])


def _row(result: OperatorResult, view: OperatorView) -> Row:
    label = f" ({result.label})" if result.label else ""
    tried = len(result.variants)
    cells = (
        safe(f"{result.name}{label}", view.encoding),
        f"{len(result.counted)}/{tried}" if tried else MISSING,
        str(tried - len(result.counted)) if tried else MISSING,
        _checked(result) if tried else MISSING,
        relative(result.max_rel_err),
        rounded_up(result.resolution),
        result.verdict.upper(),
    )
    return Row(cells, _STYLES[result.verdict])


def _checked(result: OperatorResult) -> str:
    """Return how many elements were compared, and of how many where these were a sample: `528/10128`."""
    few = result.elements < result.all_elements
    return f"{result.elements}/{result.all_elements}" if few else str(result.elements)


def _remarks(result: OperatorResult, view: OperatorView) -> list[Text]:
    """Say what a row doesn't, of an operator that passes or was left out; more of it if that is asked for."""
    words = [result.error] if result.error and result.ok else []
    words += (*result.notes, *result.plans) if result.ok else ()
    if view.verbosity > 0:
        words.append(f"{count(result.evaluations, 'evaluation')} in {result.seconds:.2f} s")
        words += [f"{variant.words}: {variant.skipped}" for variant in result.variants if variant.skipped]
        notes = dict.fromkeys(note for variant in result.counted for note in variant.case.notes)
        words += [note for note in notes if note not in words]
    return [Text(f" {safe(f'{result.name}: {each}', view.encoding)}") for each in words]


def _block(operator: Operator, result: OperatorResult, view: OperatorView) -> list[Text]:
    """Tell what is wrong with an operator: the plainest variant that shows it, in full."""
    faults = result.faults
    lines: list[Text] = []
    if faults:
        lines += _variant(faults[0], view)
        lines += _backward(operator, faults[0], view)
        lines += _others(faults[1:], len(result.variants), view)
    if result.error:
        lines += [Text(_place(result, view), "bold")] if not faults else []
        lines += [Text(f"   {safe(line, view.encoding)}") for line in result.error.split("\n")]
    lines += [Text(f" note: {safe(note, view.encoding)}") for note in result.notes]
    if again := reproducible(result):
        lines += _spec(operator, again[0], view)
    words = ["check-ops", result.name, "--seed", str(result.seed), *view.options]
    return [*lines, Text(" rerun   gradcheck " + " ".join(shell_quoted(word, view.encoding) for word in words))]


def _place(result: OperatorResult, view: OperatorView) -> str:
    return safe(f"{from_here(Location(result.file, result.line))}  {result.name}", view.encoding)


def _variant(variant: VariantResult, view: OperatorView) -> list[Text]:
    case = variant.case
    shown = replace(case, file=from_here(Location(case.file, case.line)))
    return render_case(shown, View(verbose=False, width=view.width, encoding=view.encoding, command=""))


def _backward(operator: Operator, variant: VariantResult, view: OperatorView) -> list[Text]:
    """Say where the backward of each wrong gradient stands: `backward at my_ops.py:13, for x and y`."""
    wrong = [each.name for each in variant.case.parameters if each.verdict not in (Verdict.PASS, Verdict.SKIP)]
    served: dict[str, list[str]] = {}
    for name in wrong:
        item = operator.input_at(variant.names.index(name)).name
        place = next((from_here(rule.location) for rule in operator.rules if item in rule.inputs), "")
        served.setdefault(place, []).append(name)
    return [
        Text(f" backward at {safe(place, view.encoding)}, for {safe(' and '.join(names), view.encoding)}")
        for place, names in served.items()
        if place
    ]


def _others(others: Sequence[VariantResult], tried: int, view: OperatorView) -> list[Text]:
    if not others:
        return []
    most = len(others) if view.verbosity > 0 else _MOST_NAMED
    named = [f"{each.words} ({each.case.verdict})" for each in others[:most]]
    more = [f"and {len(others) - most} more"] if len(others) > most else []
    return [
        Text(f" {len(others) + 1} of {tried} variants are off; also: {safe('; '.join([*named, *more]), view.encoding)}")
    ]


def _spec(operator: Operator, variant: VariantResult, view: OperatorView) -> list[Text]:
    """Show the spec that reproduces a variant, or say why there is none."""
    try:
        text = spec_text(variant_case(operator, variant), view.frame, operator.name)
    except Unwritten as why:
        return [Text(f" no spec can hold these arguments: {safe(str(why), view.encoding)}")]
    size = sum(array.size for array in variant.arrays if array is not None)
    if size > _MOST_ELEMENTS:
        return [Text(f" a spec of these {size} elements is written with --save-spec FILE")]
    return [Text(" spec"), *(Text(f"{_GAP}{safe(line, view.encoding)}") for line in text.splitlines())]
